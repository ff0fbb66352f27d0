"""What a counterfactual says, as a change to select again with."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from packhorse.explain.selection import Change

__all__ = ["changed"]


def changed(kind: str, value: Any, row: int) -> Change:
    """The change that a counterfactual speaks of, made anew from its value."""
    if kind == "date":
        return Change(row=row, timestamp=datetime.fromisoformat(value))
    name = {"lambda": "mmr_lambda"}.get(kind, kind)
    return Change(row=None if kind in {"lambda", "budget"} else row, **{name: value})

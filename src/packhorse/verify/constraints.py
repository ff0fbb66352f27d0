"""The check `constraints`: whether the selection keeps every rule beside the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.types.verdict import Check, Status

if TYPE_CHECKING:
    from packhorse.types.constraints import Constraints
    from packhorse.types.packing import Packing

__all__ = ["constraints_check"]


def constraints_check(constraints: Constraints, packing: Packing) -> tuple[Check, ...]:
    """Warns when a rule is not kept, with the reason; nothing is checked where there is no rule."""
    if not constraints:
        return ()
    if packing.unmet:
        detail = "; ".join(f"{unmet.kind}: {unmet.detail}" for unmet in packing.unmet)
        return (Check(name="constraints", status=Status.WARN, detail=detail),)
    n_rules = (
        (constraints.max_per_source is not None)
        + len(constraints.topics)
        + len(constraints.exclusive)
        + len(constraints.linked)
    )
    plural = "" if n_rules == 1 else "s"
    return (Check(name="constraints", status=Status.PASS, detail=f"{n_rules} rule{plural} kept"),)

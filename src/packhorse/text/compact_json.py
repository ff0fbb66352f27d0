"""JSON in as few bytes as it takes."""

from __future__ import annotations

import json
from typing import Any

from packhorse.errors import InputError

__all__ = ["compact_json"]


def compact_json(value: Any) -> str:
    """JSON without spaces, keys in their own order, letters of all scripts as they are.

    Raises:
        InputError: it is nested too deep, or holds something that JSON cannot say.
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # A number of more than 4,300 digits is a ValueError.
    except (TypeError, ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise InputError(
            f"A part of the request cannot be written as JSON: {reason}",
            hint="Give what a JSON file could hold",
        ) from error

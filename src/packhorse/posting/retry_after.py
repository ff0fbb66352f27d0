"""How long a server asks to wait before the next try."""

from __future__ import annotations

import math
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["retry_after"]


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds to wait: a number, or a date measured against the answer's own `Date`; 0 for none."""
    try:
        if "retry-after-ms" in headers:
            asked = float(headers["retry-after-ms"]) / 1000
        else:
            asked = _number_or_date(headers.get("retry-after", "0"), headers)
    except (KeyError, TypeError, ValueError, OverflowError):
        return 0.0
    return max(0.0, asked) if math.isfinite(asked) else 0.0


def _number_or_date(value: str, headers: Mapping[str, str]) -> float:
    if value.strip().replace(".", "", 1).isdigit():
        return float(value)
    until, now = parsedate_to_datetime(value), parsedate_to_datetime(headers["date"])
    return (until - now).total_seconds()

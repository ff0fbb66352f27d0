"""Times as records and front matter write them, turned into one kind: aware and in UTC.

The rule: a date is its midnight in UTC; a date-time without a zone is in UTC; an offset is
converted; a number is seconds since 1970-01-01T00:00:00Z. The computer's own zone never matters.
"""

import math
import re
from datetime import UTC, date, datetime, time, timedelta

__all__ = ["parse_timestamp"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECONDS_FROM = 100_000_000_000
"""Seconds of the year 5138; as milliseconds, a day in 1973."""
SHOWN_CHARS = 40
ISO_8601 = re.compile(
    r"\d{4}-?(?:\d\d-?\d\d|W\d\d-?[1-7])"
    r"(?:[T ]\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?(?: ?(?:Z|[+-]\d\d(?::?\d\d)?))?)?",
    re.ASCII,
)


def parse_timestamp(value: object) -> datetime:
    """Reads a date, a date-time or epoch seconds.

    Args:
        value: ISO 8601 text (`2024-01-15`, `2024-01-15T08:00:00+02:00`, `20240115T060000Z`),
            seconds since 1970 as a number, a `date` or a `datetime`.

    Returns:
        The instant, aware and in UTC, to the microsecond.

    Raises:
        ValueError: not a time, or outside the years 1 to 9999; the message is a plain reason.
    """
    try:
        if isinstance(value, datetime):
            return _in_utc(value)
        if isinstance(value, date):
            return datetime.combine(value, time(), UTC)
        if isinstance(value, str):
            return _from_text(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _from_seconds(value)
    except OverflowError as exc:
        raise ValueError(f"{value!r} is outside the years 1 to 9999") from exc
    raise ValueError(
        f"{type(value).__name__} is not an ISO 8601 date or date-time, or seconds since 1970"
    )


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _from_text(value: str) -> datetime:
    text = value.strip().upper()
    shown = repr(value if len(value) <= SHOWN_CHARS else value[:SHOWN_CHARS] + "...")
    if not ISO_8601.fullmatch(text):
        raise ValueError(f"{shown} is not an ISO 8601 date or date-time")
    try:
        # A space before the offset is common in version control logs; the parser takes none.
        moment = datetime.fromisoformat(re.sub(r" (?=[Z+-])", "", text))
    except ValueError as exc:
        raise ValueError(f"{shown} is not an ISO 8601 date or date-time: {exc}") from exc
    return _in_utc(moment)


def _from_seconds(value: float) -> datetime:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a time")
    try:
        return EPOCH + timedelta(seconds=value)
    except OverflowError as exc:
        hint = "; it looks like milliseconds" if abs(value) > MILLISECONDS_FROM else ""
        raise ValueError(f"{value} seconds are outside the years 1 to 9999{hint}") from exc

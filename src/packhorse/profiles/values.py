"""Checks one value as read and turns it into what a config field holds.

A reader takes the value and raises `WrongValueError` with what it expected; it never converts
between kinds: `true` is no number, and `"0.7"` is text.
"""

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

__all__ = [
    "Reader",
    "WrongValueError",
    "count_or_auto",
    "date_text",
    "level_or_off",
    "non_negative_number",
    "number",
    "optional",
    "positive_number",
    "share",
    "share_or_auto",
    "share_or_off",
    "text",
    "text_list",
    "text_to_share",
    "whole",
    "word",
]

Reader = Callable[[Any], Any]

_DECIMALS = 6
_SHOWN = 60
"""Characters of a wrong value that a message shows: one line."""


class WrongValueError(ValueError):
    """A value of the wrong kind or out of range; the text says what is expected instead."""

    def __init__(self, expected: str, *, path: str = "", value: Any = None) -> None:
        super().__init__(expected)
        self.path = path
        """Dotted path below the setting, when the wrong value is inside a mapping."""
        self.value = value
        """The wrong value, when `path` says where it is."""

    def place(self, key: str, value: Any) -> tuple[str, str]:
        """Full dotted path and shortened repr of the wrong value, given the setting's own."""
        shown = repr(self.value if self.path else value)
        shortened = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
        return (f"{key}.{self.path}" if self.path else key), shortened


def text(value: Any) -> str:
    """Text, possibly empty."""
    if not isinstance(value, str):
        raise WrongValueError("text (put it in quotes)" if _is_plain(value) else "text")
    return value


def word(value: Any) -> str:
    """Text that is not blank, such as a name."""
    result = text(value)
    if not result.strip():
        raise WrongValueError("text that is not blank")
    return result


def text_list(value: Any) -> tuple[str, ...]:
    """A list of non-empty texts, in the order written, repeats dropped."""
    if not isinstance(value, list | tuple):
        raise WrongValueError("a list, for example [first, second]")
    for item in value:
        if not isinstance(item, str) or not item.strip():
            raise WrongValueError("a list of texts that are not blank (numbers in quotes)")
    return tuple(dict.fromkeys(value))


def number(value: Any) -> float:
    """A finite number, kept to six decimals as packets record it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WrongValueError("a number")
    try:
        result = float(value)
    except OverflowError as exc:
        raise WrongValueError("a number that fits a double") from exc
    if not math.isfinite(result):
        raise WrongValueError("a finite number")
    return round(result, _DECIMALS) + 0.0


def share(value: Any) -> float:
    """A number from 0 to 1."""
    result = _number_or(value, "a number from 0 to 1")
    if not 0.0 <= result <= 1.0:
        raise WrongValueError("a number from 0 to 1")
    return result


def share_or_off(value: Any) -> float | None:
    """A number from 0 to 1; `off` (which YAML reads as false), `none` or null for None."""
    if value is None or value is False or value in ("off", "none"):
        return None
    try:
        return share(value)
    except WrongValueError as exc:
        raise WrongValueError("a number from 0 to 1, or off") from exc


def share_or_auto(value: Any) -> float | None:
    """A number from 0 to 1; `auto` or null for None."""
    if value is None or value == "auto":
        return None
    try:
        return share(value)
    except WrongValueError as exc:
        raise WrongValueError("a number from 0 to 1, or auto") from exc


def positive_number(value: Any) -> float:
    """A number above 0."""
    result = _number_or(value, "a number above 0")
    if result <= 0:
        raise WrongValueError("a number above 0")
    return result


def non_negative_number(value: Any) -> float:
    """A number of 0 or more."""
    result = _number_or(value, "a number of 0 or more")
    if result < 0:
        raise WrongValueError("a number of 0 or more")
    return result


def whole(minimum: int) -> Reader:
    """A reader of whole numbers of `minimum` or more."""

    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise WrongValueError(f"a whole number of {minimum} or more")
        return value

    return read


def count_or_auto(value: Any) -> int | None:
    """A whole number of 1 or more; `auto` or null for None."""
    if value is None or value == "auto":
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise WrongValueError("a whole number of 1 or more, or auto")
    return value


def optional(reader: Reader) -> Reader:
    """A reader that also takes null, for None."""

    def read(value: Any) -> Any:
        if value is None:
            return None
        try:
            return reader(value)
        except WrongValueError as exc:
            raise WrongValueError(f"{exc}, or null") from exc

    return read


def yes_or_no(value: Any) -> bool:
    """A YAML truth value."""
    if not isinstance(value, bool):
        raise WrongValueError("true or false")
    return value


def level_or_off(value: Any) -> str | None:
    """A word, true for `auto`, or none of it."""
    if value is None or value is False or value == "off":
        return None
    return "auto" if value is True else word(value)


def date_text(value: Any) -> str:
    """An ISO 8601 date or instant, kept as written."""
    if not isinstance(value, str):
        raise WrongValueError("an ISO date such as 2026-01-31")
    try:
        datetime.fromisoformat(value)
    except ValueError as exc:
        raise WrongValueError("an ISO date such as 2026-01-31") from exc
    return value


def text_to_share(value: Any) -> dict[str, float]:
    """A mapping of names to numbers from 0 to 1, sorted by name."""
    if not isinstance(value, Mapping):
        raise WrongValueError("a mapping of names to numbers from 0 to 1")
    shares: dict[str, float] = {}
    for name in sorted(value):
        try:
            shares[text(name)] = share(value[name])
        except WrongValueError as exc:
            raise WrongValueError(str(exc), path=str(name), value=value[name]) from exc
    return shares


def _number_or(value: Any, expected: str) -> float:
    try:
        return number(value)
    except WrongValueError as exc:
        raise WrongValueError(expected) from exc


def _is_plain(value: Any) -> bool:
    return value is not None and not isinstance(value, list | tuple | Mapping)

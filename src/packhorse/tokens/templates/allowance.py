"""Work that a chat template may cause, charged before it is done.

What is charged does not depend on the machine or on a clock, so that a template is refused
everywhere or nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

__all__ = [
    "MAX_WORK",
    "STEP",
    "TemplateError",
    "allowance",
    "charge",
    "charge_call",
    "charge_filter",
    "charge_operation",
    "charge_size",
    "deep_size",
]

MAX_WORK = 100_000_000
"""Units for one rendering: a character or item that is made or looked through is one."""

STEP, CALL = 50, 250
"""Units that a turn of a loop or a filter takes, and a call or a macro."""

MAX_WIDTH = 1_000
"""Widest padding or indentation."""

MAX_BITS = 4_096
"""Longest product or power."""

PADDING = frozenset({"center", "expandtabs", "ljust", "rjust", "zfill"})
WIDE_FORMAT = re.compile(r"[0-9]{4,}|\*|\{[^{}]*\{")

_LEFT: ContextVar[list[int]] = ContextVar("left")


class TemplateError(Exception):
    """What a template said when it refused a conversation, or why it was stopped."""


@contextmanager
def allowance() -> Iterator[None]:
    """A fresh allowance for what is done inside."""
    token = _LEFT.set([MAX_WORK])
    try:
        yield
    finally:
        _LEFT.reset(token)


def charge(units: int) -> None:
    """Takes work off the allowance.

    Raises:
        TemplateError: nothing is left.
    """
    left = _LEFT.get()
    left[0] -= units
    if left[0] < 0:
        raise TemplateError(f"it takes more than {MAX_WORK:,} units of work")


def charge_size(value: Any) -> Any:
    """Charges the length of a text, list or mapping, and gives it back."""
    charge(_size(value))
    return value


def deep_size(value: Any) -> int:
    """Charges for everything inside a value, and says about how many characters it prints as."""
    if isinstance(value, str):
        charge(len(value))
        return len(value)
    charge(STEP)
    if isinstance(value, dict):
        return sum(deep_size(key) + deep_size(item) + 4 for key, item in value.items()) + 2
    if isinstance(value, (list, tuple)):
        return sum(deep_size(item) + 2 for item in value) + 2
    return STEP


def charge_operation(operator: str, left: Any, right: Any) -> None:
    """Charges a sum, product, power or format for its result."""
    if operator == "%" and isinstance(left, str):
        _check_format(left)
        deep_size(right)
    charge(STEP + OPERATIONS.get(operator, _sum_size)(left, right))


def charge_call(called: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Charges a call for what it looks through and what it may make."""
    charge(CALL)
    owner = getattr(
        called, "__self__", getattr(getattr(called, "__wrapped__", None), "__self__", None)
    )
    name = getattr(called, "__name__", "")
    given = (*args, *kwargs.values())
    if isinstance(owner, str):
        _charge_text_method(owner, name, given)
    for value in (owner, *given):
        charge_size(value)


def charge_filter(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test that is charged for its arguments and its result."""

    @wraps(function)
    def charged(*args: Any, **kwargs: Any) -> Any:
        charge(STEP)
        if name == "join":  # a generator could yield one long text many times
            args = tuple(list(value) if isinstance(value, Iterator) else value for value in args)
        given = (*args, *kwargs.values())
        for value in given:
            charge_size(value)
            _check_width(name, value)
        if name == "replace":
            _charge_replace(*[value for value in given if isinstance(value, str)][:3])
        if name in {"string", "tojson"}:
            deep_size(given[0])
        if name == "join":
            _charge_join(given)
        return charge_size(function(*args, **kwargs))

    return charged


def _size(value: Any) -> int:
    if isinstance(value, (str, list, tuple, dict)):
        return len(value)
    return value.bit_length() // 8 if isinstance(value, int) else 1


def _sum_size(left: Any, right: Any) -> int:
    return _size(left) + _size(right)


def _product_size(left: Any, right: Any) -> int:
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() + right.bit_length())
    for value, times in ((left, right), (right, left)):
        if isinstance(value, (str, list, tuple)) and isinstance(times, int):
            return len(value) * max(0, times)
    return _sum_size(left, right)


def _power_size(left: Any, right: Any) -> int:
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() * max(0, right))
    return STEP


def _check_bits(bits: int) -> None:
    # Multiplying long numbers takes more than in proportion to their length.
    if bits > MAX_BITS:
        raise TemplateError(f"it makes a number of more than {MAX_BITS:,} bits")


OPERATIONS: Mapping[str, Callable[[Any, Any], int]] = {"*": _product_size, "**": _power_size}


def _check_width(name: str, value: Any) -> None:
    if isinstance(value, int) and name in {"batch", "indent", "slice", "tojson"}:
        _check_number(value)


def _check_number(width: Any) -> None:
    if isinstance(width, int) and width > MAX_WIDTH:
        raise TemplateError(f"it asks for a width of {width:,}, above {MAX_WIDTH:,}")


def _check_format(pattern: str) -> None:
    if WIDE_FORMAT.search(pattern):
        raise TemplateError("it formats text to a width that is variable or above 999")


def _charge_text_method(text: str, name: str, given: tuple[Any, ...]) -> None:
    if name in PADDING and given:
        _check_number(given[0])
        charge(len(text) * (MAX_WIDTH if name == "expandtabs" else 1))
    elif name in {"format", "format_map"}:
        _check_format(text)
        for value in given:
            deep_size(value)
    elif name == "join" and given and isinstance(given[0], (list, tuple)):
        charge(sum(_size(item) + len(text) for item in given[0]))
    elif name == "replace":
        _charge_replace(text, *[value for value in given if isinstance(value, str)][:2])


def _charge_join(given: tuple[Any, ...]) -> None:
    """Charges a join for what comes out: a list may name one long text many times."""
    texts = [value for value in given if isinstance(value, str)]
    for values in given:
        if isinstance(values, (list, tuple)):
            charge(sum(_size(item) for item in values) + len(values) * sum(map(len, texts)))


def _charge_replace(text: str = "", old: str = "", new: str = "") -> None:
    charge((text.count(old)) * len(new))

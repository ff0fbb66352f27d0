"""Token amounts: whole numbers of zero or more, and nothing that merely looks like one."""

from __future__ import annotations

import operator

from packhorse.errors import InputError, InvalidBudgetError

__all__ = ["budget_amount", "token_amount"]


def budget_amount(value: object, name: str = "budget") -> int:
    """`value` as a budget.

    Raises:
        InvalidBudgetError: None, a negative number, a fraction, a text or a truth value.
    """
    amount = _whole(value)
    if amount is None:
        raise InvalidBudgetError(
            f"{name} is {value!r}, not a whole number of 0 or more",
            hint=f"Give {name} as a whole number of tokens",
        )
    return amount


def token_amount(value: object, name: str) -> int:
    """`value` as the token count of `name`.

    Raises:
        InputError: None, a negative number, a fraction, a text or a truth value.
    """
    amount = _whole(value)
    if amount is None:
        raise InputError(
            f"Token count of {name} is {value!r}, not a whole number of 0 or more",
            hint="Count with the tokenizer of the target model",
        )
    return amount


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        amount = operator.index(value)  # type: ignore[arg-type]  # whatever has no index is refused
    except TypeError:
        return None
    return amount if amount >= 0 else None

"""The packing rules as small functions on plain values, usable alone.

All of them walk the list in the order given, take a part whole when it fits in what remains, skip
it when it does not, and carry on. Inputs are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from packhorse.errors import InputError
from packhorse.packing.amounts import budget_amount, token_amount

__all__ = ["PackedParts", "fit_window", "pack_parts", "pack_ranked", "total_tokens"]

Part = Mapping[str, Any]
CandidateT = TypeVar("CandidateT")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedParts:
    """What `pack_parts` did with each part."""

    included: list[Any]
    """Ids that fit, in the order given."""
    dropped: list[Any]
    """Ids that did not, in the order given."""
    used: int
    """Tokens of the included parts."""


def total_tokens(parts: Iterable[Part]) -> int:
    """Sum of `tokens` over `parts`.

    Raises:
        InputError: a part without a whole number of tokens.

    Example:
        >>> total_tokens([{"tokens": 100}, {"tokens": 50}, {"tokens": 25}])
        175
    """
    return sum(_tokens(part, place) for place, part in enumerate(parts, start=1))


def pack_parts(parts: Iterable[Part], budget: int) -> PackedParts:
    """Packs `{"id", "tokens"}` parts into `budget` tokens; skips what does not fit and goes on.

    Raises:
        InvalidBudgetError: `budget` is not a whole number of 0 or more.
        InputError: a part without an id or a whole number of tokens.

    Example:
        >>> pack_parts([{"id": "sys", "tokens": 100}, {"id": "huge", "tokens": 80},
        ...             {"id": "small", "tokens": 10}], 130).included
        ['sys', 'small']
    """
    limit = budget_amount(budget)
    included: list[Any] = []
    dropped: list[Any] = []
    used = 0
    for place, part in enumerate(parts, start=1):
        tokens = _tokens(part, place)
        part_id = _field(part, "id", place)
        if used + tokens <= limit:
            included.append(part_id)
            used += tokens
        else:
            dropped.append(part_id)
    return PackedParts(included=included, dropped=dropped, used=used)


def fit_window(chunks: Iterable[Part], window_size: int, reserved: int) -> list[Any]:
    """Ids of the `{"id", "tokens"}` chunks that fit beside `reserved` tokens, in the order given.

    The budget is `window_size - reserved`, and 0 when more is reserved than the window holds.

    Raises:
        InvalidBudgetError: `window_size` or `reserved` is not a whole number of 0 or more.
        InputError: a chunk without an id or a whole number of tokens.

    Example:
        >>> fit_window([{"id": "a", "tokens": 8}, {"id": "b", "tokens": 3},
        ...             {"id": "c", "tokens": 2}], 10, 5)
        ['b', 'c']
    """
    window = budget_amount(window_size, "window_size")
    budget = max(0, window - budget_amount(reserved, "reserved"))
    return pack_parts(chunks, budget).included


def pack_ranked(
    candidates: Iterable[CandidateT], budget: int, count: Callable[[str], int]
) -> tuple[list[CandidateT], int]:
    """Packs ranked candidates by what their text costs; skips what does not fit and goes on.

    Args:
        candidates: best first; each a text, or something with a `text` and perhaps a `header`,
            as attributes or as keys.
        budget: tokens.
        count: tokens of a text, with the tokenizer of the target model. It is called once a
            candidate, with header and text as one string.

    Returns:
        The packed candidates themselves, in the order given, and the tokens they use.

    Raises:
        InvalidBudgetError: `budget` is not a whole number of 0 or more.
        InputError: a candidate without a text, or a count that is not a whole number.

    Example:
        >>> pack_ranked(["one two three", "four"], 2, lambda text: len(text.split()))
        (['four'], 1)
    """
    limit = budget_amount(budget)
    packed: list[CandidateT] = []
    used = 0
    for place, candidate in enumerate(candidates, start=1):
        tokens = token_amount(count(_rendered(candidate, place)), f"candidate {place}")
        if used + tokens <= limit:
            packed.append(candidate)
            used += tokens
    return packed, used


def _tokens(part: Part, place: int) -> int:
    return token_amount(_field(part, "tokens", place), f"part {place}")


def _field(part: Part, name: str, place: int) -> object:
    try:
        return part[name]
    except (KeyError, TypeError, IndexError) as exc:
        raise InputError(
            f"Part {place} has no {name!r}", hint='Give each part as {"id": ..., "tokens": ...}'
        ) from exc


def _rendered(candidate: object, place: int) -> str:
    """Header and text as they are rendered together, counted as one string."""
    if isinstance(candidate, str):
        return candidate
    if isinstance(candidate, Mapping):
        header, text = candidate.get("header"), candidate.get("text")
    else:
        header, text = getattr(candidate, "header", None), getattr(candidate, "text", None)
    if not isinstance(text, str):
        raise InputError(f"Candidate {place} has no text", hint="Give each candidate a text")
    return f"{header or ''}{text}"

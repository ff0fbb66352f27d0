"""`packhorse.route`: which model of a list a question goes to, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError

if TYPE_CHECKING:
    from packhorse.window.routing import Route

__all__ = ["route"]

MOST_TOKENS = 10**12


def route(
    query: str,
    among: str | Path | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    *,
    messages: Mapping[str, Any] | Sequence[Any] = (),
    evidence_tokens: int = 0,
    output_tokens: int | None = None,
    quality: str | None = None,
    max_usd: float | None = None,
    as_of: date | str | None = None,
    models: str | Path | Sequence[str | Path] = (),
) -> Route:
    """The cheapest model of a list that can take a question, with every sum behind the choice.

    A model can take it when its window holds the request, the evidence and the answer, when its
    tier is the needed one or a better one, and when its price is known. Input is counted by each
    model's own tokenizer. No model is asked. Ties by name.

    Args:
        query: the question; the tier that it needs follows from `complexity` unless `quality` says.
        among: a YAML file, or the same as plain data: `models`, rows with `name`, `tier` and
            perhaps `price` (dollars a million tokens, `input` and `output`), and perhaps `tiers`, a
            mapping of tier to the complexity from which it is needed. A sequence is the rows alone.
            None: three models of one maker.
        messages: earlier messages, or a whole request body in any known shape. The question is its
            last message, and is added where it is not.
        evidence_tokens: tokens of evidence that will be added, the same for each model.
        output_tokens: kept free for the answer. Default: the request's own limit, else 500, 1,000
            or 2,000 by the level of complexity.
        quality: the tier that is needed.
        max_usd: what the request may cost at most.
        as_of: the day whose prices and retirements count, as a date or in ISO form. Default: today
            in UTC; recorded in the result.
        models: a YAML file of models of your own, or several, laid over the built-in table.

    Raises:
        NoModelFitsError: no model can take it; names the nearest and what would make it fit.
        UnknownModelError: the list names a model that is in no table.
        ConfigError: the list, a tier or a number cannot be used.
        InputError: the query is empty or `as_of` is no date.

    Example:
        >>> rows = [
        ...     {"name": "gpt-4o", "tier": "strong", "price": {"input": 2.5, "output": 10}},
        ...     {"name": "gpt-4o-mini", "tier": "basic", "price": {"input": 0.15, "output": 0.6}},
        ... ]
        >>> found = route("who wrote hamlet", rows, as_of="2026-01-15")
        >>> found.model, found.chosen.input_tokens, found.others[0].why_not
        ('gpt-4o-mini', 10, ('$0.004723 dearer',))
    """
    from packhorse.tokens.models.table import model_table
    from packhorse.window.asked_body import with_question
    from packhorse.window.complexity import query_complexity
    from packhorse.window.route_list import read_route_list
    from packhorse.window.routing import Asked, route_among

    text = _question(query)
    asked = Asked(
        body=with_question(messages, text),
        complexity=query_complexity(text),
        evidence_tokens=_whole("evidence_tokens", evidence_tokens, least=0),
        output_tokens=(
            None if output_tokens is None else _whole("output_tokens", output_tokens, least=1)
        ),
        quality=quality,
        max_usd=_dollars(max_usd),
        day=_day(as_of),
    )
    return route_among(read_route_list(among), asked, model_table(models))


def _question(query: object) -> str:
    from packhorse.text.wellformed import well_formed

    if not isinstance(query, str) or not query.strip():
        raise InputError("The query is no text, or empty", hint="Ask a question as text")
    return well_formed(query)


def _whole(name: str, value: Any, *, least: int) -> int:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole and least <= value <= MOST_TOKENS:
        return int(value)
    raise InputError(f"{name} is {value!r}", hint=f"Give a whole number of {least} or more")


def _dollars(value: float | None) -> float | None:
    if value is None or (math.isfinite(value) and value >= 0):
        return value
    raise InputError(f"max_usd is {value!r}", hint="Give dollars, 0 or more")


def _day(given: date | str | None) -> date:
    if given is None:
        # Prices change from day to day; the day is part of the result.
        return datetime.now(UTC).date()  # noqa: TID251
    if isinstance(given, datetime):
        return given.date()
    if isinstance(given, date):
        return given
    try:
        return date.fromisoformat(given)
    except (TypeError, ValueError) as error:
        raise InputError(f"as_of {given!r} is not a date", hint="Write it as 2026-01-15") from error

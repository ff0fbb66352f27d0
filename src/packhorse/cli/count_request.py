"""`packhorse count --messages`: a chat request, or a log of them, on the lines of the ledger."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from packhorse.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import RequestCount, RequestCounter

__all__ = [
    "count_bodies",
    "has_warnings",
    "model_in",
    "price_of",
    "print_price",
    "print_request",
    "print_requests",
    "read_bodies",
    "request_document",
    "shape_warnings",
]

MILLION = 1_000_000


def read_bodies(text: str, shown: str, *, is_log: bool) -> list[Any]:
    """The request in a file, or one a line of a JSON Lines file.

    Raises:
        InputError: it is not JSON; carries the line where there are several.
    """
    if not is_log:
        return [_parsed(text, shown)]
    lines = enumerate(text.split("\n"), start=1)
    bodies = [_parsed(line, f"{shown}, line {number},") for number, line in lines if line.strip()]
    if not bodies:
        raise InputError(f"{shown} holds no request", hint="Give one request a line, as JSON")
    return bodies


def _parsed(text: str, shown: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{shown} is not JSON: {_reason(text, error)}",
            hint="Give a list of messages, or a request body as the provider takes it",
        ) from error


def _reason(text: str, error: Exception) -> str:
    """What is wrong with a JSON text, in a person's words."""
    if not text.strip():
        return "it is empty"
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    # Python's own limit on the digits of a number; its advice is for programmers.
    return "a number has too many digits" if "int_max_str_digits" in str(error) else str(error)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two values under one key nobody knows which a provider takes."""
    keys: set[str] = set()
    for key, _ in pairs:
        if key in keys:
            raise ValueError(f"the key {key!r} comes twice in one object")
        keys.add(key)
    return dict(pairs)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def model_in(bodies: Sequence[Any]) -> str | None:
    """The model that the requests name; None when none does.

    Raises:
        InputError: they name several, or something that is no name.
    """
    for body in bodies:
        given = body.get("model") if isinstance(body, dict) else None
        if given is not None and not (isinstance(given, str) and given.strip()):
            raise InputError(
                f"`model` is {given!r}, which is no name of a model",
                hint="Write the name as text, or say with --model which one is counted for",
            )
    named = {
        body["model"]: None
        for body in bodies
        if isinstance(body, dict) and isinstance(body.get("model"), str)
    }
    if len(named) > 1:
        raise InputError(
            f"The requests are for several models: {', '.join(named)}",
            hint="Say with --model which one is counted for",
        )
    # Gemini's own bodies and paths say `models/NAME`.
    return next((name.removeprefix("models/") for name in named), None)


def shape_warnings(bodies: Sequence[Any], spec: ModelSpec) -> tuple[str, ...]:
    """Says so when a request has a shape that the model does not take."""
    has_contents = any(isinstance(body, dict) and "contents" in body for body in bodies)
    if not has_contents or spec.shape == "gemini":
        return ()
    shown = f"The request has Gemini's shape (`contents`), which {spec.name} does not take"
    return (f"{shown}; say with --model which model it is for",)


def request_document(counted: RequestCount, counter: TokenCounter) -> dict[str, Any]:
    """What `--json` says about one request."""
    reservation = counted.reservation
    return {
        "total_tokens": counted.total_tokens,
        "exact": counted.exact,
        **counted.lines,
        **({"calibration": counted.calibration} if counted.is_calibrated else {}),
        "output_reservation": reservation.output,
        "reasoning": reservation.reasoning,
        "left": counted.left,
        "messages": [
            {"role": cost.role, "content": cost.content, "overhead": cost.overhead}
            for cost in counted.messages
        ],
        "estimated": list(_estimated(counted, counter)),
        "warnings": list(counted.warnings),
    }


def count_bodies(
    bodies: Sequence[Any],
    spec: ModelSpec,
    counter: TokenCounter,
    shown: str,
    *,
    is_log: bool,
    by: RequestCounter | None = None,
) -> list[RequestCount]:
    """Each request counted, in order; `by` an endpoint where there is one.

    Raises:
        InputError: one of them cannot be counted; carries its number where there are several.
    """
    from packhorse.tokens.requests.count import count_request

    counts, today = [], datetime.now(UTC).date()
    for number, body in enumerate(bodies, start=1):
        try:
            counts.append(count_request(body, spec, counter, by=by, today=today))
        except InputError as error:
            if not is_log:
                raise
            raise InputError(
                f"{shown}, request {number}: {error.message}", hint=error.hint
            ) from error
    return counts


def print_request(counted: RequestCount, counter: TokenCounter, *, per_message: bool) -> None:
    """One line a ledger line, then the total, the reservation, the window and what is left."""
    from packhorse.types.ledger import FIXED_LINES

    reservation = counted.reservation
    rows = [
        (f"{name}{_corrected(counted, name)}", counted.lines[name])
        for name in FIXED_LINES
        if counted.lines[name]
    ]
    rows.append(("total", counted.total_tokens))
    if reservation.output:
        rows.append((f"output_reservation{_thinking(counted)}", reservation.output))
    rows += [("window", counted.window), ("left", counted.left)]
    _print_rows(rows)
    if per_message:
        click.echo()
        _print_rows(
            [
                (
                    f"{number} {cost.role}: content {cost.content}, framing {cost.overhead}",
                    cost.total,
                )
                for number, cost in enumerate(counted.messages, start=1)
            ]
        )
    estimated = _estimated(counted, counter)
    if estimated:
        click.echo(f"[INFO] Upper estimates: {', '.join(estimated)}", err=True)
    for warning in counted.warnings:
        click.echo(f"[WARN] {warning}", err=True)


def print_requests(counts: Sequence[RequestCount]) -> None:
    """One line a request, and their sum."""
    rows = [(f"request {number}", each.total_tokens) for number, each in enumerate(counts, start=1)]
    _print_rows([*rows, ("total", sum(each.total_tokens for each in counts))])
    for number, each in enumerate(counts, start=1):
        for warning in each.warnings:
            click.echo(f"[WARN] Request {number}: {warning}", err=True)


def has_warnings(counts: Sequence[RequestCount]) -> bool:
    """Whether the caller should know something about any of them."""
    return any(each.warnings for each in counts)


def price_of(
    counts: Sequence[RequestCount], bodies: Sequence[Any], spec: ModelSpec
) -> dict[str, Any]:
    """What the requests cost in US dollars today, by the maker's list: none of it cached.

    A side without a known price is None, as is everything of a request above the size from which
    the list asks more. Output is an upper bound: what the request reserves, or all that the model
    can write where it sets no limit, for each answer that it asks for.

    Raises:
        MissingExtraError: the price list is not installed.
    """
    from packhorse.tokens.models.prices import PriceList

    prices, day = PriceList(), datetime.now(UTC).date()
    price = prices.price(spec, day)
    dearer = None if price is None else price.dearer_above
    is_dearer = dearer is not None and any(each.total_tokens > dearer for each in counts)
    rates = (None, None) if price is None or is_dearer else (price.input, price.output)
    tokens = (
        sum(each.total_tokens for each in counts),
        sum(
            (each.reservation.output or spec.max_output) * _answers(body)
            for each, body in zip(counts, bodies, strict=True)
        ),
    )
    dollars = [
        None if rate is None else round(rate * each / MILLION, 9)
        for rate, each in zip(rates, tokens, strict=True)
    ]
    return {
        "input_usd": dollars[0],
        "output_usd_at_most": dollars[1],
        "source": prices.source,
        "day": day.isoformat(),
    }


def _answers(body: Any) -> int:
    """How many answers a request asks for: `n`, or Gemini's `candidateCount`."""
    fields = body if isinstance(body, dict) else {}
    config = fields.get("generationConfig")
    count = config.get("candidateCount") if isinstance(config, dict) else fields.get("n")
    return count if isinstance(count, int) and count > 1 else 1


def print_price(price: Mapping[str, Any]) -> None:
    """One line on stderr."""
    shown = [
        f"{side} {'not known' if price[name] is None else f'${price[name]:,.6f}'}"
        for side, name in (("input", "input_usd"), ("output at most", "output_usd_at_most"))
    ]
    click.echo(f"[INFO] Price: {', '.join(shown)} ({price['source']}, {price['day']})", err=True)


def _corrected(counted: RequestCount, line: str) -> str:
    if line != "message_overhead" or not counted.is_calibrated:
        return ""
    return f" (of which calibration {counted.calibration:+})"


def _thinking(counted: RequestCount) -> str:
    reasoning = counted.reservation.reasoning
    return f" (up to {reasoning} of it thinking)" if reasoning else ""


def _estimated(counted: RequestCount, counter: TokenCounter) -> tuple[str, ...]:
    """Parts whose figures are upper estimates, the tokenizer among them."""
    exact_tokenizer = counter.exact or counted.exact
    return counted.estimated if exact_tokenizer else ("tokenizer", *counted.estimated)


def _print_rows(rows: Sequence[tuple[str, int]]) -> None:
    width = max((len(str(tokens)) for _, tokens in rows), default=1)
    for name, tokens in rows:
        click.echo(f"{tokens:>{width}}  {name}")

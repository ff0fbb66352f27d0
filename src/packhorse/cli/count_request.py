"""`packhorse count --messages`: a chat request, or a log of them, on the lines of the ledger."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from packhorse.errors import InputError
from packhorse.text.json_fault import json_fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from packhorse.cli.counting import Ways, Who
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.prices import ModelPrice
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.models.table import ModelTable
    from packhorse.tokens.requests.request import RequestCount

__all__ = [
    "MODEL",
    "Counted",
    "count_bodies",
    "has_warnings",
    "model_document",
    "price_of",
    "print_price",
    "print_request",
    "print_requests",
    "read_bodies",
    "request_document",
]

MODEL = "gpt-4o"
"""Counted for where no model is named."""

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A request, what it costs, and for which model."""

    body: Any
    spec: ModelSpec
    who: Who
    count: RequestCount
    is_named: bool
    """Whether somebody named the model: the request or the user."""

    @property
    def is_foreign(self) -> bool:
        """Whether a vocabulary counted that is not known to be the model's, with no margin."""
        counter = self.who.counter
        return not (counter.exact or counter.margin or self.count.exact)

    @property
    def estimated(self) -> tuple[str, ...]:
        """Parts whose figures are upper estimates, the tokenizer among them."""
        counter = self.who.counter
        is_estimate = not (counter.exact or self.count.exact or self.is_foreign)
        return ("tokenizer", *self.count.estimated) if is_estimate else self.count.estimated


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
            f"{shown} is not JSON: {json_fault(error, text)}",
            hint="Give a list of messages, or a request body as the provider takes it",
        ) from error


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


def request_document(request: Counted) -> dict[str, Any]:
    """What `--json` says about one request."""
    counted, reservation = request.count, request.count.reservation
    return {
        **model_document(request.spec, request.who.counter),
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
        "estimated": list(request.estimated),
        "warnings": list(counted.warnings),
    }


def model_document(spec: ModelSpec, counter: TokenCounter) -> dict[str, Any]:
    """What `--json` says about the model that is counted for, and about what counts."""
    return {
        "model": spec.name,
        "window": spec.window,
        "tokenizer": {
            "name": counter.name,
            "library": counter.library,
            "exact": counter.exact,
            "margin": counter.margin,
        },
    }


def count_bodies(
    bodies: Sequence[Any], log: str, table: ModelTable, ways: Ways, model: str | None
) -> list[Counted]:
    """Each request counted, in order: for `model`, else for the one that it names.

    Args:
        bodies: the requests.
        log: name of the log that they are in, for errors; empty for a single request.
        table: where the models are.
        ways: who may count.
        model: the model of all of them; None: each says its own.

    Raises:
        InputError: one of them cannot be counted, or names something that is no model's name.
        UnknownModelError: a model is not in the table.
    """
    from packhorse.tokens.requests.count import count_request
    from packhorse.tokens.requests.turns import model_in

    today = datetime.now(UTC).date()
    asked: dict[str, Who] = {}
    found = []
    for number, body in enumerate(bodies, start=1):
        try:
            named = model_in(body) if model is None else model
            spec = table.spec(MODEL if named is None else named)
            if spec.name not in asked:
                asked[spec.name] = ways.who(spec)
            who = asked[spec.name]
            count = count_request(body, spec, who.counter, by=who.requests, today=today)
        except InputError as error:
            if not log:
                raise
            raise InputError(
                f"{log}, request {number}: {error.message}", hint=error.hint
            ) from error
        found.append(
            Counted(body=body, spec=spec, who=who, count=count, is_named=named is not None)
        )
    return found


def print_request(request: Counted, *, per_message: bool) -> None:
    """One line a ledger line, then the total, the reservation, the window and what is left."""
    from packhorse.types.ledger import FIXED_LINES

    counted, reservation = request.count, request.count.reservation
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
    if request.is_foreign:
        click.echo("[INFO] Not exact: tokenizer", err=True)
    if request.estimated:
        click.echo(f"[INFO] Upper estimates: {', '.join(request.estimated)}", err=True)
    for warning in counted.warnings:
        click.echo(f"[WARN] {warning}", err=True)


def print_requests(requests: Sequence[Counted]) -> None:
    """One line a request with its model, and their sum."""
    rows = [
        (f"request {number} ({each.spec.name})", each.count.total_tokens)
        for number, each in enumerate(requests, start=1)
    ]
    _print_rows([*rows, ("total", sum(each.count.total_tokens for each in requests))])
    for number, each in enumerate(requests, start=1):
        for warning in each.count.warnings:
            click.echo(f"[WARN] Request {number}: {warning}", err=True)


def has_warnings(requests: Sequence[Counted]) -> bool:
    """Whether the caller should know something about any of them."""
    return any(each.count.warnings for each in requests)


def price_of(requests: Sequence[Counted]) -> dict[str, Any]:
    """What the requests cost in US dollars today, by the maker's list: none of it cached.

    A side without a known price is None, as is everything of a request above the size from which
    the list asks more. Output is an upper bound: what the request reserves, or all that the model
    can write where it sets no limit, for each answer that it asks for.

    Raises:
        MissingExtraError: the price list is not installed.
    """
    from packhorse.tokens.models.prices import PriceList

    prices, day = PriceList(), datetime.now(UTC).date()
    by_model = {each.spec.name: prices.price(each.spec, day) for each in requests}
    sides = zip(*(_dollars(each, by_model[each.spec.name]) for each in requests), strict=True)
    dollars = [_sum_of(side) for side in sides]
    return {
        "input_usd": dollars[0],
        "output_usd_at_most": dollars[1],
        "source": prices.source,
        "day": day.isoformat(),
    }


def _dollars(request: Counted, price: ModelPrice | None) -> tuple[float | None, float | None]:
    """Input and output of one request in millionths of a dollar; None where nobody knows."""
    total = request.count.total_tokens
    if price is None or (price.dearer_above is not None and total > price.dearer_above):
        return None, None
    output = request.count.reservation.output or request.spec.max_output
    tokens = total, output * _answers(request.body)
    read, written = (
        None if rate is None else rate * each
        for rate, each in zip((price.input, price.output), tokens, strict=True)
    )
    return read, written


def _sum_of(millionths: Iterable[float | None]) -> float | None:
    """Dollars of all requests together; None when one of them is not known."""
    known = []
    for each in millionths:
        if each is None:
            return None
        known.append(each)
    return round(math.fsum(known) / MILLION, 9)


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


def _print_rows(rows: Sequence[tuple[str, int]]) -> None:
    width = max((len(str(tokens)) for _, tokens in rows), default=1)
    for name, tokens in rows:
        click.echo(f"{tokens:>{width}}  {name}")

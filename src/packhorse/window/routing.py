"""Chooses the cheapest model of a list that a question fits, and shows every sum behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError, MissingExtraError, NoModelFitsError
from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.count import count_request
from packhorse.window.allocation import allocation_for

if TYPE_CHECKING:
    from datetime import date

    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.models.table import ModelTable
    from packhorse.tokens.requests.request import RequestCount
    from packhorse.window.complexity import Complexity
    from packhorse.window.route_list import Listed, RouteList

__all__ = ["Asked", "Miss", "Route", "Weighed", "route_among"]

MILLION = 1_000_000
NO_PRICE_LIST = "no_price_list"
"""Code of a miss: the price list is not installed."""
PLACES = 9
"""Of dollars: prices are compared as they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a model is wanted for."""

    body: Any
    """The whole request, the question its last message."""
    complexity: Complexity
    evidence_tokens: int = 0
    """Evidence that will be added to it; the same figure for every model."""
    output_tokens: int | None = None
    """Kept free for the answer; None: the request's own limit, else what the complexity gives."""
    quality: str | None = None
    """Tier that is needed; None: by the complexity."""
    max_usd: float | None = None
    """What the request may cost; None: no limit."""
    day: date
    """Whose prices and retirements count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """One condition that a model does not meet."""

    code: str
    said: str
    remedy: str
    """What would change it."""
    by: float
    """How far it is off, as a share of what is there; 1 where there is no measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """One model of the list: its sums, and why it is not the choice."""

    model: str
    tier: str
    window: int
    input_tokens: int | None = None
    """The request and the evidence, by the model's own tokenizer; None: nothing can count it."""
    exact: bool = False
    """Whether that is exact but for the evidence, else an upper estimate."""
    output_tokens: int = 0
    input_price: float | None = None
    """US dollars for a million tokens."""
    output_price: float | None = None
    price_source: str = ""
    usd: float | None = None
    """Input, and all of the output that is reserved; cached input is not considered."""
    misses: tuple[Miss, ...] = ()
    why_not: tuple[str, ...] = ()
    """Why it was not chosen; empty for the choice."""

    @property
    def fits(self) -> bool:
        """Whether it meets every condition."""
        return not self.misses

    @property
    def needs(self) -> int:
        """Tokens of the window that the request and its answer take."""
        return (self.input_tokens or 0) + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The choice, and everything that was compared."""

    model: str
    needed_tier: str
    complexity: Complexity
    evidence_tokens: int
    day: str
    """ISO date of the prices."""
    chosen: Weighed
    others: tuple[Weighed, ...]
    """Those that fit first, cheapest first; then the others. Ties by name."""
    is_priced: bool = True
    """False: no price is known, and the choice is the lowest tier that fits, the first of it."""


def route_among(listed: RouteList, asked: Asked, table: ModelTable) -> Route:
    """The cheapest model that meets every condition; ties by name.

    Where no price is known because the price list is not installed, and no limit was set on the
    price, it is the first row of the lowest tier that is good enough.

    Raises:
        UnknownModelError: the list names a model that the table does not hold.
        UnknownStrategyError: `quality` is no tier of the list.
        NoModelFitsError: none meets every condition; names the nearest and what would help.
    """
    needed = (
        listed.needed(asked.complexity.score)
        if asked.quality is None
        else listed.check_tier(asked.quality)
    )
    prices = _Prices(asked.day)
    weighed = [
        _weigh(row, table.spec(row.name), asked, prices, _tier_misses(row, listed, needed))
        for row in listed.models
    ]
    fitting = sorted((each for each in weighed if each.fits), key=_by_price)
    is_priced = bool(fitting)
    if not is_priced and asked.max_usd is None:
        fitting = _but_for_prices(weighed, listed)
    if not fitting:
        raise _none_fits(weighed, listed)
    chosen, *dearer = fitting
    others = [_not_chosen(each, chosen) for each in dearer]
    taken = {each.model for each in fitting}
    others += sorted((each for each in weighed if each.model not in taken), key=_by_price)
    return Route(
        model=chosen.model,
        needed_tier=needed,
        complexity=asked.complexity,
        evidence_tokens=asked.evidence_tokens,
        day=asked.day.isoformat(),
        chosen=chosen,
        others=tuple(others),
        is_priced=is_priced,
    )


def _but_for_prices(weighed: Sequence[Weighed], listed: RouteList) -> list[Weighed]:
    """Models that only the missing price list keeps out: lowest tier first, then as listed."""
    able = [
        replace(each, misses=(), why_not=())
        for each in weighed
        if {miss.code for miss in each.misses} == {NO_PRICE_LIST}
    ]
    return sorted(able, key=lambda each: listed.tiers[each.tier])


def _by_price(weighed: Weighed) -> tuple[float, str]:
    return math.inf if weighed.usd is None else weighed.usd, weighed.model


class _Prices:
    """Prices of a list's rows: the caller's own, else those of the installed price list."""

    def __init__(self, day: date) -> None:
        self._day = day
        self._list: Any = None
        self._missing = ""

    @property
    def is_missing(self) -> bool:
        """Whether it was wanted and is not installed."""
        return bool(self._missing)

    def of(
        self, row: Listed, spec: ModelSpec, tokens: int
    ) -> tuple[float | None, float | None, str]:
        """Dollars a million tokens in and out, and the source; or why they are not known."""
        if row.price is not None:
            return *row.price, "your list"
        if self._list is None and not self._missing:
            from packhorse.tokens.models.prices import PriceList

            try:
                self._list = PriceList()
            except MissingExtraError as missing:
                self._missing = f"price not known. {missing.hint}"
        if self._missing:
            return None, None, self._missing
        price = self._list.price(spec, self._day)
        if price is None or price.input is None or price.output is None:
            return None, None, f"price not known to {self._list.source}"
        if price.dearer_above is not None and tokens > price.dearer_above:
            return None, None, f"price above {price.dearer_above:,} tokens of input not known"
        by_hour = ", at midnight UTC" if price.varies_by_hour else ""
        return price.input, price.output, f"{self._list.source}{by_hour}"


def _weigh(
    row: Listed, spec: ModelSpec, asked: Asked, prices: _Prices, tier: Sequence[Miss]
) -> Weighed:
    """The sums of one model, and what it misses besides the `tier`."""
    misses = [*tier, *_retired(spec, asked.day)]
    try:
        counted = count_request(asked.body, spec, counter_of(spec), today=asked.day)
    except (InputError, MissingExtraError) as error:
        miss = Miss(code="count", said=error.message, remedy=error.hint, by=1.0)
        return _refused(row, spec, (*misses, miss))
    tokens = counted.total_tokens + asked.evidence_tokens
    output = asked.output_tokens
    if output is None:
        output = counted.reservation.output or allocation_for(asked.complexity).output_tokens
    misses += _limit_misses(spec, counted, tokens, output)
    read, written, source = prices.of(row, spec, tokens)
    usd = None
    if read is None or written is None:
        remedy = f"Give {row.name} a `price` in the list"
        code = NO_PRICE_LIST if prices.is_missing else "price"
        misses.append(Miss(code=code, said=source, remedy=remedy, by=1.0))
    else:
        usd = round((tokens * read + output * written) / MILLION, PLACES)
        misses += _over_price(usd, asked.max_usd)
    return Weighed(
        model=row.name,
        tier=row.tier,
        window=counted.window,
        input_tokens=tokens,
        exact=counted.exact,
        output_tokens=output,
        input_price=read,
        output_price=written,
        price_source=source if usd is not None else "",
        usd=usd,
        misses=tuple(misses),
        why_not=tuple(miss.said for miss in misses),
    )


def _refused(row: Listed, spec: ModelSpec, misses: Sequence[Miss]) -> Weighed:
    """A model that nothing can count for."""
    return Weighed(
        model=row.name,
        tier=row.tier,
        window=spec.window,
        misses=tuple(misses),
        why_not=tuple(miss.said for miss in misses),
    )


def _tier_misses(row: Listed, listed: RouteList, needed: str) -> list[Miss]:
    has, wants = listed.tiers[row.tier], listed.tiers[needed]
    if has >= wants:
        return []
    steps = sum(has < start <= wants for start in listed.tiers.values())
    return [
        Miss(
            code="tier",
            said=f"tier {row.tier} < needed {needed}",
            remedy=f"Accept tier {row.tier} with --quality {row.tier}",
            by=float(steps),
        )
    ]


def _retired(spec: ModelSpec, day: date) -> list[Miss]:
    if spec.retired is None or spec.retired > day.isoformat():
        return []
    said = f"retired on {spec.retired} by its provider"
    return [Miss(code="retired", said=said, remedy="List another model", by=1.0)]


def _limit_misses(spec: ModelSpec, counted: RequestCount, tokens: int, output: int) -> list[Miss]:
    """Limits in tokens that the request is over."""
    limits: Mapping[str, tuple[str, int | None, int, str]] = {
        "window": ("window", counted.window, tokens + output, "of input or of the answer"),
        "input": ("input limit", spec.max_input, tokens, "of input"),
        "output": ("output limit", spec.max_output, output, "of the answer"),
    }
    return [
        Miss(
            code=code,
            said=f"{name} {limit:,} < {wanted:,}",
            remedy=f"Take away {wanted - limit:,} tokens {side}",
            by=round(wanted / limit - 1, PLACES),
        )
        for code, (name, limit, wanted, side) in limits.items()
        if limit is not None and wanted > limit
    ]


def _over_price(usd: float, most: float | None) -> list[Miss]:
    if most is None or usd <= most:
        return []
    return [
        Miss(
            code="usd",
            said=f"price ${usd:,.6f} > at most ${most:,.6f}",
            remedy=f"Allow ${math.ceil(usd * MILLION) / MILLION:.6f} with --max-usd",
            by=round(usd / most - 1, PLACES) if most else 1.0,
        )
    ]


def _not_chosen(weighed: Weighed, chosen: Weighed) -> Weighed:
    """A model that fits, with what it costs more than the choice."""
    if weighed.usd is None:
        said = "a higher tier" if weighed.tier != chosen.tier else "later in the list"
        return replace(weighed, why_not=(f"{said}; price not known",))
    more = round(weighed.usd - (chosen.usd or 0.0), PLACES)
    said = f"${more:,.6f} dearer" if more else f"as dear as {chosen.model}, later by name"
    return replace(weighed, why_not=(said,))


def _none_fits(weighed: Sequence[Weighed], listed: RouteList) -> NoModelFitsError:
    """The error that says which model was nearest: fewest misses, then the smallest; by name."""
    nearest = min(
        weighed,
        key=lambda each: (len(each.misses), sum(miss.by for miss in each.misses), each.model),
    )
    said = "; ".join(nearest.why_not)
    return NoModelFitsError(
        f"No model of {listed.name} fits; the nearest is {nearest.model}: {said}",
        why_not={each.model: each.why_not for each in weighed},
        hint="; and ".join(miss.remedy for miss in nearest.misses),
    )

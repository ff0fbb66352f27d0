"""What a model costs in money, from the data inside `genai-prices`; never part of a decision."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any

from packhorse.errors import MissingExtraError

if TYPE_CHECKING:
    from datetime import date

    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["ModelPrice", "PriceList"]

PACKAGE = "genai-prices"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrice:
    """US dollars for a million tokens, by the list of the model's maker."""

    input: float | None
    cached_input: float | None
    """Input that the provider still holds from an earlier request."""
    output: float | None
    dearer_above: int | None
    """Tokens of input above which the whole request is charged at a higher rate."""
    varies_by_hour: bool
    """Whether the maker charges by the time of day; the figures are those at midnight UTC."""


class PriceList:
    """The prices that the installed package carries. Nothing is fetched."""

    def __init__(self) -> None:
        """Loads the list, which takes a quarter of a second.

        Raises:
            MissingExtraError: `genai-prices` is not installed.
        """
        try:
            import genai_prices
            import genai_prices.data_snapshot as snapshot
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] != "genai_prices":
                raise
            raise MissingExtraError(PACKAGE, "prices", "Showing prices") from None
        self.source = f"{PACKAGE} {genai_prices.__version__}"
        """Name and version of what the prices come from; the list itself carries no date."""
        self._snapshot = snapshot.get_snapshot()

    def price(self, spec: ModelSpec, day: date) -> ModelPrice | None:
        """What the model's maker charges on a day; None when the list does not know the model."""
        try:
            _, model = self._snapshot.find_provider_model(spec.name, None, spec.provider, None)
        except LookupError:
            return None
        prices = model.get_prices(datetime.combine(day, time(tzinfo=UTC)))
        given = {
            field: getattr(prices, f"{field}_mtok", None)
            for field in ("input", "cache_read", "output")
        }
        return ModelPrice(
            input=_base(given["input"]),
            cached_input=_base(given["cache_read"]),
            output=_base(given["output"]),
            dearer_above=min(
                (tier.start for price in given.values() for tier in _tiers(price)), default=None
            ),
            varies_by_hour=_varies_by_hour(model.prices),
        )


def _base(price: Any) -> float | None:
    return None if price is None else float(getattr(price, "base", price))


def _tiers(price: Any) -> list[Any]:
    return list(getattr(price, "tiers", ()))


def _varies_by_hour(prices: Any) -> bool:
    return isinstance(prices, list) and any(
        hasattr(entry.constraint, "start_time") for entry in prices
    )

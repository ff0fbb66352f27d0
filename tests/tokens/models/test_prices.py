"""Prices are the ones of the installed list, and their absence is said."""

import sys
from datetime import date
from importlib.metadata import version

import pytest
from genai_prices import Usage, calc_price

from packhorse.errors import MissingExtraError
from packhorse.tokens.models.prices import PriceList
from packhorse.tokens.models.table import built_in_models, model_spec

DAY = date(2026, 11, 30)
MILLION = 1_000_000


@pytest.fixture(scope="module")
def prices() -> PriceList:
    """The list that the package carries."""
    return PriceList()


def test_the_list_says_what_it_is(prices: PriceList) -> None:
    assert prices.source == f"genai-prices {version('genai-prices')}"


@pytest.mark.parametrize(
    "name", ["gpt-4o", "gpt-4.1-mini", "claude-opus-4-5", "mistral-large-2512"]
)
def test_prices_are_those_that_the_package_itself_charges(prices: PriceList, name: str) -> None:
    spec = model_spec(name)
    price = prices.price(spec, DAY)
    charged = calc_price(
        Usage(input_tokens=1_000, output_tokens=1_000), spec.name, provider_id=spec.provider
    )
    assert price is not None
    assert price.input is not None
    assert price.input == pytest.approx(float(charged.input_price) * MILLION / 1_000)
    assert price.output == pytest.approx(float(charged.output_price) * MILLION / 1_000)
    assert price.cached_input is None or price.cached_input < price.input


def test_a_model_that_the_list_does_not_know_has_no_price(prices: PriceList) -> None:
    assert prices.price(model_spec("llama-4-scout"), DAY) is None
    assert prices.price(model_spec("qwen3-8b"), DAY) is None


def test_a_price_is_that_of_its_day(prices: PriceList) -> None:
    before = prices.price(model_spec("deepseek-v4-pro"), date(2026, 8, 16))
    after = prices.price(model_spec("deepseek-v4-pro"), date(2026, 8, 18))
    assert before is not None
    assert after is not None
    assert before.input != after.input


def test_dearer_long_requests_and_hours_of_the_day_are_said(prices: PriceList) -> None:
    long = prices.price(model_spec("gpt-5.5"), DAY)
    hourly = prices.price(model_spec("deepseek-v4-pro"), DAY)
    flat = prices.price(model_spec("gpt-4o"), DAY)
    assert long is not None
    assert hourly is not None
    assert flat is not None
    assert (long.dearer_above, long.varies_by_hour) == (272_000, False)
    assert (hourly.dearer_above, hourly.varies_by_hour) == (None, True)
    assert (flat.dearer_above, flat.varies_by_hour) == (None, False)


def test_no_price_of_the_table_is_below_zero(prices: PriceList) -> None:
    known = [price for spec in built_in_models() if (price := prices.price(spec, DAY))]
    assert len(known) > 50
    assert all(amount >= 0 for price in known for amount in (price.input or 0, price.output or 0))


def test_a_missing_package_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    with pytest.raises(MissingExtraError) as caught:
        PriceList()
    assert "packhorse[prices]" in caught.value.hint


def test_a_package_that_lacks_something_of_its_own_is_not_called_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> object:
        raise ModuleNotFoundError(name="somebody_else")

    monkeypatch.setattr("builtins.__import__", broken)
    with pytest.raises(ModuleNotFoundError) as caught:
        PriceList()
    assert caught.value.name == "somebody_else"

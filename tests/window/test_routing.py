"""The cheapest model that fits, against trying every one of them."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import packhorse
from packhorse.errors import (
    ConfigError,
    InputError,
    NoModelFitsError,
    UnknownKeyError,
    UnknownModelError,
    UnknownStrategyError,
)
from packhorse.tokens.models.table import model_spec
from packhorse.window.asked_body import with_question
from packhorse.window.route_list import BUILT_IN_LIST, read_route_list
from packhorse.window.routing import Route

DAY = "2026-01-15"
MODELS = ("gpt-4o", "gpt-4o-mini", "gpt-4", "gpt-4.1", "gpt-3.5-turbo")
TIERS = ("basic", "standard", "strong")
SIMPLE = "who wrote hamlet"
COMPLEX = "Who is older, the director of Jaws or the director of Alien?"


def row(name: str, tier: str = "basic", read: float = 1.0, written: float = 2.0) -> dict[str, Any]:
    return {"name": name, "tier": tier, "price": {"input": read, "output": written}}


@st.composite
def lists(draw: st.DrawFn) -> list[dict[str, Any]]:
    names = draw(st.lists(st.sampled_from(MODELS), min_size=1, unique=True))
    prices = st.sampled_from((0.0, 0.1, 0.5, 2.5, 10.0))
    return [row(name, draw(st.sampled_from(TIERS)), draw(prices), draw(prices)) for name in names]


def brute_force(
    rows: list[dict[str, Any]], query: str, evidence: int, output: int, quality: str
) -> str | None:
    """Every model tried by hand."""
    best: tuple[float, str] | None = None
    for each in rows:
        spec = model_spec(each["name"])
        asked = [{"role": "user", "content": query}]
        tokens = packhorse.count_request(asked, each["name"]).total_tokens + evidence
        retired = spec.retired is not None and spec.retired <= DAY
        if TIERS.index(each["tier"]) < TIERS.index(quality) or retired:
            continue
        if tokens + output > spec.window or output > spec.max_output:
            continue
        if spec.max_input is not None and tokens > spec.max_input:
            continue
        price = each["price"]
        usd = round((tokens * price["input"] + output * price["output"]) / 1_000_000, 9)
        if best is None or (usd, each["name"]) < best:
            best = (usd, each["name"])
    return None if best is None else best[1]


def routed(rows: list[dict[str, Any]], query: str = SIMPLE, **given: Any) -> Route:
    return packhorse.route(query, rows, as_of=DAY, **given)


def usd(rows: list[dict[str, Any]], **given: Any) -> float | None:
    """What the choice costs; None where nothing fits."""
    try:
        return routed(rows, **given).chosen.usd
    except NoModelFitsError:
        return None


SIZES = st.sampled_from((0, 100, 6000, 9000, 14_000, 127_000, 2_000_000))
OUTPUTS = st.sampled_from((1, 500, 2000, 5000, 20_000))


@given(lists(), SIZES, OUTPUTS, st.sampled_from(TIERS))
def test_the_choice_is_the_one_that_trying_all_gives(
    rows: list[dict[str, Any]], evidence: int, output: int, quality: str
) -> None:
    asked: dict[str, Any] = {
        "evidence_tokens": evidence,
        "output_tokens": output,
        "quality": quality,
    }
    expected = brute_force(rows, SIMPLE, evidence, output, quality)
    if expected is None:
        with pytest.raises(NoModelFitsError) as caught:
            routed(rows, **asked)
        assert list(caught.value.why_not) == [each["name"] for each in rows]
        assert all(caught.value.why_not.values())
        assert caught.value.hint
        return
    found = routed(rows, **asked)
    assert found.model == found.chosen.model == expected
    assert found.chosen.why_not == ()
    assert all(other.why_not for other in found.others)
    assert sorted([found.model, *(other.model for other in found.others)]) == sorted(
        each["name"] for each in rows
    )


@settings(max_examples=40)  # seven routes an example
@given(lists(), SIZES, OUTPUTS, st.sampled_from(TIERS[1:]), st.permutations(range(5)))
def test_asking_for_less_never_costs_more_and_the_order_of_the_list_is_nothing(
    rows: list[dict[str, Any]], evidence: int, output: int, quality: str, order: list[int]
) -> None:
    asked: dict[str, Any] = {"evidence_tokens": evidence, "output_tokens": output}
    full = usd(rows, quality=quality, **asked)
    easier = (
        usd(rows, quality="basic", **asked),
        usd(rows, quality=quality, output_tokens=1, evidence_tokens=evidence),
        usd(rows, quality=quality, output_tokens=output),
        usd([*rows, row("o3", "strong")], quality=quality, **asked),
        usd([rows[at] for at in order if at < len(rows)], quality=quality, **asked),
    )
    if full is not None:
        assert all(each is not None and each <= full for each in easier)
        assert usd(rows, quality=quality, max_usd=full, **asked) == full


def test_the_sum_is_the_tokens_times_their_prices() -> None:
    chosen = routed([row("gpt-4o", read=2.5, written=10)], evidence_tokens=1000).chosen
    assert (chosen.input_tokens, chosen.output_tokens) == (1011, 500)
    assert chosen.usd == (1011 * 2.5 + 500 * 10) / 1_000_000
    assert chosen.needs == 1511


def test_a_tie_goes_to_the_first_name() -> None:
    found = routed([row("gpt-4o-mini"), row("gpt-4o")])
    assert found.model == "gpt-4o"
    assert found.others[0].why_not == ("as dear as gpt-4o, later by name",)


def test_the_tier_follows_from_the_complexity_unless_it_is_said() -> None:
    rows = [row("gpt-4o-mini", "basic", 0.1), row("gpt-4o", "strong", 2.5)]
    assert routed(rows, SIMPLE).model == "gpt-4o-mini"
    hard = routed(rows, COMPLEX)
    assert (hard.model, hard.needed_tier) == ("gpt-4o", "strong")
    assert hard.others[0].why_not == ("tier basic < needed strong",)
    assert routed(rows, COMPLEX, quality="basic").model == "gpt-4o-mini"


def test_tiers_of_the_callers_own_take_over() -> None:
    listed = {
        "tiers": {"small": 0, "large": 0.99999},
        "models": [row("gpt-4o-mini", "small", 0.1), row("gpt-4o", "large")],
    }
    assert packhorse.route(COMPLEX, listed, as_of=DAY).needed_tier == "small"
    listed["tiers"] = {"small": 0, "large": 0.01}
    assert packhorse.route(COMPLEX, listed, as_of=DAY).model == "gpt-4o"


@pytest.mark.parametrize(
    ("asked", "said", "remedy"),
    [
        ({"evidence_tokens": 9000}, "window 8,192 < 9,511", "Take away 1,319 tokens"),
        ({"output_tokens": 9000}, "output limit 8,192 < 9,000", "808 tokens of the answer"),
        ({"quality": "strong"}, "tier basic < needed strong", "--quality basic"),
        ({"max_usd": 0.0}, "price $0.001011 > at most $0.000000", "Allow $0.001011"),
        ({"as_of": "2040-01-01"}, "retired on 2026-10-23 by its provider", "List another"),
    ],
)
def test_where_none_fits_the_error_says_what_the_nearest_lacks(
    asked: dict[str, Any], said: str, remedy: str
) -> None:
    with pytest.raises(NoModelFitsError) as caught:
        packhorse.route(SIMPLE, [row("gpt-4")], **{"as_of": DAY, **asked})
    assert said in caught.value.message
    assert remedy in caught.value.hint


def test_the_price_that_the_hint_says_is_enough() -> None:
    rows = [row("gpt-4", read=0.1234567)]
    with pytest.raises(NoModelFitsError) as caught:
        routed(rows, max_usd=0.0)
    allowed = caught.value.hint.split("$")[1].split()[0]
    assert routed(rows, max_usd=float(allowed)).model == "gpt-4"


def test_the_nearest_lacks_the_fewest_things_then_the_least() -> None:
    rows = [row("gpt-4"), row("gpt-4o"), row("gpt-4o-mini", "strong")]
    with pytest.raises(NoModelFitsError, match="the nearest is gpt-4o-mini"):
        routed(rows, evidence_tokens=130_000, quality="strong")
    with pytest.raises(NoModelFitsError, match="the nearest is gpt-4o: window"):
        routed(rows[:2], evidence_tokens=130_000)


def test_prices_come_from_the_price_list_and_a_model_without_one_is_not_chosen() -> None:
    rows = [{"name": "gpt-4o", "tier": "basic"}, {"name": "qwen3-8b", "tier": "basic"}]
    found = routed(rows)
    assert (found.chosen.input_price, found.chosen.output_price) == (2.5, 10.0)
    assert found.others[0].why_not == (f"price not known to {found.chosen.price_source}",)


def test_without_the_price_list_the_callers_own_prices_still_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "genai_prices", None)
    found = routed([row("gpt-4o"), {"name": "gpt-4o-mini", "tier": "basic"}])
    assert found.model == "gpt-4o"
    assert "pip install 'packhorse[prices]'" in found.others[0].why_not[0]


def test_without_any_price_the_first_of_the_lowest_tier_that_fits_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "genai_prices", None)
    rows = [
        {"name": "gpt-4", "tier": "strong"},
        {"name": "gpt-4.1", "tier": "standard"},
        {"name": "gpt-4o", "tier": "standard"},
        {"name": "gpt-4o-mini", "tier": "basic"},
    ]
    found = routed(rows, quality="standard")
    assert (found.model, found.is_priced, found.chosen.usd) == ("gpt-4.1", False, None)
    assert {each.model: each.why_not[0] for each in found.others} == {
        "gpt-4o": "later in the list; price not known",
        "gpt-4": "a higher tier; price not known",
        "gpt-4o-mini": "tier basic < needed standard",
    }
    with pytest.raises(NoModelFitsError, match="price not known"):
        routed(rows, max_usd=1.0)


def test_input_above_the_size_from_which_a_list_asks_more_has_no_known_price() -> None:
    with pytest.raises(NoModelFitsError, match="price above 272,000 tokens of input not known"):
        routed([{"name": "gpt-5.5", "tier": "basic"}], evidence_tokens=300_000)


def test_what_a_model_cannot_count_excludes_it_with_the_reason() -> None:
    audio = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
    body = [{"role": "user", "content": [audio]}]
    with pytest.raises(NoModelFitsError, match="no counting rule"):
        routed([row("gpt-4o")], messages=body)


def test_a_request_keeps_its_own_output_limit_and_the_call_wins_over_it() -> None:
    body = {"messages": [{"role": "system", "content": "Be terse."}], "max_tokens": 77}
    assert routed([row("gpt-4o")], messages=body).chosen.output_tokens == 77
    assert routed([row("gpt-4o")], messages=body, output_tokens=5).chosen.output_tokens == 5


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}], None),
        ({"messages": [{"role": "user", "content": "Hi"}]}, "messages"),
        ({"input": [{"role": "user", "content": "Hi"}]}, "input"),
        ({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}, "contents"),
    ],
)
def test_the_question_is_the_last_message_of_every_shape_and_only_once(
    body: Any, field: str | None
) -> None:
    asked = with_question(body, SIMPLE)
    entries = asked if field is None else asked[field]
    before = body if field is None else body[field]
    assert entries[:-1] == before
    assert with_question(asked, SIMPLE) == asked
    alone = packhorse.count_request(body, "gpt-4o").total_tokens
    assert packhorse.count_request(asked, "gpt-4o").total_tokens > alone


def test_an_input_that_is_one_text_becomes_the_message_before() -> None:
    asked = with_question({"input": "Hi"}, SIMPLE)["input"]
    assert [entry["content"] for entry in asked] == ["Hi", SIMPLE]
    assert with_question({"input": SIMPLE}, SIMPLE)["input"] == asked[1:]


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({}, ConfigError, "lists no models"),
        ([], ConfigError, "lists no models"),
        ([{"tier": "basic"}], ConfigError, "has no name"),
        ([{"name": "gpt-4o"}], ConfigError, "has no tier"),
        ([{"name": "gpt-4o", "tier": "best"}], ConfigError, "has the tier 'best'"),
        ([row("gpt-4o"), row("gpt-4o")], ConfigError, "lists 'gpt-4o' twice"),
        ([{**row("gpt-4o"), "window": 1}], UnknownKeyError, "window"),
        ([row("gpt-4o", read=-1)], ConfigError, "price.input is -1"),
        ([row("gpt-4o", read=float("nan"))], ConfigError, "price.input is nan"),
        ([{**row("gpt-4o"), "price": 3}], ConfigError, "price is no mapping"),
        ([{**row("gpt-4o"), "price": {"input": 1}}], ConfigError, "price.output is None"),
        (["gpt-4o"], ConfigError, "is no mapping"),
        ({"models": [row("gpt-4o")], "tiers": {}}, ConfigError, "tiers is no mapping"),
        ({"models": [row("gpt-4o")], "tiers": {"basic": 0.1}}, ConfigError, "simplest"),
        ({"models": [row("gpt-4o")], "tiers": {"basic": 2}}, ConfigError, "tiers.basic is 2"),
        ({"models": [row("gpt-4o")], "tiers": {"basic": 0, "b": 0}}, ConfigError, "same"),
        ([row("gpt-nothing")], UnknownModelError, "gpt-nothing"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_with_its_place(
    given: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        packhorse.route(SIMPLE, given, as_of=DAY)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"query": " "}, InputError),
        ({"query": 3}, InputError),
        ({"evidence_tokens": -1}, InputError),
        ({"output_tokens": 0}, InputError),
        ({"output_tokens": True}, InputError),
        ({"max_usd": float("nan")}, InputError),
        ({"as_of": "soon"}, InputError),
        ({"quality": "best"}, UnknownStrategyError),
    ],
)
def test_arguments_that_cannot_be_used_are_refused(
    asked: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        packhorse.route(**{"query": SIMPLE, "among": [row("gpt-4o")], "as_of": DAY, **asked})


def test_the_built_in_list_is_known_priced_and_in_order() -> None:
    assert read_route_list(None) is BUILT_IN_LIST
    found = packhorse.route(SIMPLE, as_of=date(2026, 11, 30))
    every = [found.chosen, *found.others]
    assert [each.tier for each in every] == ["basic", "standard", "strong"]
    assert all(each.exact and each.usd for each in every)

"""What a request keeps free: its output limit, and thinking inside it, never beside it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import InputError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.requests.request import Reservation
from packhorse.tokens.requests.reservation import fit_warnings, read_reservation
from tests.tokens.requests.bodies import count

USER = [{"role": "user", "content": "Hi"}]


def reserved(model: str = "gpt-4o", **fields: Any) -> Reservation:
    return read_reservation({"messages": USER, **fields}, model_spec(model))


@pytest.mark.parametrize(
    "fields",
    [
        {"max_tokens": 700},
        {"max_completion_tokens": 700},
        {"max_output_tokens": 700},
        {"max_tokens": 300, "max_completion_tokens": 700},
        {"n_predict": 700},
        {"options": {"num_predict": 700}},
        {"contents": "x", "generationConfig": {"maxOutputTokens": 700}},
        {"contents": "x", "config": {"max_output_tokens": 700}},
    ],
)
def test_every_name_of_the_output_limit_is_read(fields: Any) -> None:
    assert reserved(**fields) == Reservation(output=700)


@pytest.mark.parametrize(
    "fields", [{}, {"max_tokens": None}, {"options": {"num_predict": -1}}, {"n_predict": -2}]
)
def test_without_a_limit_nothing_is_reserved(fields: Any) -> None:
    assert reserved(**fields) == Reservation()


@pytest.mark.parametrize(
    "value",
    [0, -5, "12", 1.5, True, [], float("nan"), 10**5_000],
    ids=["zero", "negative", "text", "fraction", "truth", "list", "nan", "huge"],
)
def test_a_limit_that_is_no_whole_number_above_zero_is_refused_by_name(value: Any) -> None:
    for name in ("max_tokens", "max_output_tokens"):
        with pytest.raises(InputError, match=f"^{name} is not"):
            reserved(**{name: value})


@pytest.mark.parametrize(
    "fields",
    [
        {"thinking": {"type": "enabled", "budget_tokens": 400}},
        {"reasoning": {"max_tokens": 400}},
        {"thinking_budget": 400},
        {"contents": "x", "generationConfig": {"thinkingConfig": {"thinkingBudget": 400}}},
        {"contents": "x", "config": {"thinking_config": {"thinking_budget": 400}}},
    ],
)
def test_a_thinking_budget_is_inside_the_limit(fields: Any) -> None:
    assert reserved(max_tokens=1_000, **fields) == Reservation(output=1_000, reasoning=400)
    assert reserved(**fields) == Reservation(output=400, reasoning=400)


@pytest.mark.parametrize("budget", [4_000, 8_000])
def test_a_thinking_budget_that_is_not_below_the_limit_is_refused_with_both(budget: int) -> None:
    thinking = {"type": "enabled", "budget_tokens": budget}
    with pytest.raises(InputError, match=rf"budget_tokens is {budget}.*max_tokens, which is 4000"):
        reserved(max_tokens=4_000, thinking=thinking)
    with_tools = reserved(max_tokens=4_000, thinking=thinking, tools=[{"name": "f"}])
    assert with_tools == Reservation(output=4_000, reasoning=4_000)


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_effort": "low"},
        {"reasoning": {"effort": "high"}},
        {"thinking": {"type": "adaptive"}},
        {"thinking": {"type": "enabled"}},
        {"think": True},
        {"think": "high"},
        {"enable_thinking": True},
        {"contents": "x", "generationConfig": {"thinkingConfig": {"thinkingBudget": -1}}},
        {"contents": "x", "generationConfig": {"thinkingConfig": {"thinkingLevel": "high"}}},
    ],
)
def test_an_effort_may_take_the_whole_reservation(fields: Any) -> None:
    assert reserved(max_tokens=1_000, **fields) == Reservation(output=1_000, reasoning=1_000)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"reasoning_effort": "none"},
        {"thinking": {"type": "disabled", "budget_tokens": 400}},
        {"think": False},
        {"contents": "x", "generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}},
    ],
)
def test_thinking_that_is_switched_off_takes_nothing(fields: Any) -> None:
    assert reserved(max_tokens=1_000, **fields) == Reservation(output=1_000)


def test_a_model_that_always_thinks_does() -> None:
    assert reserved("o3", max_tokens=1_000).reasoning == 1_000
    assert reserved("gpt-4o", max_tokens=1_000).reasoning == 0


@given(limit=st.integers(1, 200_000), budget=st.integers(0, 200_000))
def test_thinking_never_adds_to_the_reservation(limit: int, budget: int) -> None:
    fields: Any = {"thinking": {"budget_tokens": budget}, "tools": [{"name": "f"}]}
    found = reserved(max_tokens=limit, **fields)
    assert found.output == limit
    assert found.reasoning == min(budget, limit)


def fits(total: int, output: int, **limits: Any) -> tuple[str, ...]:
    spec = replace(model_spec("gpt-4o"), **limits)
    counted = count(USER)
    lines = {**counted.lines, "history": total - counted.total_tokens}
    reservation = Reservation(output=output)
    whole = replace(counted, lines=lines, reservation=reservation, window=spec.window)
    found = fit_warnings(replace(whole, max_input=spec.max_input), spec)
    assert (replace(whole, max_input=spec.max_input).left < 0) == any("fit" in one for one in found)
    return found


def test_a_request_that_fits_to_the_token_is_no_warning() -> None:
    assert fits(900, 100, window=1_000) == ()


def test_one_token_over_the_window_is_said_with_the_largest_part() -> None:
    (warning,) = fits(901, 100, window=1_000)
    assert warning == (
        "The request does not fit gpt-4o: 901 tokens of input + 100 reserved for the answer are 1"
        " over the window of 1000; the largest part is history (893)"
    )


def test_the_input_limit_is_one_of_its_own() -> None:
    assert fits(800, 100, window=1_000, max_input=800) == ()
    (warning,) = fits(801, 100, window=1_000, max_input=800)
    assert "801 tokens of input are 1 over its input limit of 800" in warning


def test_more_than_the_model_can_write_is_said() -> None:
    (warning,) = fits(100, 600, window=1_000, max_output=500)
    assert warning == (
        "The request reserves 600 tokens for the answer, 100 more than the 500 that gpt-4o can"
        " write"
    )


def test_a_count_says_what_is_left() -> None:
    counted = count({"messages": USER, "max_tokens": 1_000})
    assert counted.left == 128_000 - counted.total_tokens - 1_000
    assert counted.warnings == ()


def test_a_smaller_window_that_the_request_sets_holds() -> None:
    counted = count({"messages": USER, "options": {"num_ctx": 100, "num_predict": 95}})
    assert counted.window == 100
    assert "3 over the window of 100" in counted.warnings[0]
    assert count({"messages": USER, "options": {"num_ctx": 10**9}}).window == 128_000
    with pytest.raises(InputError, match="num_ctx"):
        count({"messages": USER, "options": {"num_ctx": "big"}})

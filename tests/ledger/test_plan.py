"""Every token of the window is on one line, and what cannot fit is refused with the sums."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import BudgetExceededError, ConfigError, InvalidBudgetError
from packhorse.ledger.plan import check_budget, plan_window
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.types.ledger import Ledger
from packhorse.types.message import Message
from packhorse.types.request import RequestParts
from tests.ledger.letters import LetterCounter, bare_model, worth
from tests.promises import promised
from tests.strategies import raw_texts

SHOWN_MODELS = ("gpt-4o", "gpt-4", "claude-sonnet-4-5", "gemini-2.5-pro")


def request_parts() -> st.SearchStrategy[RequestParts]:
    message = st.builds(
        Message, role=st.sampled_from(["user", "assistant"]), content=raw_texts(4),
        name=st.one_of(st.none(), st.text("abc", min_size=1)),
    )  # fmt: skip
    return st.builds(
        RequestParts,
        system_prompt=raw_texts(5),
        safety_preamble=raw_texts(5),
        history=st.lists(message, max_size=3).map(tuple),
        query=raw_texts(4),
    )


def exercise(
    window: int, output: int, system: int, preamble: int, *history: int, budget: int | None = None
) -> Ledger:
    """The ledger of an exercise that gives numbers."""
    parts = RequestParts(
        system_prompt=worth(system),
        safety_preamble=worth(preamble),
        history=tuple(Message(role="user", content=worth(tokens)) for tokens in history),
    )
    return plan_window(
        parts, bare_model(window), LetterCounter(), output_reservation=output, budget=budget
    )


def test_exercise_of_the_32k_window_leaves_28800() -> None:
    assert exercise(32_000, 1_000, 800, 200, 300, 300, 300, 300).available_evidence == 28_800


def test_exercise_of_the_4096_window_leaves_2024_with_history_and_2824_without() -> None:
    assert exercise(4_096, 512, 640, 120, 800).available_evidence == 2_024
    assert exercise(4_096, 512, 640, 120).available_evidence == 2_824


def test_ledger_of_the_128k_window_leaves_121250() -> None:
    ledger = exercise(128_000, 2_000, 1_200, 350, 3_200)
    assert (ledger.system_prompt, ledger.safety_preamble, ledger.history) == (1_200, 350, 3_200)
    assert ledger.available_evidence == 121_250
    assert ledger.evidence_budget == 121_250


@promised
@given(parts=request_parts(), tools=st.integers(0, 500), reservation=st.integers(0, 1_000))
def test_the_lines_add_up_to_the_window(parts: RequestParts, tools: int, reservation: int) -> None:
    for model in SHOWN_MODELS:
        spec = model_spec(model)
        ledger = plan_window(
            parts,
            spec,
            counter_for(model),
            output_reservation=reservation,
            budget=None,
            tools_tokens=tools,
        )
        assert ledger.total_window == spec.window, model
        assert ledger.fixed + reservation + ledger.available_evidence == spec.window, model
        lines = [ledger.system_prompt, ledger.safety_preamble, ledger.history, ledger.query]
        assert all(line >= 0 for line in lines), model
        assert ledger.tools == tools, model


@promised
@given(system=raw_texts(5), preamble=raw_texts(5))
def test_prompt_and_preamble_cost_what_their_join_costs(system: str, preamble: str) -> None:
    parts = RequestParts(system_prompt=system, safety_preamble=preamble)
    ledger = plan_window(
        parts, model_spec("gpt-4o"), counter_for("gpt-4o"), output_reservation=0, budget=None
    )
    joined = counter_for("gpt-4o").count(parts.system_text)
    assert ledger.system_prompt + ledger.safety_preamble == joined


def test_no_line_goes_below_zero_where_joining_saves_tokens() -> None:
    class Shrinking(LetterCounter):
        """Counts any text with an empty line in it as one token."""

        def count_batch(self, texts: Any) -> list[int]:
            return [1 if "\n\n" in text else text.count("w") for text in texts]

    parts = RequestParts(system_prompt=worth(5), safety_preamble=worth(5))
    ledger = plan_window(parts, bare_model(100), Shrinking(), output_reservation=0, budget=None)
    assert (ledger.system_prompt, ledger.safety_preamble) == (1, 0)


def test_message_overhead_has_its_own_line() -> None:
    parts = RequestParts(
        system_prompt="You are terse.", history=(Message(role="user", content="Hi"),), query="ok"
    )
    ledger = plan_window(
        parts, model_spec("gpt-4o"), counter_for("gpt-4o"), output_reservation=0, budget=None
    )
    assert ledger.message_overhead == 3 * (3 + 1) + 3


def test_a_budget_below_what_is_available_is_the_cap() -> None:
    assert exercise(1_000, 100, 50, 0, budget=300).evidence_budget == 300
    assert exercise(1_000, 100, 50, 0, budget=9_000).evidence_budget == 850


def test_an_input_limit_below_the_window_caps_the_evidence() -> None:
    parts = RequestParts(system_prompt=worth(50))
    spec = bare_model(1_000, max_output=400, max_input=600)
    ledger = plan_window(parts, spec, LetterCounter(), output_reservation=100, budget=None)
    assert ledger.available_evidence == 850
    assert ledger.evidence_budget == 550


def test_fixed_parts_over_the_input_limit_are_refused_with_that_limit() -> None:
    parts = RequestParts(system_prompt=worth(700), query=worth(10))
    spec = bare_model(1_000, max_output=400, max_input=600)
    with pytest.raises(BudgetExceededError, match="input limit of 600") as caught:
        plan_window(parts, spec, LetterCounter(), output_reservation=100, budget=None)
    assert (caught.value.needed, caught.value.available) == (710, 600)
    assert caught.value.parts == (("system_prompt", 700), ("query", 10))


def test_a_window_that_is_filled_exactly_leaves_an_empty_section() -> None:
    assert exercise(1_000, 400, 600, 0).evidence_budget == 0


def test_one_token_over_the_window_is_refused_with_every_part() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        exercise(1_000, 400, 500, 0, 101)
    error = caught.value
    assert (error.needed, error.available) == (1_001, 1_000)
    assert error.parts == (("system_prompt", 500), ("history", 101), ("output_reservation", 400))
    assert sum(tokens for _, tokens in error.parts) == error.needed
    assert "largest part is system_prompt (500)" in error.message
    assert "system_prompt by 1 tokens" in error.hint


def test_a_reservation_above_the_models_output_is_refused_with_both_values() -> None:
    with pytest.raises(ConfigError, match=r"5000.*4000"):
        plan_window(
            RequestParts(), bare_model(9_000, max_output=4_000), LetterCounter(),
            output_reservation=5_000, budget=None,
        )  # fmt: skip


def test_a_negative_reservation_is_refused() -> None:
    with pytest.raises(ConfigError, match="-1"):
        exercise(1_000, -1, 0, 0)


@pytest.mark.parametrize("value", [-1, "12", 1.5, 2.0, True, False, b"1", [1], np.float64(3)])
def test_a_budget_that_is_no_whole_number_is_refused_by_name(value: Any) -> None:
    with pytest.raises(InvalidBudgetError, match=r"^budget is"):
        check_budget(value)


@pytest.mark.parametrize(("value", "tokens"), [(None, None), (0, 0), (7, 7), (np.int64(9), 9)])
def test_a_budget_that_can_be_used_comes_back_as_it_is(value: Any, tokens: int | None) -> None:
    assert check_budget(value) == tokens
    assert not isinstance(check_budget(value), np.integer)

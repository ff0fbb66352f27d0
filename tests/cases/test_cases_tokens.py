"""Cases from practice about counting, chat framing and the sum of the window."""

from typing import Any

import pytest

from packhorse.errors import (
    BudgetExceededError,
    ConfigError,
    InputError,
    InvalidBudgetError,
    UnknownModelError,
)
from packhorse.ledger.plan import check_budget, plan_window
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for, counter_named
from packhorse.tokens.requests.count import count_request
from packhorse.types.message import Message
from packhorse.types.request import RequestParts
from tests.ledger.letters import LetterCounter, bare_model, worth
from tests.tokens.pictures import encoded, png

TERSE = [
    {"role": "system", "content": "You are terse."},
    {"role": "user", "content": "Hi"},
]


def counted(body: Any, model: str = "gpt-4o") -> Any:
    return count_request(body, model_spec(model), counter_for(model))


@pytest.mark.parametrize("tokenizer", ["cl100k_base", "o200k_base"])
def test_case_01_a_control_token_in_a_text_is_seven_ordinary_tokens(tokenizer: str) -> None:
    assert counter_named(tokenizer).count("<|endoftext|>") == 7


def test_case_03_a_proven_count_can_be_told_from_a_guess() -> None:
    exact, guess = counter_for("gpt-4o"), counter_for("claude-sonnet-4-5")
    assert (exact.exact, exact.name, exact.margin) == (True, "o200k_base", 0.0)
    assert (guess.exact, guess.margin) == (False, 0.35)
    assert guess.name != exact.name
    with pytest.raises(UnknownModelError, match="acme-local-7b"):
        counter_for("acme-local-7b")


def test_case_04_chat_framing_is_charged_and_has_its_own_line() -> None:
    named = [*TERSE, {"role": "user", "name": "alice", "content": "ok"}]
    assert counted(TERSE).total_tokens == 16
    assert counted(named).total_tokens == 23
    assert counted(TERSE).lines["message_overhead"] == 11


def test_case_05_tools_are_charged_before_anything_is_packed() -> None:
    parts = RequestParts(system_prompt=worth(300), query=worth(20))

    def plan(tools: int) -> Any:
        return plan_window(
            parts,
            bare_model(8_000),
            LetterCounter(),
            output_reservation=1_000,
            budget=None,
            tools_tokens=tools,
        )

    assert plan(6_500).evidence_budget == 180
    with pytest.raises(BudgetExceededError, match=r"largest part is tools \(7000\)") as caught:
        plan(7_000)
    assert ("tools", 7_000) in caught.value.parts
    assert caught.value.needed - caught.value.available == 320


def test_case_06_three_spellings_of_an_image_cost_the_same() -> None:
    data = encoded(png(1024, 1024))
    url = f"data:image/png;base64,{data}"
    blocks = [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "input_image", "image_url": url},
        {"type": "image", "source": {"type": "base64", "data": data}},
    ]
    costs = {counted([{"role": "user", "content": [block]}]).total_tokens for block in blocks}
    assert costs == {765 + 3 + 1 + 3}


def test_case_06_an_unknown_block_with_a_large_payload_is_refused() -> None:
    block = {"type": "hologram", "data": "A" * 100_000}
    with pytest.raises(InputError, match="hologram"):
        counted([{"role": "user", "content": [block]}])


def test_case_06_an_image_that_cannot_be_read_is_refused_and_not_guessed() -> None:
    block = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA..."}}
    with pytest.raises(InputError, match="cannot be read"):
        counted([{"role": "user", "content": [block]}])


def test_case_07_the_output_reservation_is_part_of_the_sum() -> None:
    ledger = plan_window(
        RequestParts(system_prompt=worth(50_000)),
        bare_model(200_000, max_output=64_000),
        LetterCounter(),
        output_reservation=64_000,
        budget=None,
    )
    assert ledger.total_window - ledger.output_reservation == 136_000
    assert ledger.evidence_budget == 86_000


def test_case_08_limits_that_contradict_each_other_are_refused_with_both_values() -> None:
    spec = bare_model(100_000, max_output=64_000)
    with pytest.raises(ConfigError, match=r"4000.*8000"):
        plan_window(
            RequestParts(),
            spec,
            LetterCounter(),
            output_reservation=4_000,
            budget=None,
            thinking_budget=8_000,
        )
    with pytest.raises(ConfigError, match=r"64001.*64000"):
        plan_window(RequestParts(), spec, LetterCounter(), output_reservation=64_001, budget=None)


def test_case_10_what_is_left_for_pinned_material_is_known_before_packing() -> None:
    ledger = plan_window(
        RequestParts(), bare_model(4_000), LetterCounter(), output_reservation=1_000, budget=None
    )
    assert ledger.evidence_budget == 3_000


def test_case_11_zero_missing_and_wrong_budgets_are_told_apart() -> None:
    def evidence_budget(budget: Any) -> int:
        return plan_window(
            RequestParts(history=(Message(role="user", content=worth(40)),)),
            bare_model(1_000),
            LetterCounter(),
            output_reservation=100,
            budget=budget,
        ).evidence_budget

    assert evidence_budget(None) == 860
    assert evidence_budget(0) == 0
    for wrong in (-5, "12", 1.5):
        with pytest.raises(InvalidBudgetError, match=r"^budget is"):
            evidence_budget(wrong)
        with pytest.raises(InvalidBudgetError):
            check_budget(wrong)

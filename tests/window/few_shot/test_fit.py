"""Examples in a request: behind its instructions, on their own line of the ledger, once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import BudgetExceededError
from packhorse.window.few_shot.pool import FORMS
from packhorse.window.messages import fit_messages
from tests.promises import seldom
from tests.window.conversations import SHAPES, conversations, faults
from tests.window.few_shot.test_choose import POOL
from tests.window.test_fit import MODELS, recounted

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "Name the department."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "How can I help?"},
    {"role": "user", "content": "Where is my parcel now?"},
]


def test_turns_stand_behind_the_instructions_and_are_charged_apart() -> None:
    plain = fit_messages(TALK)
    fitted = fit_messages(TALK, examples=POOL, examples_tokens=60)
    assert fitted.examples is not None
    n_shown = len(fitted.examples.kept)
    assert n_shown >= 2
    assert fitted[0] == TALK[0]
    assert fitted[2 * n_shown - 1] == {"role": "user", "content": POOL[0]["input"]}
    assert fitted[2 * n_shown] == {"role": "assistant", "content": POOL[0]["output"]}
    assert list(fitted[2 * n_shown + 1 :]) == TALK[1:]
    assert fitted.ledger["few_shot"] == fitted.examples.tokens <= 60
    rest = {name: tokens for name, tokens in fitted.ledger.items() if name != "few_shot"}
    assert rest == {name: tokens for name, tokens in plain.ledger.items() if name != "few_shot"}
    assert sum(fitted.ledger.values()) == fitted.tokens == recounted(fitted.request, "gpt-4o")


def test_the_next_question_gets_examples_of_its_own() -> None:
    first = fit_messages(TALK, examples=POOL, examples_tokens=40)
    more = [
        *first,
        {"role": "assistant", "content": "shipping"},
        {"role": "user", "content": "My card was charged for it two times."},
    ]
    second = fit_messages(more, examples=POOL, examples_tokens=40)
    assert first.examples is not None
    assert second.examples is not None
    assert second.examples.kept[-1] == "card"
    assert len(second) == len(first) + 2
    codes = [decision.reason_code for decision in second.decisions]
    assert codes.count("example") + codes.count("example_not_chosen") == 2 * len(
        first.examples.kept
    )


@pytest.mark.parametrize("has_system", [True, False])
def test_a_block_stands_at_the_end_of_the_system_text(has_system: bool) -> None:
    talk = TALK if has_system else TALK[1:]
    fitted = fit_messages(talk, examples=POOL, examples_tokens=150, examples_form="block")
    assert fitted.examples is not None
    assert fitted[0]["role"] == "system"
    assert fitted[0]["content"].endswith(fitted.examples.text)
    assert fitted[0]["content"].startswith("Name the department.\n\n<examples>") is has_system
    assert 0 < fitted.ledger["few_shot"] <= 150
    assert len(fitted) == len(TALK)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
@seldom
@given(data=st.data())
def test_any_conversation_is_valid_and_fitting_again_changes_nothing(
    shape: str, form: str, data: st.DataObject
) -> None:
    body = data.draw(conversations(shape))
    limit = data.draw(st.integers(20, 1500))
    room = data.draw(st.sampled_from((0, 40, 100, 2000)))
    options: dict[str, Any] = {
        "policy": data.draw(st.sampled_from(("sliding", "summary"))),
        "examples": POOL,
        "examples_form": form,
        "examples_tokens": room,
    }
    model = MODELS[shape]
    try:
        fitted = fit_messages(body, model=model, max_tokens=limit, **options)
    except BudgetExceededError:
        return
    assert fitted.tokens == recounted(fitted.request, model) <= limit
    assert faults(shape, fitted.messages) == []
    assert sum(fitted.ledger.values()) == fitted.tokens
    assert fitted.examples is not None
    assert fitted.ledger["few_shot"] <= room
    assert bool(fitted.ledger["few_shot"]) == bool(fitted.examples.kept)
    again = fit_messages(fitted.request, model=model, max_tokens=limit, **options)
    assert again.request == fitted.request

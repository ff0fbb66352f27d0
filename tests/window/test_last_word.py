"""A summary behind the user's question is nobody's word: the question stays the last one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import packhorse
from packhorse.errors import BudgetExceededError
from packhorse.tokens.models.table import model_spec
from packhorse.types.message import Message
from packhorse.window.conversation import read_conversation
from packhorse.window.growing import GrowingConversation
from packhorse.window.history_summary import sum_up_history
from packhorse.window.report import FittedMessages
from packhorse.window.rewriting import rewrite_query
from tests.render.samples import WordCounter
from tests.window.conversations import FIELDS, SHAPES, body_of, faults

QUESTION = "Find me a room in Bern."
MARKER = "[Summary of the conversation up to turn 1 (4 messages)."
SUMMARY = MARKER + " A record of what was said, no new instructions.]\n[1] tool: 100 EUR."
NOTES = [{"id": "n1", "text": "The user likes rooms in Bern."}]
SECTIONS: dict[str, dict[str, Any]] = {"rules": {"text": "Rooms cost money.", "rule": "whole"}}
POLICIES = ("sliding", "blocks", "relevant", "summary")


def page(at: int) -> tuple[str, Any]:
    return "call", (["a"], f"Page {at}: " + "The room costs 100 EUR. " * 12)


def asked_in(fitted: FittedMessages, shape: str) -> list[str]:
    told = [json.dumps(item) for item in fitted.request[FIELDS[shape]]]
    return [each for each in told if QUESTION in each and "[Summary" not in each]


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=12)
@given(
    limit=st.integers(300, 900),
    policy=st.sampled_from(POLICIES),
    has_memory=st.booleans(),
    n_steps=st.integers(1, 3),
)
def test_the_question_stays_while_tools_are_called(
    shape: str, limit: int, policy: str, has_memory: bool, n_steps: int
) -> None:
    more: dict[str, Any] = {"summary_tokens": 70} if policy != "summary" else {}
    if has_memory:
        more |= {"memory": NOTES, "sections": SECTIONS}
    field = FIELDS[shape]
    body: Any = body_of(shape, [("user", QUESTION), *map(page, range(6))])
    for turn in range(5):
        try:
            fitted = packhorse.fit_messages(body, max_tokens=limit, policy=policy, **more)
        except BudgetExceededError:
            return
        assert fitted.tokens <= limit
        assert not faults(shape, fitted.request[field])
        assert len(asked_in(fitted, shape)) == 1
        told = json.dumps(fitted.request)
        assert told.count("</memory>") == any(note.kept for note in fitted.notes)
        assert told.count("</section>") <= has_memory
        again = packhorse.fit_messages(fitted.request, max_tokens=limit, policy=policy, **more)
        assert again.request == fitted.request
        new = body_of(shape, [page(10 * turn + step) for step in range(n_steps)])[field]
        body = {**fitted.request, field: [*fitted.request[field], *new]}
    for other in POLICIES:
        assert (
            len(asked_in(packhorse.fit_messages(body, max_tokens=limit, policy=other), shape)) == 1
        )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_summary_is_no_word_unless_it_comes_last_or_is_all_there_is(shape: str) -> None:
    def own(*told: tuple[str, Any]) -> int | None:
        return read_conversation(body_of(shape, told)).last_word

    assert own(("user", QUESTION), ("user", SUMMARY), page(1)) == 0
    assert own(("user", QUESTION), ("assistant", "Yes."), ("user", SUMMARY)) == 2
    assert own(("user", SUMMARY), page(1)) == 0
    assert own(("user", QUESTION), ("user", MARKER), ("assistant", "Yes.")) == 1


def test_tools_are_chosen_by_the_question_before_a_summary() -> None:
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": said,
                "parameters": {"type": "object", "properties": {}},
            },
        }
        for name, said in (
            ("find_room", "Finds a room in a town such as Bern"),
            ("record", "A record of what was said, instructions of the conversation"),
        )
    ]
    talk = body_of("openai", [("user", QUESTION), ("user", SUMMARY), ("assistant", "Well.")])
    fitted = packhorse.fit_messages({**talk, "tools": tools}, max_tokens=900, max_tools=1)
    assert fitted.tools is not None
    assert fitted.tools.kept == ("find_room",)


def test_examples_and_a_rewritten_question_pass_over_a_summary() -> None:
    talk = body_of("openai", [("user", QUESTION), ("assistant", "Well."), ("user", SUMMARY)])
    talk["messages"].append({"role": "assistant", "content": "Page 1."})
    examples = [{"input": QUESTION, "output": "Well."}, {"input": "record?", "output": "No."}]
    fitted = packhorse.fit_messages(talk, max_tokens=900, examples=examples)
    assert len(asked_in(fitted, "openai")) >= 1
    assert fitted.decisions[0].reason_code == "last_user_message"
    rewritten = rewrite_query(talk)
    assert rewritten.last == QUESTION


def test_a_growing_conversation_passes_over_a_summary() -> None:
    begun = body_of("openai", [("user", QUESTION), ("user", SUMMARY)])["messages"]
    history = GrowingConversation(begun, max_tokens=60)
    for message in body_of("openai", [("assistant", "word " * 20), ("assistant", "Yes.")])[
        "messages"
    ]:
        history.append(message)
    fitted = history.fitted()
    whole = packhorse.fit_messages(list(history.messages), max_tokens=60)
    assert fitted.request == whole.request
    assert QUESTION in json.dumps(fitted.request)


@pytest.mark.parametrize(
    "roles",
    [("user", "assistant"), ("assistant", "user"), ("user",), ("user", "assistant", "user")],
)
def test_a_history_with_a_summary_goes_on_beside_a_question(roles: tuple[str, ...]) -> None:
    at = max(at for at, role in enumerate(roles) if role == "user")
    talk = [
        Message(role=role, content=SUMMARY if place == at else QUESTION)
        for place, role in enumerate(roles)
    ]
    history = sum_up_history("And in Thun?", talk, WordCounter(), model_spec("gpt-4o"), 400)
    assert history.kept == tuple(talk)

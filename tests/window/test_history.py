"""The sliding window over a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import BudgetExceededError
from packhorse.tokens.models.spec import ChatFraming
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.requests.count import message_costs
from packhorse.types.message import Message
from packhorse.window.history import FittedHistory, fit_history

FRAMING = ChatFraming(per_message=1, role=False, source="tests")
SPEC = replace(model_spec("gpt-4o"), framing=FRAMING)


class WordCounter:
    name = "words"
    library = "tests"
    exact = True
    margin = 0.0

    def count(self, text: str) -> int:
        return len(text.split())

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


def say(role: str, words: int = 1, **fields: Any) -> Message:
    """A message of `words` tokens, framing included."""
    return Message(role=role, content=" ".join(["word"] * (words - 1)), **fields)


def call(*ids: str, words: int = 1) -> Message:
    calls = tuple(
        {"id": each, "type": "function", "function": {"name": "", "arguments": ""}} for each in ids
    )
    return say("assistant", words - len(ids), tool_calls=calls)


def result(call_id: str, words: int = 2) -> Message:
    return say("tool", words - 1, tool_call_id=call_id)


def fit(messages: Sequence[Message], max_tokens: int) -> FittedHistory:
    return fit_history(messages, WordCounter(), SPEC, max_tokens)


def test_a_history_that_fits_is_kept_whole() -> None:
    messages = (say("user", 3), say("assistant", 4), say("user", 2))
    fitted = fit(messages, 9)
    assert (fitted.kept, fitted.dropped, fitted.tokens) == (messages, (), 9)
    assert (fitted.turns, fitted.dropped_turns, fitted.reason) == (2, 0, "")
    assert fit((), 0) == FittedHistory(
        kept=(), dropped=(), tokens=0, dropped_tokens=0, turns=0, dropped_turns=0
    )


def test_the_oldest_go_first_and_the_report_says_how_much() -> None:
    messages = (say("user", 5), say("assistant", 5), say("user", 2), say("assistant", 3))
    fitted = fit(messages, 10)
    assert fitted.kept == messages[1:]
    assert (fitted.tokens, fitted.dropped_tokens) == (10, 5)
    assert fitted.reason == "1 of 4 messages left out, from 1 of 2 turns (5 of 15 tokens)"


def test_the_window_stops_at_the_first_message_that_does_not_fit() -> None:
    messages = (say("user", 1), say("assistant", 9), say("user", 2))
    assert fit(messages, 8).kept == messages[2:]


def test_instructions_stay_wherever_they_stand() -> None:
    messages = (say("system", 2), say("user", 4), say("developer", 2), say("user", 1))
    fitted = fit(messages, 5)
    assert fitted.kept == (messages[0], messages[2], messages[3])


def test_the_last_user_message_stays_even_when_later_ones_fill_the_window() -> None:
    messages = (say("user", 3), say("assistant", 4), say("assistant", 3))
    assert fit(messages, 6).kept == (messages[0], messages[2])


def test_a_call_and_its_results_stay_or_go_together() -> None:
    messages = (call("a", "b", words=3), result("a"), result("b"), say("user", 1))
    assert fit(messages, 8).kept == messages
    assert fit(messages, 7).kept == messages[3:]


def test_halves_of_tool_calls_are_always_dropped() -> None:
    messages = (
        result("gone"),
        call("a", "b", words=3),
        result("a"),
        say("user", 1),
        result("a"),
    )
    fitted = fit(messages, 100)
    assert fitted.kept == (messages[3],)
    assert fitted.broken_calls == 4
    assert fitted.reason.endswith("; 4 of them are tool calls or results without the other")


def test_an_id_that_is_used_again_belongs_to_the_nearest_call() -> None:
    messages = (
        *(call("a", words=2), result("a"), say("user", 1)),
        *(call("a", words=2), result("a"), say("user", 1)),
    )
    assert fit(messages, 6).kept == messages[2:]


def test_what_must_stay_and_does_not_fit_is_an_error_with_both_sizes() -> None:
    messages = (say("system", 6), say("user", 9), say("user", 5))
    with pytest.raises(BudgetExceededError, match=r"6 tokens.*5 tokens.*10 tokens") as caught:
        fit(messages, 10)
    assert caught.value.parts == (("system messages", 6), ("last user message", 5))
    assert (caught.value.needed, caught.value.available) == (11, 10)


def test_costs_are_those_of_the_ledger() -> None:
    spec = model_spec("gpt-4o")
    function = {"name": "write", "arguments": '{"to": "a"}'}
    messages = [
        Message(role="system", content="You are terse."),
        Message(role="user", content="ok", name="alice"),
        Message(
            role="assistant",
            tool_calls=({"id": "c1", "type": "function", "function": function},),
        ),
        Message(role="tool", content="done", tool_call_id="c1"),
    ]
    counted = sum(cost.total for cost in message_costs(messages, spec, WordCounter()))
    assert fit_history(messages, WordCounter(), spec, 10_000).tokens == counted


def conversations() -> st.SearchStrategy[list[Message]]:
    sizes = st.integers(1, 9)
    ids = st.sampled_from(("a", "b"))
    return st.lists(
        st.one_of(
            st.builds(say, st.sampled_from(("user", "assistant", "system")), sizes),
            st.builds(lambda each, words: call(each, words=words + 1), ids, sizes),
            st.builds(lambda each, words: result(each, words + 1), ids, sizes),
        ),
        max_size=12,
    )


@given(conversations(), st.integers(0, 60))
def test_the_window_keeps_its_promises(messages: list[Message], max_tokens: int) -> None:
    counter = WordCounter()
    try:
        fitted = fit(messages, max_tokens)
    except BudgetExceededError as error:
        assert error.needed > error.available == max_tokens  # noqa: PT017 - both outcomes are fine
        return
    kept, dropped = list(fitted.kept), list(fitted.dropped)
    assert sorted(map(id, kept + dropped)) == sorted(map(id, messages))
    assert fitted.tokens <= max_tokens
    costs = [1 + sum(counter.count_batch([m.content, *call_words(m)])) for m in kept]
    assert fitted.tokens == sum(costs)
    answers = [str(m.tool_call_id) for m in kept if m.role == "tool"]
    asked = [each["id"] for m in kept for each in m.tool_calls]
    assert sorted(answers) == sorted(asked)
    users = [m for m in messages if m.role == "user"]
    instructions = [m for m in messages if m.role == "system"]
    assert all(any(m is k for k in kept) for m in [*instructions, *users[-1:]])
    again = fit(kept, max_tokens)
    assert (again.kept, again.dropped, again.tokens) == (fitted.kept, (), fitted.tokens)
    assert fit(messages, max_tokens) == fitted


def call_words(message: Message) -> list[str]:
    ids = [each["id"] for each in message.tool_calls]
    return [*ids, message.tool_call_id or ""]

"""A conversation that grows says at each step what fitting all of it anew says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import BudgetExceededError, InputError
from packhorse.tokens.calibration import Calibration, Seen
from packhorse.tokens.models.table import model_spec
from packhorse.window.growing import GrowingConversation
from packhorse.window.messages import fit_messages
from packhorse.window.report import FittedMessages
from tests.promises import grown
from tests.window.conversations import FIELDS, SHAPES, conversations
from tests.window.test_fit import MODELS

TOOLS = [{"type": "function", "function": {"name": "f", "description": "Finds a file"}}]


def told(fitted: FittedMessages) -> str:
    """All that a caller sees, as bytes."""
    lines = {
        "request": fitted.request,
        "messages": fitted.messages,
        "tokens": [fitted.tokens, fitted.max_tokens, fitted.exact, dict(fitted.ledger)],
        "count": [str(fitted.fitted.count), fitted.fitted.costs],
        "decisions": [str(decision) for decision in fitted.decisions],
        "dropped": fitted.dropped,
        "elided": fitted.elided,
        "report": [fitted.report, fitted.is_mended],
    }
    return json.dumps(lines, ensure_ascii=False)


def said(ask: Any) -> str:
    """What comes of it: the fitted messages, or the error."""
    try:
        return told(ask())
    except (BudgetExceededError, InputError) as error:
        return f"{type(error).__name__}: {error.message}"


def same_at_every_step(
    body: Mapping[str, Any] | None, items: Sequence[Any], field: str, pins: set[int], **asked: Any
) -> None:
    """Grows message by message; `body` is the request without messages, None for bare ones."""
    history = GrowingConversation([] if body is None else {**body, field: []}, **asked)
    for at, item in enumerate(items):
        history.append(item, pin=at in pins)
        so_far = list(items[: at + 1])
        whole = so_far if body is None else {**body, field: so_far}
        pin = sorted(each for each in pins if each <= at)
        assert said(history.fitted) == said(lambda: fit_messages(whole, **asked, pin=pin))  # noqa: B023 - called at once


@pytest.mark.parametrize("shape", SHAPES)
@grown
@given(data=st.data())
def test_each_step_is_what_fitting_the_whole_conversation_gives(
    shape: str, data: st.DataObject
) -> None:
    given_body = dict(data.draw(conversations(shape)))
    items = given_body.pop(FIELDS[shape])
    is_bare = data.draw(st.booleans())
    n_tools = data.draw(st.integers(0, 1)) if shape == "openai" else 0
    same_at_every_step(
        None if is_bare else given_body,
        items,
        FIELDS[shape],
        data.draw(st.sets(st.integers(0, len(items) - 1), max_size=1)),
        model=MODELS[shape],
        max_tokens=data.draw(st.integers(0, 1500)),
        policy=data.draw(st.sampled_from(("sliding", "blocks"))),
        elide=data.draw(st.booleans()),
        tools=TOOLS[:n_tools] or None,
    )


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


@pytest.mark.parametrize("policy", ["sliding", "blocks"])
def test_steps_of_an_assistant_that_meet_are_counted_as_one_turn(policy: str) -> None:
    items = [assistant("I am here " * 9), user("Go on " * 30)]
    for number in range(6):
        items += [assistant(f"Step {number} " * 12), user(f"And then {number}?")]
    same_at_every_step({}, items, "input", {0}, model="gpt-4o", max_tokens=150, policy=policy)


@pytest.mark.parametrize("policy", ["relevant", "summary"])
def test_a_policy_that_looks_at_everything_gives_the_same_and_says_so(policy: str) -> None:
    items = [user(f"{word} " * 9) for word in ("one", "two", "three", "one")]
    same_at_every_step(None, items, "messages", set(), max_tokens=60, policy=policy)
    refits = GrowingConversation(policy=policy).refits
    assert refits == f"the policy {policy} looks at the whole conversation"
    assert GrowingConversation(policy="blocks").refits == ""


def test_a_model_whose_counts_are_corrected_is_fitted_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = Seen(messages=(1, 4), tools=(0, 0), tokens=(1, 90))
    corrected = Calibration(per_message=2, samples=9, explained=1.0, spread=(0, 0), seen=seen)
    measured = replace(model_spec("gpt-4o"), calibration=corrected)
    for room in ("growing", "messages"):
        monkeypatch.setattr(f"packhorse.window.{room}.model_spec", lambda _: measured)
    items = [user("Hi " * 9), assistant("Hello"), user("And now?")]
    same_at_every_step(None, items, "messages", set(), max_tokens=24)
    assert GrowingConversation(items).refits == "requests to gpt-4o are counted whole"


def test_the_shape_is_told_by_the_first_message_that_tells_it() -> None:
    items = [
        user("Find it"),
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f"}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x " * 20}],
        },
        user("Thanks"),
    ]
    same_at_every_step(None, items, "messages", set(), max_tokens=40, policy="blocks")
    assert GrowingConversation(items, max_tokens=400).fitted().messages == tuple(items)


def test_a_message_that_cannot_be_counted_leaves_the_conversation_as_it_was() -> None:
    history = GrowingConversation([user("Hi")], policy="blocks")
    before = told(history.fitted())
    with pytest.raises(InputError, match=r"messages\[2\]\.content\[0\]: no counting rule"):
        history.extend([user("More"), {"role": "user", "content": [{"type": "smell"}]}])
    with pytest.raises(InputError, match=r"messages\[1\] has no role"):
        history.append({"content": "Hi"})
    assert len(history) == 1
    assert told(history.fitted()) == before
    history.append(user("More"))
    assert history.messages == (user("Hi"), user("More"))


def test_asked_twice_it_is_the_same_object_until_something_is_appended() -> None:
    history = GrowingConversation([user("Hi")])
    fitted = history.fitted()
    assert history.fitted() is fitted
    history.append(assistant("Hello"))
    assert [message["content"] for message in history.fitted()] == ["Hi", "Hello"]
    assert [message["content"] for message in fitted] == ["Hi"]
    assert len(fitted.decisions) == 1

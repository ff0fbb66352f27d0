"""Examples and tools of a conversation in the rooms that sections declare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import packhorse
from packhorse.errors import BudgetExceededError
from packhorse.window.report import FittedMessages
from tests.window.conversations import FIELDS, SHAPES, conversations, faults
from tests.window.test_surrounded import NOTES, tools_of

EXAMPLES: list[dict[str, Any]] = [
    {"id": f"e{n}", "input": f"What of form {n}?", "output": "It is " + "very " * n + "long."}
    for n in range(12)
]
TALK: list[dict[str, Any]] = [
    *({"role": "user", "content": f"Word {n} of form {n}."} for n in range(200)),
    {"role": "user", "content": "And form 3?"},
]


def tool(name: str, n_words: int) -> dict[str, Any]:
    function = {"name": name, "description": f"Looks {name} up. " + "word " * n_words}
    return {"type": "function", "function": function}


TOOLS = [tool("form", 30), tool("weather", 30), tool("mail", 30), tool("flight", 30)]


def fit(limit: int, sections: Any, talk: Any = TALK, **more: Any) -> FittedMessages:
    return packhorse.fit_messages(talk, max_tokens=limit, sections=sections, **more)


def rooms(fitted: FittedMessages) -> dict[str, tuple[int, int, str]]:
    return {name: (asked, got, why) for name, asked, got, why in fitted.sections}


def test_turns_take_what_is_left_once_examples_have_their_floor() -> None:
    fitted = fit(800, {"examples": {"floor": 100}}, examples=EXAMPLES)
    asked, got, why = rooms(fitted)["examples"]
    assert asked > 110 >= got > 60
    # What the turn that did not fit left over goes to examples too.
    assert why.startswith("room of 104: floor: 100; priority 4: 4; squeezed by history")
    assert fitted.ledger["few_shot"] == got
    first = fit(800, {"examples": {"priority": 0}}, examples=EXAMPLES)
    assert rooms(first)["examples"][:2] == (asked, asked)
    capped = fit(800, {"examples": {"priority": 0, "cap": 40}}, examples=EXAMPLES)
    assert 0 < capped.ledger["few_shot"] <= 40


def test_what_turns_do_not_use_goes_to_examples() -> None:
    fitted = fit(800, {"examples": {"floor": 0}}, TALK[-2:], examples=EXAMPLES)
    asked, got, _ = rooms(fitted)["examples"]
    assert got == asked
    assert len(fitted.examples.kept) == len(EXAMPLES)  # type: ignore[union-attr] # given


def test_all_examples_or_an_error() -> None:
    never = {"examples": {"rule": "never", "cap": "100%"}}
    assert rooms(fit(900, never, examples=EXAMPLES))["examples"][2].endswith("must be in: 282")
    with pytest.raises(BudgetExceededError, match="examples"):
        fit(200, never, examples=EXAMPLES)


def test_tools_are_chosen_in_their_room() -> None:
    fitted = fit(800, {"tools": {"rule": "whole", "cap": 100}}, tools=TOOLS)
    assert fitted.tools is not None
    assert "form" in fitted.tools.kept
    assert len(fitted.tools.kept) < len(TOOLS)
    assert 0 < fitted.ledger["tools"] <= 100
    asked, got, why = rooms(fitted)["tools"]
    assert got == fitted.ledger["tools"] < asked
    assert why == f"room of 100: priority 1: 100; cap 100 of {asked} asked"
    assert {each.code for each in fitted.tools.left_out.values()} == {"exceeded_remaining_budget"}
    tight = fit(120, {"tools": {"rule": "whole"}}, [TALK[-1]], tools=TOOLS)
    assert 0 < tight.ledger["tools"] < 110
    pinned = fit(800, {"tools": {"rule": "whole", "cap": 100}}, tools=TOOLS, pin_tools=["mail"])
    assert "mail" in pinned.tools.kept  # type: ignore[union-attr] # given
    with pytest.raises(BudgetExceededError):
        fit(120, {"tools": {"rule": "never"}}, [TALK[-1]], tools=TOOLS)


def test_a_history_can_be_declared_to_be_summed_up() -> None:
    fitted = fit(600, {"history": {"rule": "summarise"}})
    assert fitted.summary is not None
    assert fitted.summary.by == "extractive"
    assert fitted.tokens <= 600
    assert packhorse.fit_messages(TALK, max_tokens=600, sections={}).summary is None


@pytest.mark.parametrize(
    ("name", "rule", "allowed"),
    [
        ("memory", "summarise", "whole, never"),
        ("evidence", "summarise", "whole"),
        ("tools", "window", "never, whole"),
        ("examples", "summarise", "whole, never"),
        ("history", "whole", "window, summarise, never"),
    ],
)
def test_a_rule_that_a_section_cannot_be_fitted_by_is_refused(
    name: str, rule: str, allowed: str
) -> None:
    with pytest.raises(packhorse.ConfigError) as error:
        fit(600, {name: {"rule": rule}})
    assert error.value.hint.endswith(f"can be fitted by: {allowed}")


def declared(draw: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    """Floors, caps, priorities, growth and rules of what a conversation has."""
    found: dict[str, dict[str, Any]] = {}
    rules = {"tools": ["never", "whole"], "history": ["window", "summarise"]}
    for name in ("history", "examples", "memory", "tools"):
        fields: dict[str, Any] = {}
        if draw(st.booleans()):
            fields["floor"] = draw(st.sampled_from((0, 40, "10%", "30%")))
        if draw(st.booleans()) and name != "tools":
            fields["cap"] = draw(st.sampled_from((120, 300, "50%")))
        if draw(st.booleans()):
            fields["priority"] = draw(st.integers(0, 6))
        if draw(st.booleans()):
            fields["growth"] = draw(st.integers(0, 3))
        if name in rules:
            fields["rule"] = draw(st.sampled_from(rules[name]))
        found[name] = fields
    return found


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=15)
@given(data=st.data(), limit=st.integers(60, 900))
def test_whatever_is_declared_it_fits_exactly_and_without_a_summary_twice_the_same(
    shape: str, data: st.DataObject, limit: int
) -> None:
    request = {**data.draw(conversations(shape)), "tools": tools_of(shape)}
    more: dict[str, Any] = {
        "sections": declared(data.draw),
        "memory": NOTES,
        "examples": EXAMPLES,
    }
    try:
        fitted = packhorse.fit_messages(request, max_tokens=limit, **more)
    except (BudgetExceededError, packhorse.ConfigError):
        return
    counted = packhorse.count_request(fitted.request, "gpt-4o")
    assert counted.total_tokens == fitted.tokens == sum(fitted.ledger.values()) <= limit
    assert counted.lines["tools"] == fitted.ledger["tools"]
    assert not faults(shape, fitted.request[FIELDS[shape]])
    assert sum(got for _, _, got, _ in fitted.sections) <= limit
    if more["sections"]["history"]["rule"] == "window":
        again = packhorse.fit_messages(fitted.request, max_tokens=limit, **more)
        assert again.request == fitted.request

"""Corrected counts balance, say what was corrected, and say where nothing is known."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.calibration import Calibration, Parts, Seen
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.calibrated import parts_of
from packhorse.tokens.requests.count import count_request, message_costs
from packhorse.tokens.requests.request import Turn
from packhorse.types.message import Message

PLAIN = model_spec("gpt-4o")
COUNTER = counter_of(PLAIN)
WIDE = Seen(
    messages=(0, 99), system=(0, 99), tools=(0, 99), calls=(0, 99), images=(0, 9), tokens=(0, 10**6)
)
SOME = st.integers(-30, 60)
CALIBRATIONS = st.builds(
    Calibration,
    per_request=SOME,
    per_message=SOME,
    without_system=SOME,
    with_tools=SOME,
    per_tool=SOME,
    per_call=SOME,
    samples=st.just(50),
    explained=st.just(1.0),
    spread=st.just((0, 0)),
    seen=st.just(WIDE),
)
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MESSAGES = st.lists(
    st.sampled_from(
        [
            {"role": "system", "content": "You are terse."},
            {"role": "user", "content": "Hi", "name": "ada"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "42"},
            {"role": "user", "content": ""},
        ]
    ),
    min_size=1,
    max_size=6,
)
TOOLS = st.lists(st.just({"type": "function", "function": {"name": "f"}}), max_size=3)


@given(CALIBRATIONS, MESSAGES, TOOLS)
def test_the_lines_balance_and_only_the_overhead_moves(
    calibration: Calibration, messages: list[Mapping[str, Any]], tools: list[Mapping[str, Any]]
) -> None:
    body = {"messages": messages, "tools": tools}
    plain = count_request(body, PLAIN, COUNTER)
    counted = count_request(body, replace(PLAIN, calibration=calibration), COUNTER)
    assert counted.total_tokens == plain.total_tokens + counted.calibration
    moved = {line for line in plain.lines if plain.lines[line] != counted.lines[line]}
    assert moved <= {"message_overhead"}
    assert counted.lines["message_overhead"] >= 0
    assert all(cost.overhead >= 0 for cost in counted.messages)
    assert [cost.content for cost in counted.messages] == [cost.content for cost in plain.messages]
    n_calls = sum("tool_calls" in message or "tool_call_id" in message for message in messages)
    if min(calibration.per_request, calibration.per_message, calibration.without_system) >= 0:
        parts = min(calibration.with_tools, calibration.per_tool)
        expected = calibration.per_request + calibration.per_message * len(messages)
        if all(message["role"] != "system" for message in messages):
            expected += calibration.without_system
        if parts >= 0 and not n_calls:
            tooled = calibration.with_tools + calibration.per_tool * len(tools) if tools else 0
            assert counted.calibration == expected + tooled


@given(CALIBRATIONS)
def test_a_conversation_costs_the_same_message_by_message(calibration: Calibration) -> None:
    spec = replace(PLAIN, calibration=calibration)
    messages = [Message(role="user", content="Hi"), Message(role="assistant", content="Hello")]
    costs = message_costs(messages, spec, COUNTER)
    body = [{"role": message.role, "content": message.content} for message in messages]
    counted = count_request(body, spec, COUNTER)
    assert [cost.total for cost in costs] == [cost.total for cost in counted.messages]


def counted_with(**changes: Any) -> Any:
    calibration = Calibration(
        **{
            "per_request": 2,
            "samples": 50,
            "explained": 1.0,
            "spread": (0, 0),
            "seen": WIDE,
            **changes,
        }
    )
    body = [{"role": "user", "content": "Hi"}]
    return count_request(body, replace(PLAIN, calibration=calibration), COUNTER)


def test_a_count_that_was_always_right_stays_exact() -> None:
    counted = counted_with()
    assert (counted.calibration, counted.exact, counted.estimated) == (2, True, ())


def test_a_calibration_that_was_not_always_right_is_named() -> None:
    counted = counted_with(spread=(-1, 0), explained=0.9)
    assert (counted.exact, counted.estimated) == (False, ("calibration",))


def test_a_request_outside_of_what_was_logged_is_named() -> None:
    counted = counted_with(seen=replace(WIDE, messages=(2, 4)))
    assert counted.exact is False
    assert counted.estimated == ("calibration (1 message, seen 2 to 4)",)


@pytest.mark.parametrize(
    ("texts", "wide"),
    [((), 0), (("",), 0), (("abc",), 0), (("\u7a0e\u52d9",), 100), (("a" * 200, "\ud800"), 1)],
)
def test_the_share_of_other_scripts_is_rounded_up(texts: tuple[str, ...], wide: int) -> None:
    assert parts_of([Turn(role="user", texts=texts)], tools=0, tokens=1).wide == wide


def test_a_correction_of_nothing_is_still_told() -> None:
    counted = counted_with(per_request=0)
    assert (counted.calibration, counted.is_calibrated) == (0, True)
    plain = count_request([{"role": "user", "content": "Hi"}], PLAIN, COUNTER)
    assert (plain.calibration, plain.is_calibrated) == (0, False)


def test_an_unseen_length_is_measured_before_the_correction() -> None:
    counted = counted_with(per_request=50, margin=0.0, seen=replace(WIDE, tokens=(0, 8)))
    assert counted.estimated == ()
    assert Parts(messages=1, tokens=8) == Parts(messages=1, tokens=counted.total_tokens - 50)

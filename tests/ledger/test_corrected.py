"""A calibration stands on its own figure inside the overhead, and the window still balances."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.ledger.certify import certify_request
from packhorse.ledger.corrected import calibration_check, calibration_facts
from packhorse.ledger.plan import plan_window
from packhorse.tokens.calibration import Calibration, Seen
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.count import count_request
from packhorse.types.message import Message
from packhorse.types.request import RequestParts
from packhorse.types.verdict import Status
from tests.promises import promised

SPEC = model_spec("gpt-4o")
COUNTER = counter_of(SPEC)
SEEN = Seen(messages=(1, 3), system=(0, 1), tokens=(10, 400))
HISTORY = (
    Message(role="user", content="Hi", name="ada"),
    Message(
        role="assistant",
        tool_calls=({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}},),
    ),
    Message(role="tool", tool_call_id="c", content="42"),
)


def calibration(request: int = 2, message: int = 1, call: int = 0) -> Calibration:
    return Calibration(
        per_request=request,
        per_message=message,
        without_system=request // 2,
        per_call=call,
        samples=40,
        first="2026-10-01",
        last="2026-10-09",
        explained=1.0,
        spread=(0, 0),
        seen=SEEN,
    )


def parts(history: tuple[Message, ...] = (), system: str = "You are terse.") -> RequestParts:
    return RequestParts(system_prompt=system, history=history, query="Why?")


@promised
@given(
    st.integers(-40, 60),
    st.integers(-9, 9),
    st.integers(-9, 9),
    st.integers(0, 3),
    st.sampled_from(["", "You are terse."]),
)
def test_the_window_balances_and_the_certificate_holds(
    request: int, message: int, call: int, n_history: int, system: str
) -> None:
    spec = replace(SPEC, calibration=calibration(request, message, call))
    asked = parts(HISTORY[:n_history], system)
    plain = plan_window(asked, SPEC, COUNTER, output_reservation=100, budget=None)
    ledger = plan_window(asked, spec, COUNTER, output_reservation=100, budget=None)
    total = ledger.fixed + ledger.output_reservation + ledger.available_evidence
    assert total == ledger.total_window
    assert ledger.message_overhead == plain.message_overhead + ledger.calibration
    assert ledger.message_overhead >= 0
    assert ledger.fixed - ledger.calibration == plain.fixed
    certificate = certify_request(asked, ledger, COUNTER, spec)
    assert certificate.holds
    if min(request, message, call) >= 0:
        assert certificate.difference == 0


@pytest.mark.parametrize("n_history", [0, 1, 3])
def test_the_ledger_says_what_counting_the_request_says(n_history: int) -> None:
    from packhorse.render.messages import provider_messages

    spec = replace(SPEC, calibration=calibration(5, 2, 7))
    asked = parts(HISTORY[:n_history])
    ledger = plan_window(asked, spec, COUNTER, output_reservation=100, budget=None)
    counted = count_request({"messages": provider_messages(asked, "openai")}, spec, COUNTER)
    assert counted.calibration == ledger.calibration
    assert counted.total_tokens == ledger.fixed


def facts(history: tuple[Message, ...] = ()) -> Mapping[str, object]:
    spec = replace(SPEC, calibration=calibration())
    ledger = plan_window(parts(history), spec, COUNTER, output_reservation=100, budget=None)
    found = calibration_facts(spec, parts(history), ledger, 200)
    assert found is not None
    return found


def test_the_packet_tells_the_evidence() -> None:
    assert facts() == {
        "samples": 40,
        "from": "2026-10-01",
        "to": "2026-10-09",
        "explained": 1.0,
        "under": 0.0,
        "spread": [0, 0],
        "outside": [],
    }
    (check,) = calibration_check(SPEC, facts())
    assert check.status is Status.PASS


def test_a_request_unlike_every_logged_one_is_a_warning() -> None:
    outside = facts(HISTORY)
    assert outside["outside"] == ["5 messages, seen 1 to 3", "1 tool call, seen 0"]
    (check,) = calibration_check(SPEC, outside)
    assert check.status is Status.WARN
    assert "5 messages, seen 1 to 3; 1 tool call, seen 0" in check.detail


def test_without_a_calibration_there_is_nothing_to_tell() -> None:
    ledger = plan_window(parts(), SPEC, COUNTER, output_reservation=100, budget=None)
    assert ledger.calibration == 0
    assert calibration_facts(SPEC, parts(), ledger, 0) is None
    assert calibration_check(SPEC, None) == ()

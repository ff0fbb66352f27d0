"""Tools under a cap: what belongs to the question stays, and whatever the conversation calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import BudgetExceededError, InputError, InvalidBudgetError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.count import count_request
from packhorse.window.messages import fit_messages
from packhorse.window.tool_choice.definitions import calls_in, definitions
from tests.promises import seldom
from tests.window.conversations import SHAPES, conversations, faults
from tests.window.test_fit import MODELS, recounted

TOOLS = {
    "get_weather": ("Tells the weather of a place.", ("city", "day")),
    "book_flight": ("Books a flight between two airports.", ("origin", "destination", "date")),
    "cancel_flight": ("Cancels a flight that was booked.", ("booking_code",)),
    "send_mail": ("Sends a mail to a person.", ("recipient", "subject", "text")),
    "f": ("Does something else.", ()),
}


def tools_in(shape: str, names: tuple[str, ...] = tuple(TOOLS)) -> list[dict[str, Any]]:
    made = []
    for name in names:
        said, arguments = TOOLS[name]
        schema = {"type": "object", "properties": {each: {"type": "string"} for each in arguments}}
        if shape == "openai":
            function = {"name": name, "description": said, "parameters": schema}
            made.append({"type": "function", "function": function})
        elif shape == "openai-responses":
            made.append(
                {"type": "function", "name": name, "description": said, "parameters": schema}
            )
        elif shape == "anthropic":
            made.append({"name": name, "description": said, "input_schema": schema})
        else:
            made.append({"name": name, "description": said, "parameters": schema})
    return [{"functionDeclarations": made}] if shape == "gemini" else made


def body_in(shape: str, *said: str) -> dict[str, Any]:
    roles = ["user", "assistant"] * len(said)
    if shape == "gemini":
        items = [
            {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}
            for role, text in zip(roles, said, strict=False)
        ]
        return {"contents": items, "tools": tools_in(shape)}
    items = [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]
    field = "input" if shape == "openai-responses" else "messages"
    return {field: items, "tools": tools_in(shape)}


def names_of(request: Mapping[str, Any]) -> list[str]:
    return [each.name for each in definitions(request.get("tools") or ())]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_tool_that_the_question_is_about_stays_in_every_shape(shape: str) -> None:
    body = body_in(shape, "Please cancel my flight, the code of the booking is XY12.")
    fitted = fit_messages(body, model=MODELS[shape], max_tools=2)
    assert fitted.tools is not None
    assert names_of(fitted.request) == list(fitted.tools.kept) == ["book_flight", "cancel_flight"]
    assert fitted.tools.because["cancel_flight"].detail.startswith("score ")
    assert fitted.tools.left_out["f"].code == "over_the_number_asked_for"
    assert fitted.report == "2 of 5 tools defined"
    spec = model_spec(MODELS[shape])
    counted = count_request(fitted.request, spec, counter_for(MODELS[shape]))
    assert counted.lines["tools"] == fitted.tools.tokens == fitted.ledger["tools"]


def test_a_tool_whose_definition_does_not_fit_is_passed_over() -> None:
    body = body_in("openai", "Will it rain? What is the weather in Bern on Friday?")
    whole = fit_messages(body, tool_tokens=10_000)
    assert whole.tools is not None
    assert names_of(whole.request) == list(TOOLS)
    assert {why.code for why in whole.tools.because.values()} == {"all_fit"}
    for room in range(0, whole.tools.tokens + 1, 7):
        fitted = fit_messages(body, tool_tokens=room)
        assert fitted.tools is not None
        assert fitted.tools.tokens <= room
        assert sorted([*fitted.tools.kept, *fitted.tools.left_out]) == sorted(TOOLS)
    tight = fit_messages({**body, "tool_choice": "auto"}, tool_tokens=0)
    assert "tools" not in tight.request
    assert "tool_choice" not in tight.request


def test_pinned_forced_and_called_tools_stay_even_over_the_cap() -> None:
    body = body_in("openai", "What is the weather?")
    call = {"id": "a", "type": "function", "function": {"name": "send_mail", "arguments": "{}"}}
    body["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "sent"},
        {"role": "user", "content": "And the weather?"},
    ]
    body["tool_choice"] = {"type": "function", "function": {"name": "book_flight"}}
    fitted = fit_messages(body, max_tools=2, pin_tools=["f"])
    assert fitted.tools is not None
    codes = {name: why.code for name, why in fitted.tools.because.items()}
    assert codes == {"book_flight": "forced", "send_mail": "called", "f": "pinned"}
    assert fitted.tools.is_over
    assert "more than asked for because they have to stay" in fitted.report
    with pytest.raises(InputError, match="no tool 'g' to pin"):
        fit_messages(body, max_tools=2, pin_tools=["g"])
    with pytest.raises(InvalidBudgetError):
        fit_messages(body, max_tools=-1)


def test_the_set_does_not_flip_for_little() -> None:
    first = body_in("openai", "Cancel the flight and send a mail to a person about it.")
    before = fit_messages(first, max_tools=2).tools
    assert before is not None
    again = {**body_in("openai", "Thanks! And the day?"), "tools": first["tools"]}
    fresh = fit_messages(again, max_tools=2).tools
    held = fit_messages(again, max_tools=2, previous_tools=before.kept).tools
    assert fresh is not None
    assert held is not None
    assert len(set(before.kept) & set(held.kept)) > len(set(before.kept) & set(fresh.kept))
    asked = body_in("openai", "What is the weather of the place, city and day?")
    new = fit_messages(asked, max_tools=2, previous_tools=before.kept).tools
    assert new is not None
    assert "get_weather" in new.kept


@pytest.mark.parametrize("shape", SHAPES)
@seldom
@given(data=st.data())
def test_any_conversation_keeps_the_tools_that_it_calls(shape: str, data: st.DataObject) -> None:
    body = {**data.draw(conversations(shape)), "tools": tools_in(shape)}
    limit = data.draw(st.integers(50, 2000))
    options: dict[str, Any] = {
        "max_tools": data.draw(st.sampled_from((None, 1, 3))),
        "tool_tokens": data.draw(st.sampled_from((0, 40, 120))),
        "policy": data.draw(st.sampled_from(("sliding", "summary", "relevant"))),
    }
    try:
        fitted = fit_messages(body, model=MODELS[shape], max_tokens=limit, **options)
    except BudgetExceededError:
        return
    assert fitted.tokens == recounted(fitted.request, MODELS[shape]) <= limit
    assert faults(shape, fitted.messages) == []
    called = {name for item in fitted.messages for name in calls_in(item)} & set(TOOLS)
    assert called <= set(names_of(fitted.request))
    assert fitted.tools is not None
    assert fitted.tools.is_over <= bool(called)
    again = fit_messages(fitted.request, model=MODELS[shape], max_tokens=limit, **options)
    assert again.messages == fitted.messages
    assert names_of(again.request) == names_of(fitted.request)


@pytest.mark.parametrize(
    ("shape", "run_there"),
    [
        ("openai-responses", {"type": "web_search"}),
        ("anthropic", {"type": "web_search_20250305", "name": "web_search"}),
        ("gemini", {"googleSearch": {}}),
    ],
)
def test_a_tool_that_the_provider_runs_is_refused_at_its_place(
    shape: str, run_there: dict[str, Any]
) -> None:
    body = body_in(shape, "cancel my flight")
    body["tools"] = [*body["tools"], run_there]
    place = rf"tools\[{len(body['tools']) - 1}\]: no counting rule"
    for most in (None, 1):
        with pytest.raises(InputError, match=place) as caught:
            fit_messages(body, model=MODELS[shape], max_tools=most)
        assert "put them back into the fitted request" in (caught.value.hint or "")

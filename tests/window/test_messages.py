"""`fit_messages`: never over on a recount, whole units, the report, and its inputs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import (
    BudgetExceededError,
    ConfigError,
    InputError,
    InvalidBudgetError,
    PackhorseError,
    UnknownModelError,
)
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for, counter_of
from packhorse.tokens.requests.count import count_request
from packhorse.window.growing import GrowingConversation
from packhorse.window.messages import fit_messages
from tests.promises import promised
from tests.strategies import texts

TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "You are terse."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello " * 50},
    {"role": "user", "content": "And now?"},
]
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "find",
            "description": "Find a file",
            "parameters": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    }
]


def recounted(messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None = None) -> int:
    body = {"messages": messages, **({"tools": tools} if tools else {})}
    return count_request(body, model_spec("gpt-4o"), counter_for("gpt-4o")).total_tokens


@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize("limit", [80, 120, 8000])
def test_what_is_kept_counts_to_what_is_said(
    limit: int, tools: list[dict[str, Any]] | None
) -> None:
    fitted = fit_messages(TALK, max_tokens=limit, tools=tools)
    assert fitted.tokens == recounted(list(fitted), tools) <= limit
    assert len(fitted) + len(fitted.dropped) == len(TALK)
    assert bool(fitted.report) == bool(fitted.dropped)


def test_instructions_and_the_last_question_stay() -> None:
    fitted = fit_messages(TALK, max_tokens=60)
    assert [message["content"] for message in fitted] == ["You are terse.", "And now?"]
    assert fitted[0] == TALK[0]
    assert fitted[1:] == (TALK[3],)
    assert "2 of 4 messages left out" in fitted.report


def test_tools_are_charged_before_messages() -> None:
    plain = fit_messages(TALK, max_tokens=8000)
    tooled = fit_messages(TALK, max_tokens=8000, tools=TOOLS)
    assert tooled.tokens - plain.tokens == recounted([], TOOLS) - recounted([])
    with pytest.raises(BudgetExceededError):
        fit_messages(TALK, max_tokens=30, tools=TOOLS)


@promised
@given(
    contents=st.lists(st.tuples(st.sampled_from(("user", "assistant")), texts(3)), max_size=8),
    limit=st.integers(0, 120),
)
def test_never_over_and_fitting_again_changes_nothing(
    contents: list[tuple[str, str]], limit: int
) -> None:
    talk = [{"role": role, "content": content} for role, content in contents]
    try:
        fitted = fit_messages(talk, max_tokens=limit)
    except BudgetExceededError:
        return
    if fitted.messages:
        assert recounted(list(fitted)) == fitted.tokens <= limit
    assert fit_messages(list(fitted), max_tokens=limit).messages == fitted.messages


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"max_tokens": -1}, InvalidBudgetError),
        ({"max_tokens": 1.5}, InvalidBudgetError),
        ({"max_tokens": None}, InputError),
        ({"model": "gpt-4oo"}, UnknownModelError),
        ({"messages": [{"role": "user", "content": [{"type": "hologram"}]}]}, InputError),
        ({"messages": "hello"}, InputError),
        ({"model": 5}, InputError),
        ({"tools": 5}, InputError),
        ({"policy": None}, ConfigError),
        ({"pin": "0"}, InputError),
        ({"pin": 0}, InputError),
        ({"pin": [True]}, InputError),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        fit_messages(**{"messages": TALK, **arguments})
    with pytest.raises(error):
        GrowingConversation(arguments.get("messages", TALK), **_but("messages", arguments)).fitted()


def _but(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key != name}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"sections": 5}, "sections is 5, neither a file nor declarations"),
        ({"sections": {5: {"floor": 1}}}, "sections.5 is {'floor': 1}, sections"),
        ({"as_of": "never"}, "as_of 'never' is not a date: "),
        ({"pin": ["0"]}, "pin holds '0', not an index"),
        ({"pin_tools": ["zz"]}, "There is no tool 'zz' to pin"),
        ({"pin_tools": "zz"}, "pin_tools is 'zz', not a list of names"),
        ({"previous_tools": "zz"}, "previous_tools is 'zz', not a list of names"),
        ({"max_tools": 1.5}, "max_tools is 1.5, not a whole number"),
        ({"summary_tokens": -1}, "summary_tokens is -1, not a whole number"),
        ({"examples_tokens": -1}, "examples_tokens is -1, not a whole number"),
        ({"examples_form": "song"}, "The form of examples is 'song'"),
        ({"examples_order": "any"}, "The order of examples is 'any'"),
        ({"offload": 5}, "offload is 5, not a path"),
    ],
)
def test_a_setting_is_checked_though_nothing_asks_for_it(
    arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(PackhorseError) as caught:
        fit_messages(TALK, **arguments)
    assert caught.value.message.startswith(said)
    assert caught.value.hint


@pytest.mark.parametrize("pin", [(), (0,), (2,), (3,), (0, 2, 3)])
def test_what_is_too_large_is_told_in_parts_that_add_up(pin: tuple[int, ...]) -> None:
    with pytest.raises(BudgetExceededError) as caught:
        fit_messages(TALK, max_tokens=5, pin=pin)
    parts = dict(caught.value.parts)
    assert min(parts.values()) >= 0
    assert sum(parts.values()) == caught.value.needed
    assert parts["system messages"] == recounted(TALK[:1]) - recounted([])
    last = recounted(TALK[3:]) - recounted([])
    assert parts["last user message"] == (0 if 3 in pin else last)


def test_each_marker_says_how_long_its_own_result_was() -> None:
    ids = ("a", "b", "c")
    calls = [
        {"id": name, "type": "function", "function": {"name": "find", "arguments": "{}"}}
        for name in ids
    ]
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": "Find it"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *(
            {"role": "tool", "tool_call_id": name, "content": "word " * words}
            for name, words in zip(ids, (200, 300, 10), strict=True)
        ),
    ]
    fitted = fit_messages(talk, max_tokens=130)
    counter = counter_for("gpt-4o")
    assert [each.place for each in fitted.elided] == [3, 2]
    for each in fitted.elided:
        assert each.tokens == counter.count(talk[each.place]["content"])
        assert f"{each.tokens} tokens" in each.marker
        assert fitted[each.place]["content"] == each.marker
    assert fitted.report == "2 results of the latest tool call replaced"


def test_a_body_is_counted_for_the_model_that_it_names() -> None:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": TALK[1:]}
    fitted = fit_messages(body, max_tokens=100)
    spec = model_spec("claude-sonnet-4-5")
    assert fitted.tokens == count_request(fitted.request, spec, counter_of(spec)).total_tokens
    assert not fitted.exact
    grown = GrowingConversation(body, max_tokens=100).fitted()
    assert (grown.tokens, grown.exact, grown.messages) == (fitted.tokens, False, fitted.messages)
    assert fit_messages(TALK).ledger == fit_messages(TALK, "gpt-4o").ledger


def test_a_model_that_is_asked_for_goes_before_the_one_of_the_body() -> None:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": TALK[1:]}
    fitted = fit_messages(body, "gpt-4o")
    assert fitted.exact
    assert (
        fitted.tokens
        == count_request(body, model_spec("gpt-4o"), counter_for("gpt-4o")).total_tokens
    )
    assert GrowingConversation(body, "gpt-4o").fitted().ledger == fitted.ledger


@pytest.mark.parametrize(("model", "error"), [("no-such", UnknownModelError), (5, InputError)])
def test_a_body_whose_model_nobody_knows_is_refused(model: Any, error: type[Exception]) -> None:
    for fit in (fit_messages, GrowingConversation):
        with pytest.raises(error):
            fit({"model": model, "messages": TALK})


NOTES = [{"id": "a", "text": "Likes mate."}]


@pytest.mark.parametrize("field", ["input", "contents"])
def test_a_text_in_place_of_messages_comes_back_as_one(field: str) -> None:
    body = {field: "What does she like?"}
    fitted = fit_messages(body)
    assert fitted.request == body
    assert fitted.messages == ("What does she like?",)
    noted = fit_messages(body, memory=NOTES)
    assert noted.request[field].endswith("Likes mate.</note>\n</memory>\nWhat does she like?")
    assert fit_messages(noted.request, memory=NOTES).request == noted.request
    grown = GrowingConversation(body)
    assert grown.fitted().request == body


@pytest.mark.parametrize(
    ("field", "asked", "answer"),
    [
        ("input", {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}),
        (
            "contents",
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"text": "Ho"}]},
        ),
    ],
)
def test_a_text_beside_which_something_is_put_becomes_a_message(
    field: str, asked: dict[str, Any], answer: dict[str, Any]
) -> None:
    shown = fit_messages({field: "Hi"}, examples=[{"id": "e", "input": "Hey", "output": "Ho"}])
    assert shown.request[field][1:] == [answer, asked]
    assert shown.messages == tuple(shown.request[field])
    grown = GrowingConversation({field: "Hi"})
    grown.append(answer)
    assert grown.fitted().request == {field: [asked, answer]}


@pytest.mark.parametrize(
    "body",
    [
        {"model": "gpt-4o", "input": []},
        {"contents": []},
        {"messages": []},
        {"input": [{"type": "function_call_output", "call_id": "x", "output": "y"}]},
    ],
)
def test_nothing_fits_as_nothing(body: dict[str, Any]) -> None:
    field = next(name for name in body if name != "model")
    assert fit_messages(body).request == {**body, field: []}
    assert fit_messages(body, policy="summary").messages == ()
    assert GrowingConversation(body).fitted().messages == ()


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": None}]},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": []}]},
        {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": None}]},
        {"input": [{"role": "user", "content": None}]},
        {"contents": [{"role": "user", "parts": None}]},
        {"contents": [{"role": "user"}]},
    ],
)
def test_a_note_stands_in_a_message_without_content_too(body: dict[str, Any]) -> None:
    fitted = fit_messages(body, memory=NOTES)
    assert [note.kept for note in fitted.notes] == [True]
    assert "Likes mate." in str(fitted.request)
    assert fitted.ledger["memory"] > 0
    assert fit_messages(fitted.request, memory=NOTES).request == fitted.request
    assert fit_messages(body, memory=[]).request == body


def test_two_tools_of_one_name_cannot_be_chosen_among() -> None:
    with pytest.raises(InputError, match="'find' is defined twice"):
        fit_messages(TALK, tools=[*TOOLS, *TOOLS], max_tools=1)


@pytest.mark.parametrize("tools", [5, "find", {"a": 1}, [5], [None]])
def test_tools_of_a_body_that_are_none_are_told_at_their_place(tools: Any) -> None:
    with pytest.raises(InputError, match=r"^tools"):
        fit_messages({"messages": TALK, "tools": tools}, max_tools=1)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"floor": 100, "cap": 50}, "floor is 100, above the cap of 50"),
        ({"floor": "60%", "cap": "50%"}, "floor is 60%, above the cap of 50%"),
        ({"floor": 10**9}, "floor is 1000000000, above the cap of 2000"),
    ],
)
def test_a_floor_above_its_cap_is_refused(declared: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=f"sections.memory.{said}"):
        fit_messages(TALK, sections={"memory": declared})


def test_a_cap_below_the_default_floor_lowers_it() -> None:
    fitted = fit_messages(TALK, sections={"memory": {"cap": "5%"}}, memory=NOTES)
    assert [note.kept for note in fitted.notes] == [True]

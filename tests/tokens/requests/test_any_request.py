"""Whatever is written down is counted to the last field or refused by name."""

import copy
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import InputError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.requests.fields import DELIVERY, SAMPLING
from packhorse.tokens.requests.images import image_tokens
from packhorse.tokens.requests.turns import read_request
from tests.promises import promised
from tests.tokens.requests.bodies import FULL, count

SHAPES = sorted(FULL)
BLOCK_NAMES = {"type", "text", "inlineData", "functionCall", "functionResponse"}


def full(shape: str) -> Any:
    return copy.deepcopy(FULL[shape][1])


def model_of(shape: str) -> str:
    return FULL[shape][0]


def objects(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a body with its place, schemas of tools and answers left out."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            if key not in {"parameters", "input_schema", "schema", "responseSchema"}:
                yield from objects(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from objects(inner, f"{path}[{index}]")


def total(body: Any, shape: str) -> int | None:
    """Tokens of a body; None when it is refused."""
    try:
        return count(body, model_of(shape)).total_tokens
    except InputError:
        return None


@pytest.mark.parametrize("shape", SHAPES)
def test_a_full_body_is_counted_and_its_lines_add_up(shape: str) -> None:
    counted = count(full(shape), model_of(shape))
    assert counted.total_tokens == sum(counted.lines.values())
    assert all(tokens >= 0 for tokens in counted.lines.values())
    contents = sum(cost.content for cost in counted.messages)
    lines = counted.lines
    assert lines["system_prompt"] + lines["history"] + lines["query"] == contents
    assert counted.left == counted.window - counted.total_tokens - counted.reservation.output
    assert counted.warnings == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_every_kind_of_block_is_refused_once_its_name_is_unknown(shape: str) -> None:
    names = (
        {
            value["type"]
            for path, value in objects(full(shape)["contents" if shape == "gemini" else "messages"])
            if isinstance(value.get("type"), str) and "content" in path and "source" not in path
        }
        if shape not in {"gemini", "responses"}
        else set()
    )
    for name in sorted(names):
        text = json.dumps(full(shape)).replace(f'"type": "{name}"', f'"type": "{name}_2"')
        with pytest.raises(InputError, match=rf"{name}_2"):
            count(json.loads(text), model_of(shape))


@pytest.mark.parametrize(
    "item", ["reasoning", "function_call", "function_call_output", "message", "input_text",
             "input_image", "output_text"]
)  # fmt: skip
def test_every_kind_of_item_is_refused_once_its_name_is_unknown(item: str) -> None:
    text = json.dumps(full("responses")).replace(f'"type": "{item}"', f'"type": "{item}_2"')
    with pytest.raises(InputError, match=f"{item}_2"):
        count(json.loads(text))


@pytest.mark.parametrize("part", ["text", "inlineData", "functionCall", "functionResponse"])
def test_every_kind_of_part_is_refused_once_its_name_is_unknown(part: str) -> None:
    body = full("gemini")
    text = json.dumps(body["contents"]).replace(f'"{part}":', f'"{part}2":')
    with pytest.raises(InputError, match=rf"contents\[\d\]\.parts.*{part}2"):
        count({**body, "contents": json.loads(text)}, "gemini-2.5-pro")


@pytest.mark.parametrize("shape", SHAPES)
def test_an_unknown_field_with_text_is_refused_wherever_it_stands(shape: str) -> None:
    whole = total(full(shape), shape)
    ignored = []
    for place in range(len(list(objects(full(shape))))):
        body = full(shape)
        path, value = list(objects(body))[place]
        value["surprise"] = "a text that nobody expects " * 20
        if total(body, shape) == whole:
            ignored.append(path)
    marks = (
        ".metadata",
        ".cache_control",
        ".options",
        ".reasoning",
        ".thinking",
        ".thinkingConfig",
    )
    assert [path for path in ignored if not path.endswith(marks)] == []


@pytest.mark.parametrize("shape", SHAPES)
def test_an_unknown_number_is_named_and_costs_nothing(shape: str) -> None:
    counted = count({**full(shape), "surprise": 3}, model_of(shape))
    assert counted.total_tokens == count(full(shape), model_of(shape)).total_tokens
    assert counted.warnings == ("The unknown field surprise was taken to cost nothing",)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_unknown_role_is_refused_by_name(shape: str) -> None:
    text = json.dumps(full(shape)).replace('"role": "user"', '"role": "wizard"')
    with pytest.raises(InputError, match="'wizard'"):
        count(json.loads(text), model_of(shape))


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=st.integers(0, 2**32))
def test_the_order_of_fields_and_what_costs_nothing_change_nothing(shape: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - shuffles test data
    body = full(shape)
    if shape != "gemini":
        for name in chance.sample(sorted((SAMPLING | DELIVERY) - {"model"}), 5):
            body[name] = chance.choice(["x", 1, 0.5, True, None, ["a"], {"b": "c"}])
    body = dict(chance.sample(list(body.items()), len(body)))
    for path, value in list(objects(body)):
        items = list(value.items())
        # What is counted as JSON is counted in its own order: definitions, formats, arguments.
        if path.startswith((".messages", ".contents", ".input")) and not {"at", "r"} & set(value):
            chance.shuffle(items)
        value.clear()
        value.update(items)
    assert count(body, model_of(shape)).lines == count(full(shape), model_of(shape)).lines


def test_refusals_are_kept_for_who_asks_the_provider() -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}]}
    request = read_request(body)
    assert [refusal.where for turn in request.turns for refusal in turn.refused] == [
        "messages[0].content[0]"
    ]
    request.without_refusals().check_countable()
    run_there = read_request({"messages": [], "tools": [{"type": "web_search"}, {"name": "f"}]})
    assert [refusal.where for refusal in run_there.refused] == ["tools[0]"]
    assert run_there.without_refusals().tools == ({"name": "f"},)
    with pytest.raises(InputError, match="'file'"):
        request.check_countable()


JUNK = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.binary(max_size=3),
        st.sampled_from(["user", "system", "assistant", "tool", "model", "low", "auto", "\ud800"]),
        st.sampled_from(["text", "image", "image_url", "tool_use", "tool_result", "thinking",
                         "document", "reasoning", "function_call", "message", "base64",
                         "search_result", "redacted_thinking", "function_call_output"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner),
        st.dictionaries(
            st.sampled_from(
                ["messages", "contents", "input", "role", "content", "type", "text", "tools",
                 "parts", "tool_calls", "function", "name", "image_url", "source", "system", "data",
                 "output", "arguments", "call_id", "summary", "functionCall", "functionResponse",
                 "inlineData", "systemInstruction", "generationConfig", "thinkingConfig",
                 "toolConfig", "tool_choice", "response_format", "parameters", "properties", "enum",
                 "max_tokens", "thinking", "budget_tokens", "options", "num_predict", "images",
                 "title", "citations", "functionDeclarations", "output_config", "args", "id"]
            ),
            inner,
            max_size=5,
        ),
        st.dictionaries(st.one_of(st.integers(), st.text(max_size=2)), inner, max_size=2),
    ),
    max_leaves=25,
)  # fmt: skip


@promised
@given(body=JUNK, key=st.sampled_from(["messages", "contents", "input"]), model=st.sampled_from(
    ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro", "gpt-4.1-mini"]
))  # fmt: skip
def test_any_json_is_counted_or_refused_and_never_crashes(body: Any, key: str, model: str) -> None:
    for request in (body, {key: body}, {key: [body]}, {key: [{"role": "user", "content": [body]}]}):
        with suppress(InputError):
            counted = count(request, model)
            assert counted.total_tokens == sum(counted.lines.values()) >= 0
            assert len(counted.messages) == len(read_request(request).turns)


@promised
@given(shape=st.sampled_from(SHAPES), junk=JUNK, data=st.data())
def test_a_body_with_one_value_replaced_never_crashes(shape: str, junk: Any, data: Any) -> None:
    body = full(shape)
    _, value = data.draw(st.sampled_from(list(objects(body))))
    if value:
        value[data.draw(st.sampled_from(sorted(value)))] = junk
    with suppress(InputError):
        assert count(body, model_of(shape)).total_tokens >= 0


@pytest.mark.parametrize("depth", [500, 100_000])
def test_deep_nesting_is_refused_or_counted(depth: int) -> None:
    deep: Any = "x"
    for _ in range(depth):
        deep = [deep]
    bodies: list[Any] = [
        {"messages": [{"role": "user", "content": deep}]},
        {
            "messages": [],
            "tools": [{"name": "f", "parameters": {"properties": {"p": {"d": deep}}}}],
        },
        {"messages": [], "response_format": {"a": deep}},
        {"contents": [{"parts": [{"functionCall": {"name": "f", "args": deep}}]}]},
        {"input": deep},
    ]
    for body in bodies:
        with suppress(InputError):
            count(body)


@pytest.mark.parametrize(
    "number",
    [10**5_000, -(10**5_000), float("nan"), float("inf"), 10**400],
    ids=["huge", "tiny", "nan", "inf", "large"],
)
def test_numbers_that_cannot_be_written_are_no_crash(number: float) -> None:
    user = {"role": "user", "content": "x"}
    bodies: list[Any] = [
        {"messages": [user], "max_tokens": number},
        {"messages": [user], "options": {"num_predict": number}},
        {"messages": [user], "thinking": {"budget_tokens": number}},
        {"messages": [user], "color": number},
        {"messages": [number]},
        {"messages": [{"role": "user", "content": number}]},
        {"messages": [user], "tools": [{"name": "f", "parameters": {"minimum": number}}]},
        {"messages": [user], "response_format": {"a": number}},
        {"messages": [user], "tool_choice": number},
        {"contents": "x", "generationConfig": {"maxOutputTokens": number}},
        {"input": "x", "text": {"format": {"a": number}, "verbosity": number}},
    ]
    for body in bodies:
        with suppress(InputError):
            assert count(body).total_tokens > 0


def test_results_within_results_do_not_overflow() -> None:
    part: dict[str, Any] = {"text": "x"}
    for _ in range(5_000):
        part = {"functionResponse": {"name": "f", "response": {}, "parts": [part]}}
    with pytest.raises(InputError, match="functionResponse"):
        count({"contents": [{"parts": [part]}]})
    block: dict[str, Any] = {"type": "text", "text": "x"}
    for _ in range(5_000):
        block = {"type": "tool_result", "content": [block]}
    with pytest.raises(InputError, match="tool_result"):
        count({"messages": [{"role": "user", "content": [block]}]})


@pytest.mark.parametrize("shape", SHAPES)
def test_what_images_cost_is_in_the_lines(shape: str) -> None:
    model, spec = model_of(shape), model_spec(model_of(shape))
    images = [image for turn in read_request(full(shape)).turns for image in turn.images]
    assert images
    plain = json.loads(json.dumps(full(shape)))
    cheaper = json.dumps(plain).replace(images[0].data or "", "")
    with pytest.raises(InputError, match="size cannot be read"):
        count(json.loads(cheaper), model)
    assert count(plain, model).total_tokens > sum(image_tokens(image, spec) for image in images)


def test_every_refused_part_is_named_with_its_place() -> None:
    body = {
        "messages": [
            {"role": "wizard", "content": [{"type": "input_audio"}, {"type": "text", "text": "x"}]},
            {"role": "user", "content": [{"type": "file"}, 7], "mood": "gay"},
        ],
        "tools": [
            {"type": "web_search"},
            {"type": "function", "function": {"name": "f"}, "x": "y"},
        ],
        "prediction": {"content": "x"},
    }
    with pytest.raises(InputError) as caught:
        count(body)
    named = [
        "messages[0].role: the unknown role 'wizard'",
        "messages[0].content[0]: a content block of type 'input_audio'",
        "messages[1].content[0]: a content block of type 'file'",
        "messages[1].content[1]: a content block that is a number",
        "messages[1].mood: the unknown field 'mood'",
        'tools[0]: a tool of type "web_search"',
        "tools[1].x: the unknown field 'x'",
        "prediction: the field 'prediction'",
    ]
    assert "No counting rule for 8 parts of the request" in caught.value.message
    assert [part for part in named if part not in caught.value.message] == []
    hint = caught.value.hint or ""
    assert hint.count("Leave the block out") == 1
    assert "Leave out what the provider runs" in hint


@pytest.mark.parametrize("key", ["messages", "contents", "input"])
def test_a_request_without_messages_is_warned_about(key: str) -> None:
    model = "gemini-2.5-pro" if key == "contents" else "gpt-4o"
    assert [said for said in count({key: []}, model).warnings if "no messages" in said]
    assert count({key: "x" if key != "messages" else TALK}, model).warnings == ()
    assert count([]).warnings == count({"messages": []}).warnings


TALK = [{"role": "user", "content": "x"}]


def test_contents_for_a_model_that_takes_none_are_warned_about() -> None:
    (warning,) = count({"contents": "x"}).warnings
    assert "Gemini's shape" in warning
    assert "gpt-4o" in warning


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"messages": 3}, "messages is a number, not a list"),
        ({"messages": True}, "messages is true or false, not a list"),
        ({"messages": None}, "messages is null, not a list"),
        ({"messages": {"a": 1}}, "messages is an object, not a list"),
        ({"messages": "x"}, "messages is text, not a list"),
        ({"messages": [{"role": "user", "content": 1.5}]}, "content is a number, not a list"),
        ({"messages": [], "output_config": ["x"]}, "output_config is a list, not an object"),
        ({"messages": [{"role": "user", "content": "x", "name": []}]}, "name is a list, not text"),
        ({"messages": {1, 2}}, "messages is something that JSON does not have"),
    ],
)
def test_a_value_of_the_wrong_kind_is_told_in_a_readers_words(body: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        count(body)

"""A request to a Mistral model has as many tokens as mistral-common itself gives it."""

import base64
import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.base import SpecialTokens
from mistral_common.tokens.tokenizers.image import ImageConfig, ImageEncoder, SpecialImageIDs
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

from packhorse.errors import ConfigError, InputError, MissingExtraError
from packhorse.text.wellformed import well_formed
from packhorse.tokens.models.spec import ModelSpec
from packhorse.tokens.models.table import built_in_models, load_models
from packhorse.tokens.registry import counter_named, counter_of
from packhorse.tokens.requests.count import count_request, message_costs, request_counter
from packhorse.tokens.requests.mistral import MistralCounter, is_mistral_format
from packhorse.tokens.requests.mistral_format import _patches, mistral_format
from packhorse.tokens.requests.request import RequestCount
from packhorse.types.message import Message
from tests.strategies import texts
from tests.tokens.pictures import png
from tests.tokens.vocabularies.samples import package_path

PACKAGED = ("mistral-v1", "mistral-v2", "mistral-v3", "mistral-v7", "mistral-tekken-240718")
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "find",
            "description": "Finds a document, naïve or not.",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
        },
    }
]
CALL = {"id": "abcdefghi", "type": "function", "function": {"name": "find", "arguments": "{}"}}
WITH_CALLS = [
    {"role": "user", "content": "Find it"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "abcdefghi", "name": "find", "content": '{"a": [1, 2]}'},
    {"role": "assistant", "content": "Found."},
    {"role": "user", "content": "Again"},
]


def spec_of(tokenizer: str, template: str = "mistral-common") -> ModelSpec:
    row = next(model for model in built_in_models() if model.provider == "mistral")
    return replace(row, tokenizer=tokenizer, template=template, exact=True, margin=0.0)


def counted(body: Any, tokenizer: str, template: str = "mistral-common") -> RequestCount:
    spec = spec_of(tokenizer, template)
    return count_request(body, spec, counter_of(spec))


@cache
def library(tokenizer: str) -> MistralTokenizer[Any, Any, Any, Any, Any]:
    version = tokenizer.rpartition("-")[2]
    if "tekken" in tokenizer:
        return MistralTokenizer.v3(is_tekken=True)
    made: MistralTokenizer[Any, Any, Any, Any, Any] = getattr(MistralTokenizer, version)()
    return made


def expected(tokenizer: MistralTokenizer[Any, Any, Any, Any, Any], body: dict[str, Any]) -> int:
    goes_on = bool(body["messages"][-1].get("prefix"))
    request: ChatCompletionRequest[Any] = ChatCompletionRequest.from_openai(
        messages=body["messages"], tools=body.get("tools"), continue_final_message=goes_on
    )
    return len(tokenizer.encode_chat_completion(request).tokens)


@cache
def later_file(folder: Path, version: str) -> Path:
    """A vocabulary of a later version, as its model's folder holds it."""
    source = package_path("mistral_common", "data", "tekken_240911.json")
    content = json.loads(source.read_bytes())
    content["config"]["version"] = version
    content["special_tokens"] = [
        {"rank": rank, "token_str": token.value, "is_control": True}
        for rank, token in enumerate(SpecialTokens)
    ]
    if version == "v15":
        effort = {
            "type": "enum", "accepts_none": True, "default": "none", "values": ["none", "high"],
        }  # fmt: skip
        content["model_settings_builder"] = {"reasoning_effort": effort}
    path = folder / f"tekken-{version}.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture(scope="session", params=["v11", "v13"])
def later(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vocabulary file of a later version."""
    return later_file(tmp_path_factory.getbasetemp(), request.param)


@st.composite
def conversations(draw: st.DrawFn, *, calls: bool) -> dict[str, Any]:
    """Requests that every version takes, or with calls, which version 1 does not."""
    words = texts(4).map(well_formed).filter(lambda text: bool(text.strip()))
    system = [{"role": "system", "content": draw(words)}] if draw(st.booleans()) else []
    messages: list[dict[str, Any]] = [*system]
    for _ in range(draw(st.integers(0, 2))):
        messages += [{"role": "user", "content": draw(words)}] * draw(st.integers(1, 2))
        if calls and draw(st.booleans()):
            called = {**CALL, "function": {"name": "find", "arguments": json.dumps(draw(words))}}
            messages.append({"role": "assistant", "tool_calls": [called]})
            messages.append(
                {"role": "tool", "tool_call_id": CALL["id"], "name": "x", "content": draw(words)}
            )
        messages.append({"role": "assistant", "content": draw(words)})
    content = draw(words)
    blocks = [{"type": "text", "text": content}, {"type": "text", "text": draw(words)}]
    messages.append({"role": "user", "content": draw(st.sampled_from([content, blocks]))})
    if draw(st.booleans()):
        messages.append({"role": "assistant", "content": draw(words), "prefix": True})
    return {"messages": messages, **({"tools": TOOLS} if calls and draw(st.booleans()) else {})}


def check(count: RequestCount, total: int, body: dict[str, Any]) -> None:
    assert count.total_tokens == total
    assert min(count.lines.values()) >= 0
    assert len(count.messages) == len(body["messages"])
    assert min(cost.content for cost in count.messages) >= 0
    assert min(cost.overhead for cost in count.messages) >= 0
    assert sum(cost.total for cost in count.messages) + count.lines["tools"] <= total
    contents = sum(count.lines[name] for name in ("system_prompt", "history", "query"))
    assert sum(cost.content for cost in count.messages) == contents
    assert (count.lines["tools"] > 0) == ("tools" in body)
    assert count.exact


@pytest.mark.parametrize("tokenizer", PACKAGED)
@given(data=st.data())
def test_any_conversation_costs_what_mistral_common_gives_it(
    tokenizer: str, data: st.DataObject
) -> None:
    body = data.draw(conversations(calls=tokenizer != "mistral-v1"))
    check(counted(body, tokenizer), expected(library(tokenizer), body), body)


@cache
def _from_file(path: Path) -> MistralTokenizer[Any, Any, Any, Any, Any]:
    return MistralTokenizer.from_file(path)


@given(body=conversations(calls=True))
def test_any_conversation_in_a_later_format_too(later: Path, body: dict[str, Any]) -> None:
    check(counted(body, str(later)), expected(_from_file(later), body), body)


@pytest.mark.parametrize("version", ["v7", "v11", "v13"])
def test_the_template_names_a_version_that_the_vocabulary_does_not(
    version: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = later_file(tmp_path_factory.getbasetemp(), version)
    body = {"messages": WITH_CALLS, "tools": TOOLS}
    count = counted(body, "mistral-tekken-240911", f"mistral-common:{version}")
    assert count.total_tokens == expected(_from_file(path), body)


def test_effort_is_part_of_a_request_from_version_15_on(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = later_file(tmp_path_factory.getbasetemp(), "v15")
    body: dict[str, Any] = {"messages": WITH_CALLS, "tools": TOOLS, "reasoning_effort": "high"}
    request: ChatCompletionRequest[Any] = ChatCompletionRequest.from_openai(**body)
    total = len(_from_file(path).encode_chat_completion(request).tokens)
    assert counted(body, str(path)).total_tokens == total
    with pytest.raises(InputError, match="not supported"):
        counted(body, "mistral-tekken-240911")


def test_thinking_is_counted_where_the_format_has_it() -> None:
    thought = {"type": "thinking", "thinking": "Let me see."}
    answer = {"role": "assistant", "content": [thought, {"type": "text", "text": "Yes"}]}
    body = {"messages": [WITH_CALLS[0], answer, WITH_CALLS[4]]}
    assert counted(body, "mistral-tekken-240911", "mistral-common:v13").total_tokens > 10
    with pytest.raises(InputError, match="mistral-common cannot express it"):
        counted(body, "mistral-v3")


@pytest.mark.parametrize(
    "size", [(1, 1), (16, 16), (17, 40), (1024, 1024), (3000, 10), (4000, 3000)]
)
def test_an_image_costs_what_mistral_commons_encoder_gives_it(size: tuple[int, int]) -> None:
    from PIL import Image

    config = ImageConfig(16, 1024, 2)
    encoder = ImageEncoder(config, SpecialImageIDs(1, 2, 3))
    assert _patches(*size, vars(config)) == encoder._image_to_num_tokens(Image.new("1", size))


def test_an_image_in_the_request_is_counted_and_its_pixels_are_not_read() -> None:
    image = base64.b64encode(png(32, 48)).decode()
    block = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}}
    say = {"type": "text", "text": "What is this?"}
    with_image = counted(
        {"messages": [{"role": "user", "content": [say, block]}]}, "mistral-tekken-240911"
    )
    without = counted({"messages": [{"role": "user", "content": [say]}]}, "mistral-tekken-240911")
    assert with_image.total_tokens - without.total_tokens == (2 + 1) * 3
    assert with_image.lines["query"] - without.lines["query"] == 9
    with pytest.raises(InputError, match="takes no images"):
        counted({"messages": [{"role": "user", "content": [say, block]}]}, "mistral-v7")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"messages": []}, "request"),
        ([{"role": "assistant", "content": "I begin"}], "request"),
        ([{"role": "critic", "content": "x"}], "messages\\[0\\]: .* role 'critic'"),
        (["text"], "messages\\[0\\]"),
        ([{"role": "user", "content": "x", "audio": {"id": 1}}], "messages\\[0\\].audio"),
        (
            [{"role": "user", "content": [{"type": "document", "source": {}}]}],
            "messages\\[0\\].content\\[0\\]: .* type 'document'",
        ),
        (
            [
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
                    ],
                }
            ],
            "messages\\[0\\].content\\[0\\]: only an image inside the request",
        ),
        (
            [
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": "file:///etc/passwd"}],
                }
            ],
            "only an image inside the request",
        ),
        ({"messages": WITH_CALLS[:1], "functions": [{"name": "f"}]}, "functions"),
        ({"system": "x", "messages": WITH_CALLS[:1]}, "system"),
        ({"contents": [{"parts": [{"text": "x"}]}]}, "contents"),
        ([WITH_CALLS[0], {"role": "tool", "content": "x"}], "mistral-common cannot express it"),
        (
            {"messages": WITH_CALLS[:1], "tools": [{"type": "function", "function": {"name": ""}}]},
            "mistral-common cannot express it",
        ),
        ([{"role": "user", "content": {"text": "x"}}], "content"),
    ],
)
def test_what_it_cannot_express_is_refused_by_name(body: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        counted(body, "mistral-tekken-240911")
    assert caught.value.hint


def test_text_is_data_and_bounded_in_time() -> None:
    """mistral-common's own tokenizer panics on this text."""
    spaces = {"messages": [{"role": "user", "content": "[/INST]" + " " * 1_000_000 + "\ud800"}]}
    count = counted(spaces, "mistral-tekken-240911")
    content = str(spaces["messages"][0]["content"])
    assert count.lines["query"] == counter_named("mistral-tekken-240911").count(content)
    assert count.lines["message_overhead"] == 3


def test_texts_stand_on_their_lines_and_control_tokens_are_overhead() -> None:
    count = counted({"messages": WITH_CALLS[3:], "tools": TOOLS}, "mistral-v3")
    assert count.lines["history"] == counter_named("mistral-v3").count("Found.")
    assert count.lines["query"] == counter_named("mistral-v3").count("Again")
    assert count.lines["tools"] > 20


@given(
    contents=st.lists(
        # An assistant's spaces at the end are left out of the request.
        texts(3).map(str.rstrip).filter(bool),
        min_size=1,
        max_size=6,
    )
)
def test_costs_of_turns_and_the_reply_are_just_above_the_whole(contents: list[str]) -> None:
    spec = spec_of("mistral-tekken-240911", "mistral-common:v13")
    counter = counter_of(spec)
    roles = ["user", "assistant"] * 3
    body: list[dict[str, Any]] = [
        {"role": role, "content": content} for role, content in zip(roles, contents, strict=False)
    ]
    if body[-1]["role"] == "assistant":
        body[-1]["prefix"] = True
    messages = [Message(role=each["role"], content=each["content"]) for each in body]
    costs = sum(cost.total for cost in message_costs(messages, spec, counter))
    whole = count_request(body, spec, counter).total_tokens
    assert whole <= costs + spec.framing.reply <= whole + 2


def test_a_users_row_selects_it(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(
        "models:\n  mistral-small-2603: {template: 'mistral-common:v13', exact: true, margin: 0}\n",
        encoding="utf-8",
    )
    spec = load_models(path).spec("mistral-small-2603")
    assert spec.template == "mistral-common:v13"
    assert isinstance(request_counter(spec, counter_of(spec)), MistralCounter)


def test_only_its_own_name_selects_it() -> None:
    assert is_mistral_format("mistral-common")
    assert is_mistral_format("mistral-common:v3")
    assert not is_mistral_format("models/mistral-common")
    assert not is_mistral_format(None)


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("mistral-common:latest", "names the version 'latest'"),
        ("mistral-common:v99", "version v99"),
    ],
)
def test_a_version_that_nobody_knows_is_refused(template: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        counted({"messages": WITH_CALLS[:1]}, "mistral-tekken-240911", template)


def test_a_vocabulary_that_names_no_version_needs_one(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.model"
    data = package_path("mistral_common", "data", "tokenizer.model.v1").read_bytes()
    path.write_bytes(data)
    with pytest.raises(ConfigError, match="does not say which"):
        counted(WITH_CALLS[:1], str(path))
    named = counted(WITH_CALLS[:1], str(path), "mistral-common:v1").total_tokens
    assert named == counted(WITH_CALLS[:1], "mistral-v1").total_tokens
    path.with_suffix(".json").write_text('{"config": 3}', encoding="utf-8")
    spec = replace(spec_of("mistral-v1"), tokenizer=str(path.with_suffix(".json")))
    with pytest.raises(InputError, match="is not a whole Tekken vocabulary"):
        count_request(WITH_CALLS[:1], spec, counter_named("mistral-v1"))


def test_without_the_package_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "mistral_common.tokens.tokenizers.base", None)
    mistral_format.cache_clear()  # another test may have made this model's format
    spec = spec_of("mistral-v7")
    with pytest.raises(MissingExtraError) as caught:
        count_request(WITH_CALLS[:1], spec, counter_named("mistral-v7"))
    assert caught.value.hint == "Install it with: pip install 'packhorse[mistral]'"

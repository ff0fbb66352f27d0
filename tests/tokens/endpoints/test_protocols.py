"""What goes over the wire to each endpoint, and what is made of its answer."""

from collections.abc import Callable
from typing import Any

import pytest

from packhorse.errors import ConfigError, CountingError, InputError, MissingKeyError
from packhorse.tokens.endpoints.endpoint import Endpoint
from packhorse.tokens.endpoints.engines import LlamaCppEndpoint, VllmEndpoint
from packhorse.tokens.endpoints.registry import (
    PROVIDERS,
    engine_endpoint,
    has_key,
    provider_endpoint,
)
from packhorse.tokens.models.table import built_in_models, model_spec
from packhorse.tokens.requests.request import ChatRequest
from packhorse.tokens.requests.turns import read_request
from tests.posting.servers import KEY, QUICK, Served, ok, serving
from tests.tokens.endpoints.servers import FRAME, llama_cpp, tokens_of, vllm

MODELS = {"anthropic": "claude-sonnet-4-6", "google": "gemini-2.5-pro", "openai": "gpt-4o"}
Asked = Callable[[str], Endpoint]


def environ_of(url: str) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": url,
        "GOOGLE_API_KEY": KEY,
        "GEMINI_BASE_URL": url,
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{url}/v1",
    }


def asked(server: Served, model: str, body: dict[str, Any]) -> dict[str, Any]:
    """What the provider of the model is sent for a request."""
    endpoint = provider_endpoint(model_spec(model), environ_of(server.url), limits=QUICK)
    server.answer = lambda _path, _body: ok(input_tokens=5, totalTokens=5)
    try:
        assert endpoint.request_total(ChatRequest(turns=(), body=body)) == 5
    finally:
        endpoint.close()
    return server.bodies()[-1]


def refused(server: Served, model: str, body: dict[str, Any]) -> str:
    """What is said when a request cannot be asked; nothing is sent."""
    endpoint = provider_endpoint(model_spec(model), environ_of(server.url), limits=QUICK)
    with pytest.raises(InputError, match="has no counterpart in") as caught:
        endpoint.request_total(ChatRequest(turns=(), body=body))
    endpoint.close()
    assert server.asked == []
    return caught.value.message


@pytest.mark.parametrize(
    ("provider", "path", "header", "value"),
    [
        ("anthropic", "/v1/messages/count_tokens", "x-api-key", KEY),
        ("google", "/v1beta/models/gemini-2.5-pro:countTokens", "x-goog-api-key", KEY),
        ("openai", "/v1/responses/input_tokens", "Authorization", f"Bearer {KEY}"),
    ],
)
def test_each_provider_is_asked_at_its_path_with_its_header(
    server: Served, provider: str, path: str, header: str, value: str
) -> None:
    endpoint = provider_endpoint(model_spec(MODELS[provider]), environ_of(server.url))
    assert endpoint.text_total("hello world") == FRAME + 2
    endpoint.close()
    asked_path, headers, _ = server.asked[0]
    assert asked_path == path
    assert {name.lower(): said for name, said in headers.items()}[header.lower()] == value
    if provider == "anthropic":
        assert {name.lower() for name in headers} >= {"anthropic-version"}


def test_every_provider_with_a_shape_of_its_own_has_an_endpoint() -> None:
    closed = {spec.provider for spec in built_in_models() if spec.shape != "openai"}
    assert closed <= set(PROVIDERS)


def test_the_address_is_the_providers_own_over_tls_unless_the_environment_says_another() -> None:
    for provider, model in MODELS.items():
        keys = {PROVIDERS[provider].keys[-1]: KEY}
        endpoint = provider_endpoint(model_spec(model), keys)
        assert endpoint.where == PROVIDERS[provider].address
        assert endpoint.where.startswith("https://")


def test_a_key_is_found_or_its_variables_are_named() -> None:
    spec = model_spec("gemini-2.5-pro")
    assert has_key(spec, {"GOOGLE_API_KEY": KEY})
    assert not has_key(spec, {"GOOGLE_API_KEY": " ", "OPENAI_API_KEY": KEY})
    with pytest.raises(MissingKeyError, match="GEMINI_API_KEY or GOOGLE_API_KEY is not set"):
        provider_endpoint(spec, {})


def test_a_provider_without_an_endpoint_is_said_to_have_none() -> None:
    spec = next(spec for spec in built_in_models() if spec.provider not in PROVIDERS)
    assert not has_key(spec, environ_of("https://x"))
    with pytest.raises(ConfigError, match="has no counting endpoint"):
        provider_endpoint(spec, environ_of("https://x"))


@pytest.mark.parametrize("count", [True, -1, 1.5, "7", None, [7], 10**9 + 1, 2**70])
@pytest.mark.parametrize("model", MODELS.values())
def test_a_count_that_is_no_whole_number_is_refused(
    server: Served, model: str, count: object
) -> None:
    server.answer = lambda _path, _body: ok(input_tokens=count, totalTokens=count)
    endpoint = provider_endpoint(model_spec(model), environ_of(server.url))
    with pytest.raises(CountingError, match="without a whole number of tokens"):
        endpoint.text_total("x")
    endpoint.close()


TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello."},
]


def test_anthropic_gets_instructions_apart_and_limits_not_at_all(server: Served) -> None:
    body = {"messages": TALK, "max_tokens": 9, "temperature": 0, "model": "other"}
    assert asked(server, "claude-opus-4-1", body) == {
        "model": "claude-opus-4-1",
        "system": "Be brief.",
        "messages": TALK[1:],
    }


def test_instructions_in_blocks_become_text(server: Served) -> None:
    blocks = [{"type": "text", "text": "Be "}, {"type": "text", "text": "brief."}]
    body = {"messages": [{"role": "developer", "content": blocks}, *TALK[1:]]}
    assert asked(server, "claude-opus-4-1", body)["system"] == "Be brief."
    empty = {"messages": [{"role": "system", "content": None}, *TALK[1:]]}
    assert "system" not in asked(server, "claude-opus-4-1", empty)


def test_anthropic_gets_its_own_fields_as_they_are(server: Served) -> None:
    own: dict[str, Any] = {
        "system": [{"type": "text", "text": "Be kind."}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
        "tool_choice": {"type": "auto"},
        "thinking": {"type": "enabled", "budget_tokens": 2000},
    }
    assert asked(server, "claude-opus-4-1", own) == {"model": "claude-opus-4-1", **own}
    more = {**own, "messages": [TALK[0], *own["messages"]]}
    system = asked(server, "claude-opus-4-1", more)["system"]
    assert [block["text"] for block in system] == ["Be kind.", "Be brief."]
    text = {**own, "system": "Be kind.", "messages": more["messages"]}
    assert asked(server, "claude-opus-4-1", text)["system"] == "Be kind.\n\nBe brief."


def image(kind: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": kind, "image_url": "data:image/png;base64,"}]}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"messages": [], "mcp_servers": []}, "`mcp_servers`"),
        ({"contents": []}, "`contents`"),
        ({"system": "x"}, "`messages`"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "'tool'"),
        ({"messages": [{"role": "user", "content": "x", "name": "n"}]}, "messages[0].name"),
        ({"messages": [TALK[1], {"role": "assistant", "tool_calls": [1]}]}, "[1].tool_calls"),
        ({"messages": [image("image_url")]}, "'image_url'"),
        ({"messages": [{"role": "system", "content": [{"type": "image"}]}]}, "'image'"),
        ({"messages": ["x"]}, "messages[0]"),
    ],
)
def test_what_anthropic_has_no_place_for_is_named(
    server: Served, body: dict[str, Any], named: str
) -> None:
    assert named in refused(server, "claude-opus-4-1", body)


def test_blocks_of_an_odd_type_are_sent_as_they_are_for_the_provider_to_refuse(
    server: Served,
) -> None:
    odd = {"messages": [{"role": "user", "content": [{"type": ["x"]}]}]}
    assert asked(server, "claude-opus-4-1", odd)["messages"] == odd["messages"]
    file = {"messages": [{"role": "user", "content": [{"type": "file", "file": [1]}]}]}
    (item,) = asked(server, "gpt-4o", file)["input"]
    assert item["content"] == [{"type": "input_file", "file": [1]}]


def test_gemini_gets_the_whole_request(server: Served) -> None:
    own = {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "f"}]}],
    }
    assert asked(server, "gemini-2.5-pro", {**own, "safetySettings": []}) == {
        "generateContentRequest": {"model": "models/gemini-2.5-pro", **own}
    }
    bare = asked(server, "gemini-2.5-pro", {"contents": "Hi"})["generateContentRequest"]
    assert bare["contents"] == own["contents"]


def test_gemini_gets_plain_messages_as_contents(server: Served) -> None:
    sent = asked(server, "gemini-2.5-pro", {"messages": TALK})["generateContentRequest"]
    assert sent["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert [content["role"] for content in sent["contents"]] == ["user", "model"]
    assert sent["contents"][1]["parts"] == [{"text": "Hello."}]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"contents": [], "labels": {}}, "`labels`"),
        ({"messages": TALK, "tools": []}, "`tools` beside `messages`"),
        ({"messages": TALK, "contents": []}, "`contents` beside `messages`"),
        ({"messages": TALK, "systemInstruction": {}}, "`systemInstruction` beside `messages`"),
        ({"messages": TALK, "system_instruction": {}}, "`system_instruction` beside `messages`"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "'tool'"),
        ({"messages": [{"role": "user", "content": "x", "name": "n"}]}, "messages[0].name"),
        ({"messages": [image("image_url")]}, "'image_url'"),
    ],
)
def test_what_gemini_has_no_place_for_is_named(
    server: Served, body: dict[str, Any], named: str
) -> None:
    assert named in refused(server, "gemini-2.5-pro", body)


FUNCTION = {"name": "f", "parameters": {"type": "object"}, "strict": True}
CHAT: dict[str, Any] = {
    "messages": [
        {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look"},
                {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}},
                {"type": "image_url", "image_url": "https://x/z.png"},
                {"type": "file", "file": {"file_id": "f1"}},
            ],
        },
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Wait"}],
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {"role": "assistant", "content": None, "refusal": "No."},
        {"role": "user", "content": "Why?"},
    ],
    "tools": [{"type": "function", "function": FUNCTION}],
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "parallel_tool_calls": False,
    "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {}}},
    "reasoning_effort": "low",
    "verbosity": "high",
    "temperature": 1,
    "max_completion_tokens": 10,
}


def test_openai_gets_a_chat_request_in_the_responses_form(server: Served) -> None:
    assert asked(server, "gpt-4o", CHAT) == {
        "model": "gpt-4o",
        "input": [
            {"role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "Look"},
                    {"type": "input_image", "image_url": "https://x/y.png", "detail": "low"},
                    {"type": "input_image", "image_url": "https://x/z.png"},
                    {"type": "input_file", "file_id": "f1"},
                ],
            },
            {"role": "assistant", "content": [{"type": "output_text", "text": "Wait"}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "done"},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
            {"role": "user", "content": "Why?"},
        ],
        "tools": [{"type": "function", **FUNCTION}],
        "tool_choice": {"type": "function", "name": "f"},
        "parallel_tool_calls": False,
        "reasoning": {"effort": "low"},
        "text": {
            "format": {"type": "json_schema", "name": "s", "schema": {}},
            "verbosity": "high",
        },
    }


def test_openai_gets_a_responses_request_as_it_is(server: Served) -> None:
    own = {"input": "Hi", "instructions": "Be brief.", "tools": [{"type": "web_search"}]}
    sent = asked(server, "gpt-4o", {**own, "max_output_tokens": 5})
    assert sent == {"model": "gpt-4o", **own}
    flat: dict[str, Any] = {
        "messages": [],
        "tools": [{"type": "function", **FUNCTION}],
        "tool_choice": "auto",
    }
    flat["response_format"] = {"type": "text"}
    assert asked(server, "gpt-4o", flat) == {
        "model": "gpt-4o",
        "input": [],
        "tools": flat["tools"],
        "tool_choice": "auto",
        "text": {"format": {"type": "text"}},
    }


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"messages": [], "functions": []}, "`functions`"),
        ({"messages": [], "modalities": ["audio"]}, "`modalities`"),
        ({"input": "x", "mystery": 1}, "`mystery`"),
        ({"messages": [{"role": "user", "content": "x", "name": "n"}]}, "messages[0].name"),
        ({"messages": [{"role": "function", "content": "x"}]}, "'function'"),
        ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "'input_audio'"),
        ({"messages": [{"role": "user", "content": [3]}]}, "'int'"),
        ({"messages": ["x"]}, "messages[0]"),
        ({"messages": [], "tools": [{"type": "custom"}]}, "tools[0] of type 'custom'"),
        ({"messages": [], "tool_choice": {"type": "allowed_tools"}}, "'allowed_tools'"),
        ({"messages": [{"role": "assistant", "tool_calls": [{"type": "custom"}]}]}, "'custom'"),
    ],
)
def test_what_the_responses_form_has_no_place_for_is_named(
    server: Served, body: dict[str, Any], named: str
) -> None:
    assert named in refused(server, "gpt-4o", body)


def test_llama_cpp_counts_texts_as_data_and_requests_as_prompts() -> None:
    with serving(llama_cpp) as server:
        endpoint = engine_endpoint(server.url, {})
        assert isinstance(endpoint, LlamaCppEndpoint)
        assert endpoint.text_total("hello world") == 2
        assert server.bodies()[-1] == {
            "content": "hello world",
            "add_special": False,
            "parse_special": False,
        }
        request = read_request({"messages": TALK[1:2], "temperature": 0})
        prompt = "<|user|>Hi<|end|>\n<|assistant|>"
        assert endpoint.request_total(request) == 1 + tokens_of(prompt)
        assert server.bodies()[-2:] == [
            {"messages": TALK[1:2]},
            {"content": prompt, "add_special": True, "parse_special": True},
        ]
        endpoint.close()


def test_vllm_counts_prompts_and_messages_for_the_model_in_the_fragment() -> None:
    with serving(vllm) as server:
        endpoint = engine_endpoint(f"{server.url}/#served", {"PACKHORSE_ENDPOINT_KEY": KEY})
        assert isinstance(endpoint, VllmEndpoint)
        assert endpoint.text_total("hello world") == 2
        assert endpoint.request_total(read_request(TALK[1:2])) == FRAME + 1 + 3
        assert [body["model"] for body in server.bodies()] == ["served"] * 3
        assert server.asked[-1][1]["Authorization"] == f"Bearer {KEY}"
        endpoint.close()


@pytest.mark.parametrize("answer", [{}, {"error": "x"}])
def test_a_server_that_is_no_engine_is_said_to_be_none(
    server: Served, answer: dict[str, Any]
) -> None:
    server.answer = lambda _path, _body: ok(**answer)
    with pytest.raises(CountingError, match="without `tokens`"):
        engine_endpoint(server.url, {})


def test_odd_answers_of_an_engine_are_refused() -> None:
    with serving(llama_cpp) as server:
        endpoint = engine_endpoint(server.url, {})
        server.answer = lambda _path, _body: ok(tokens=3, prompt=3)
        with pytest.raises(CountingError, match="`tokens`"):
            endpoint.text_total("x")
        with pytest.raises(CountingError, match="`prompt`"):
            endpoint.request_total(read_request(TALK))
        with pytest.raises(InputError, match="`messages`"):
            endpoint.request_total(ChatRequest(turns=(), body={"contents": []}))
        endpoint.close()

"""Requests rendered by a template: every token on one line, and what is refused or warned about."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from packhorse.errors import ConfigError, InputError
from packhorse.ledger.certify import certify_request
from packhorse.tokens.models.spec import ModelSpec
from packhorse.tokens.models.table import load_models, model_spec
from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.count import count_request, request_counter
from packhorse.tokens.requests.turns import read_request, request_of
from packhorse.tokens.templates.counter import TemplateCounter
from packhorse.types.ledger import FIXED_LINES, Ledger
from packhorse.types.message import Message
from packhorse.types.request import RequestParts
from tests.strategies import texts

CHATML = (Path(__file__).parents[2] / "engine" / "chatml_tools.jinja").read_text("utf-8")

TOOL = {"type": "function", "function": {"name": "now", "description": "d", "parameters": {}}}
CALL = {"id": "c", "type": "function", "function": {"name": "now", "arguments": '{"a": "b"}'}}

MODEL = """
models:
  open-model:
    {{provider: own, window: 8192, max_output: 1024, tokenizer: {tokenizer}, template: {template},
     exact: true, shape: openai, framing: openai-chat, tools: openai-functions-7, source: own,
     as_of: "2026-01-15"}}
"""


def write_model(folder: Path, template: str, **config: Any) -> Path:
    """A model's folder with a vocabulary of single characters, and a table that names it."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(
        models.BPE(vocab={char: at for at, char in enumerate(alphabet)}, merges=[])
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.add_special_tokens(["<|im_start|>", "<|im_end|>", "<|bos|>"])
    (folder / "model").mkdir(exist_ok=True)
    (folder / "model" / "tokenizer.json").write_text(tokenizer.to_str(), "utf-8")
    (folder / "model" / "chat_template.jinja").write_text(template, "utf-8")
    (folder / "model" / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    table = folder / "models.yaml"
    table.write_text(MODEL.format(tokenizer="model/tokenizer.json", template="model"), "utf-8")
    return table


def spec_of(folder: Path, template: str = CHATML, **config: Any) -> ModelSpec:
    return load_models(write_model(folder, template, **config)).spec("open-model")


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> TemplateCounter:
    spec = spec_of(tmp_path_factory.mktemp("model"))
    made = request_counter(spec, counter_of(spec))
    assert isinstance(made, TemplateCounter)
    return made


def n_tokens(text: str) -> int:
    """Of the vocabulary above: one a byte, one a control token."""
    for token in ("<|im_start|>", "<|im_end|>", "<|bos|>"):
        text = text.replace(token, "x")
    return len(text.encode())


def test_every_content_is_on_its_line_and_the_rest_is_framing(counter: TemplateCounter) -> None:
    body = {
        "messages": [
            {"role": "system", "content": "user"},
            {"role": "user", "content": "assistant"},
            {"role": "assistant", "content": "Let me see.", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c", "content": "noon"},
            {"role": "user", "content": "system"},
        ],
        "tools": [TOOL],
    }
    counted = counter.count(read_request(body))
    tools = "You may call these tools:\n<tools>\n" + json.dumps(TOOL) + "\n</tools>"
    assert counted.lines["system_prompt"] == n_tokens("user")
    assert counted.lines["query"] == n_tokens("system")
    assert counted.lines["history"] == n_tokens('assistantLet me see.now{"a": "b"}noon')
    assert counted.lines["tools"] == n_tokens("\n\n" + tools)
    assert counted.total_tokens == n_tokens(counter.rendered(body))
    assert [cost.content for cost in counted.messages] == [4, 9, 11 + 3 + 10, 4, 6]
    assert counted.exact
    assert counted.warnings == counted.estimated == ()


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["system", "user", "assistant", "tool"]),
            "content": st.one_of(
                texts(3),
                st.lists(
                    st.fixed_dictionaries({"type": st.just("text"), "text": texts(2)}), max_size=2
                ),
                st.none(),
            ),
        }
    ),
    min_size=1,
    max_size=6,
)


@given(messages=MESSAGES, tools=st.lists(st.just(TOOL), max_size=2))
def test_the_lines_add_up_to_the_rendered_prompt(
    counter: TemplateCounter, messages: list[dict[str, Any]], tools: list[Any]
) -> None:
    body = {"messages": messages, "tools": tools}
    request = read_request(body)
    counted = counter.count(request)
    assert set(counted.lines) == set(FIXED_LINES)
    assert min(counted.lines.values()) >= 0
    assert counted.total_tokens == n_tokens(counter.rendered(body))
    assert len(counted.messages) == len(messages)
    costs = sum(cost.total for cost in counted.messages)
    assert costs + counted.lines["tools"] <= counted.total_tokens
    contents = sum(cost.content for cost in counted.messages)
    assert contents == sum(counted.lines[name] for name in ("system_prompt", "history", "query"))


@given(messages=MESSAGES)
def test_costs_of_a_conversation_add_up_to_less_than_the_prompt(
    counter: TemplateCounter, messages: list[dict[str, Any]]
) -> None:
    request = read_request(messages)
    costs = counter.message_costs(request.turns)
    assert len(costs) == len(messages)
    assert all(cost.content >= 0 and cost.overhead >= 0 for cost in costs)


def test_a_control_token_in_what_a_user_wrote_is_counted_as_read_and_named(
    counter: TemplateCounter,
) -> None:
    said = [{"role": "user", "content": "a<|im_end|>b<|im_end|>"}, {"role": "user", "content": "c"}]
    counted = counter.count(read_request(said))
    assert counted.lines["history"] == 4
    assert counted.warnings == (
        (
            "messages[0] (user) spells the control token '<|im_end|>', which the engine reads as a"
            " token and not as text"
        ),
    )
    many = [{"role": "user", "content": "<|im_end|>"}] * 25
    assert counter.count(read_request(many)).warnings[-1] == "5 more spellings of control tokens"


TRIMMING = "{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}\n{% endfor %}"
LOOKING = (
    "{% for m in messages %}[{{ m.role }}]{% if 'secret' in m.content %}***{% else %}"
    "{{ m.content }}{% endif %}{% endfor %}"
)


def test_trimmed_contents_are_found(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, TRIMMING)
    counted = count_request([{"role": "user", "content": "  user \n"}], spec, counter_of(spec))
    assert (counted.lines["query"], counted.lines["message_overhead"]) == (4, 8)


def test_contents_are_searched_for_where_markers_are_rendered_otherwise(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, LOOKING)
    said = [{"role": "user", "content": "a secret"}, {"role": "user", "content": "word"}]
    counted = count_request(said, spec, counter_of(spec))
    assert counted.lines["query"] == 4
    assert counted.total_tokens == n_tokens("[user]***[user]word")


def test_the_beginning_is_counted_as_the_template_prints_it(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, "{{ bos_token }}{{ messages[0].content }}", bos_token="<|bos|>")
    counted = count_request([{"role": "user", "content": "hi"}], spec, counter_of(spec))
    assert (counted.lines["message_overhead"], counted.total_tokens) == (1, 3)


def test_the_day_is_an_argument(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, "{{ strftime_now('%B') }}{{ messages[0].content }}")
    said = [{"role": "user", "content": "x"}]
    totals = [
        count_request(said, spec, counter_of(spec), today=date(2026, month, 1)).total_tokens
        for month in (5, 9)
    ]
    assert totals == [4, 10]
    assert count_request(said, spec, counter_of(spec)).total_tokens == 1 + len("January")


def test_options_of_a_request_reach_the_template(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, "{{ messages[0].content }}{% if think %}think{% endif %}")
    body = {"messages": [{"role": "user", "content": "x"}]}
    asked = {**body, "chat_template_kwargs": {"think": True}}
    assert count_request(body, spec, counter_of(spec)).total_tokens == 1
    assert count_request(asked, spec, counter_of(spec)).total_tokens == 6
    with pytest.raises(InputError, match="chat_template_kwargs"):
        count_request({**body, "chat_template_kwargs": [1]}, spec, counter_of(spec))


@pytest.mark.parametrize(
    ("settings", "end"),
    [
        ({}, "<|im_end|>\n<|im_start|>assistant\n"),
        ({"add_generation_prompt": False}, "<|im_end|>\n"),
        ({"continue_final_message": True, "add_generation_prompt": False}, ""),
    ],
)
def test_an_answer_is_opened_continued_or_neither(
    counter: TemplateCounter, settings: dict[str, Any], end: str
) -> None:
    said = [{"role": "user", "content": "q"}, {"role": "assistant", "content": " It is"}]
    assert counter.rendered({"messages": said, **settings}).endswith("assistant\n It is" + end)


@pytest.mark.parametrize(
    ("template", "body", "said"),
    [
        (
            "{{ raise_exception('Roles must alternate') }}",
            {"messages": [{"role": "user", "content": "x"}]},
            "refuses the request: Roles must alternate",
        ),
        ("{{ messages[0].content + 1 }}", {"messages": [{"role": "user", "content": "x"}]}, "str"),
        (CHATML, {"contents": [{"parts": [{"text": "x"}]}]}, "OpenAI chat shape"),
        (
            CHATML,
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]},
            "image",
        ),
        (
            CHATML,
            {"messages": [{"role": "user", "content": "x"}], "documents": [{"text": "y"}]},
            "documents",
        ),
        (
            CHATML,
            {"messages": [{"role": "user", "content": "x"}], "tools": [{"name": "f"}]},
            r"tools\[0\]",
        ),
        (
            CHATML,
            {
                "messages": [
                    {
                        "role": "assistant",
                        "content": "",
                        "tool_calls": [{**CALL, "function": {"name": "f", "arguments": "{"}}],
                    },
                    {"role": "user", "content": "x"},
                ]
            },
            "arguments of a call of 'f' are not JSON",
        ),
    ],
)
def test_what_cannot_be_rendered_is_refused(
    tmp_path: Path, template: str, body: dict[str, Any], said: str
) -> None:
    spec = spec_of(tmp_path, template)
    with pytest.raises(InputError, match=said):
        count_request(body, spec, counter_of(spec))


def test_definitions_of_tools_may_be_odd(counter: TemplateCounter) -> None:
    said = [{"role": "user", "content": "x"}]

    def asked(description: Any) -> dict[str, Any]:
        function = {"name": "f", "description": description}
        return {"messages": said, "tools": [{"type": "function", "function": function}]}

    nested: list[Any] = []
    for _ in range(5_000):
        nested = [nested]
    with pytest.raises(InputError, match="nested too deeply"):
        counter.rendered(asked(nested))
    # What looks like a marker of ours is text, and so are surrogates in a name.
    for odd in (f"\ue000{'9' * 5_000}\ue001", "\ue0000\ue001", {"\ud83d\ude00\ud800": 1}):
        counted = counter.count(read_request(asked(odd)))
        assert counted.lines["query"] == 1
        assert counted.total_tokens == n_tokens(counter.rendered(asked(odd)))


def test_turns_that_a_template_refuses_alone_cost_their_text_and_a_frame(tmp_path: Path) -> None:
    strict = (
        "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('alternate') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    )
    spec = spec_of(tmp_path, strict)
    turns = request_of([Message(role="assistant", content="abc")]).turns
    (cost,) = request_counter(spec, counter_of(spec)).message_costs(turns)
    assert (cost.content, cost.overhead) == (3, -(-len("<user><assistant>") // 2))


def test_a_certificate_is_the_rendered_request(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    parts = RequestParts(system_prompt="s", query="q", evidence="<e>\n")
    ledger = Ledger(total_window=99, query=1, message_overhead=2, packed_evidence=3)
    certificate = certify_request(parts, ledger, counter_of(spec), spec)
    said = [{"role": m.role, "content": m.content} for m in parts.messages()]
    assert certificate.total == count_request(said, spec, counter_of(spec)).total_tokens
    assert certificate.expected == 6


def test_a_vocabulary_that_reads_no_prompts_is_refused(tmp_path: Path) -> None:
    spec = replace(model_spec("gpt-4o"), template=str(spec_of(tmp_path).template))
    with pytest.raises(ConfigError, match="does not read prompts"):
        request_counter(spec, counter_of(spec))


def test_a_missing_template_is_an_error(tmp_path: Path) -> None:
    spec = replace(spec_of(tmp_path), template=str(tmp_path / "none.jinja"))
    with pytest.raises(InputError, match="Cannot read the chat template"):
        request_counter(spec, counter_of(spec))


def test_a_changed_template_is_read_anew(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "x"}]
    file = tmp_path / "model" / "chat_template.jinja"
    spec = spec_of(tmp_path, "{{ messages[0].content }}")
    assert count_request(said, spec, counter_of(spec)).total_tokens == 1
    # A folder's own time stands still when a file in it is written over.
    file.write_text("longer {{ messages[0].content }}", "utf-8")
    assert count_request(said, spec, counter_of(spec)).total_tokens == len("longer x")

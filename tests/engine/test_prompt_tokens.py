"""What a real engine reports for chat requests is what was predicted, every time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.tokens.requests.turns import read_request
from packhorse.tokens.templates.counter import TemplateCounter
from packhorse.tokens.templates.source import find_template
from packhorse.tokens.vocabularies.gguf import counter_from_gguf
from tests.engine.chats import chats, random_chat, random_tool_chat, seeded
from tests.engine.server import Engine, RefusedError, model_file, serving
from tests.engine.tiny_model import byte_pair_vocabulary, write_tiny_model, write_twin

SENT_FOR_REAL = 200
EVERY = 20
RENDERED_ONLY = 600
TOOL_TEMPLATE = Path(__file__).with_name("chatml_tools.jinja")


@pytest.fixture(scope="module")
def predicted() -> TemplateCounter:
    path = model_file()
    counter = counter_from_gguf(path)
    return TemplateCounter(find_template(path, counter), counter)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """What the weights are has no part in how a request is read, so they are few."""
    twin = write_twin(tmp_path_factory.mktemp("twin") / "twin.gguf", model_file())
    with serving(twin, window=4096) as server:
        yield server


def total(counter: TemplateCounter, body: dict[str, Any]) -> int:
    counted = counter.count(read_request(body))
    assert counted.exact
    assert sum(counted.lines.values()) == counted.total_tokens
    assert len(counted.messages) == len(body["messages"])
    return counted.total_tokens


def test_200_requests_take_the_prompt_tokens_that_were_predicted(
    engine: Engine, predicted: TemplateCounter
) -> None:
    requests = chats(seed=7, number=SENT_FOR_REAL)
    wrong = [
        (body, told, expected)
        for body in requests
        if (told := engine.prompt_tokens(body)) != (expected := total(predicted, body))
    ]
    assert len(requests) == SENT_FOR_REAL
    assert wrong == []


def test_the_model_itself_reads_as_many_tokens_as_its_twin(engine: Engine) -> None:
    requests = chats(seed=7, number=SENT_FOR_REAL)[::EVERY]
    with serving(model_file()) as real:
        assert [real.prompt_tokens(body) for body in requests] == [
            engine.prompt_tokens(body) for body in requests
        ]


def test_rendered_prompts_are_the_engines_to_the_byte(
    engine: Engine, predicted: TemplateCounter
) -> None:
    source = seeded(11)
    for _ in range(RENDERED_ONLY):
        body = random_chat(source)
        assert predicted.rendered(body) == engine.prompt(body)
        assert total(predicted, body) == engine.input_tokens(body)


def test_a_template_with_tools_is_rendered_as_the_engine_renders_it() -> None:
    path = model_file()
    counter = counter_from_gguf(path)
    predicted = TemplateCounter(find_template(TOOL_TEMPLATE, counter), counter)
    source = seeded(13)
    with serving(path, template=TOOL_TEMPLATE.read_text("utf-8")) as engine:
        for _ in range(RENDERED_ONLY // 3):
            body = random_tool_chat(source)
            assert predicted.rendered(body) == engine.prompt(body)
            assert total(predicted, body) == engine.input_tokens(body)


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "x"}, *[{"role": "assistant", "content": "y"}] * 2],
        [
            {"role": "user", "content": "x"},
            {
                "role": "assistant",
                "content": "y",
                "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
                ],
            },
        ],
        [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}],
    ],
)
def test_what_the_engine_refuses_is_refused(
    engine: Engine, predicted: TemplateCounter, messages: list[dict[str, Any]]
) -> None:
    body = {"messages": messages}
    with pytest.raises(RefusedError):
        engine.input_tokens(body)
    with pytest.raises(InputError):
        predicted.count(read_request(body))


TEMPLATES = {
    "trims and adds both ends": (
        "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}"
        "{% endfor %}{{ eos_token }}"
    ),
    "has no place for instructions": (
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}"
        "[{{ m.role }}]{{ m.content }}{% endfor %}"
    ),
    "reads parts only": (
        "{% for m in messages %}[{{ m.role }}]{% for p in m.content %}<{{ p.type }}>{{ p.text }}"
        "{% endfor %}{% endfor %}{% if add_generation_prompt %}[A]{% endif %}"
    ),
    "reads texts and parts": (
        "{% for m in messages %}[{{ m.role }}]{% if m.content is string %}{{ m.content }}"
        "{% else %}{% for p in m.content %}<{{ p.type }}>{{ p.text }}{% endfor %}{% endif %}"
        "{% endfor %}"
    ),
    "prints arguments as text": (
        "{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.name }}"
        "({{ c.function.arguments }}){% endfor %}{{ m.content }}\n{% endfor %}"
    ),
    "walks through arguments": (
        "{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.name }}("
        "{% for k, v in c.function.arguments.items() %}{{ k }}={{ v | tojson }};{% endfor %})"
        "{% endfor %}{{ m.content }}\n{% endfor %}"
    ),
    "breaks, counts and nests": (
        "{%- set ns = namespace(n=0) -%}\n{%- for m in messages -%}\n"
        "  {%- if loop.index0 > 4 %}{% break %}{% endif -%}\n"
        "  {%- if m.role == 'tool' %}{% continue %}{% endif -%}\n"
        "  {%- set ns.n = ns.n + 1 -%}\n{{ ns.n }}{{ m.role[0] | upper }}: {{ m.content }}\n"
        "{%- endfor %}\n{% macro close(x) %}<{{ x }}>{% endmacro %}{{ close('end') }}"
    ),
}


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_templates_of_other_kinds_are_rendered_as_the_engine_renders_them(
    name: str, tmp_path: Path
) -> None:
    path = model_file()
    file = tmp_path / "own.jinja"
    file.write_text(TEMPLATES[name], "utf-8")
    counter = counter_from_gguf(path)
    predicted = TemplateCounter(find_template(file, counter), counter)
    source = seeded(17)
    with serving(path, template=TEMPLATES[name], window=512) as engine:
        for _ in range(100):
            body = random_tool_chat(source)
            assert predicted.rendered(body) == engine.prompt(body)
            assert total(predicted, body) == engine.input_tokens(body)


def test_the_engine_adds_the_token_of_the_beginning_once(tmp_path: Path) -> None:
    tokens, merges = byte_pair_vocabulary()
    for template in ("{{ bos_token }}{{ messages[0].content }}", "{{ messages[0].content }}"):
        for adds in (True, False):
            path = write_tiny_model(
                tmp_path / "tiny.gguf",
                model="gpt2",
                pre="gpt-2",
                tokens=tokens,
                merges=merges,
                token_type=[3] * 4 + [4] + [1] * (len(tokens) - 5),
                bos_token_id=0,
                eos_token_id=1,
                add_bos_token=adds,
                chat_template=template,
            )
            counter = counter_from_gguf(path)
            predicted = TemplateCounter(find_template(path, counter), counter)
            with serving(path, window=512) as engine:
                for text in ("hi", "<|bos|>", "<|bos|>x<|eos|>", "<user>"):
                    body = {"messages": [{"role": "user", "content": text}]}
                    assert total(predicted, body) == engine.prompt_tokens(body)

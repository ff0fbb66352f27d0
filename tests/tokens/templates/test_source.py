"""Where a chat template is found, and what is known of the engine that renders it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.tokens.registry import counter_named
from packhorse.tokens.templates.source import ChatTemplate, find_template
from packhorse.tokens.vocabularies.gguf import GgufCounter, counter_from_gguf
from tests.engine.tiny_model import byte_pair_vocabulary, write_tiny_model

PLAIN = counter_named("o200k_base")


def written(folder: Path, **files: Any) -> Path:
    for name, content in files.items():
        path = folder / {"config": "tokenizer_config.json", "jinja": "chat_template.jinja"}[name]
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return folder


def test_a_folder_gives_its_jinja_file_before_its_config(tmp_path: Path) -> None:
    written(tmp_path, jinja="from the file", config={"chat_template": "old", "bos_token": "<s>"})
    found = find_template(tmp_path, PLAIN)
    assert (found.source, found.bos_token, found.dialect) == (
        "from the file",
        "<s>",
        "transformers",
    )
    assert not found.adds_bos


def test_a_config_may_spell_its_tokens_as_objects(tmp_path: Path) -> None:
    config = {"chat_template": "t", "bos_token": {"content": "<s>"}, "eos_token": None}
    found = find_template(written(tmp_path, config=config) / "tokenizer_config.json", PLAIN)
    assert (found.source, found.bos_token, found.eos_token) == ("t", "<s>", "")


def test_of_named_templates_the_one_for_tools_serves_tools(tmp_path: Path) -> None:
    named = [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "t"}]
    found = find_template(written(tmp_path, config={"chat_template": named}), PLAIN)
    assert found.source_for(tools=False) == "d"
    assert found.source_for(tools=True) == "t"
    only = find_template(written(tmp_path, config={"chat_template": named[1:]}), PLAIN)
    assert only.source_for(tools=False) == only.source_for(tools=True) == "t"


def test_further_templates_of_a_folder_are_named_by_their_files(tmp_path: Path) -> None:
    written(tmp_path, jinja="d")
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "tool_use.jinja").write_text("t", "utf-8")
    assert find_template(tmp_path, PLAIN).source_for(tools=True) == "t"


def test_a_jinja_file_takes_the_tokens_of_the_config_beside_it(tmp_path: Path) -> None:
    path = written(tmp_path, jinja="x", config={"eos_token": "</s>"}) / "chat_template.jinja"
    assert find_template(path, PLAIN).eos_token == "</s>"


def gguf(path: Path, **more: Any) -> GgufCounter:
    tokens, merges = byte_pair_vocabulary()
    types = [3] * 4 + [4] + [1] * (len(tokens) - 5)
    write_tiny_model(
        path, model="gpt2", pre="llama-bpe", tokens=tokens, merges=merges, token_type=types,
        bos_token_id=0, eos_token_id=1, **more,
    )  # fmt: skip
    return counter_from_gguf(path)


def test_a_gguf_file_carries_its_template_and_is_rendered_as_llama_cpp_does(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    counter = gguf(path, chat_template="{{ bos_token }}x")
    found = find_template(path, counter)
    assert found == ChatTemplate(
        path=path, source="{{ bos_token }}x", bos_token="<|bos|>", eos_token="<|eos|>",
        adds_bos=True, dialect="llama.cpp",
    )  # fmt: skip
    other = written(tmp_path, jinja="own") / "chat_template.jinja"
    assert find_template(other, counter).dialect == "llama.cpp"


def test_the_hash_of_a_template_is_that_of_its_text(tmp_path: Path) -> None:
    first = find_template(written(tmp_path, jinja="a"), PLAIN).sha256
    again = find_template(tmp_path / "chat_template.jinja", PLAIN).sha256
    changed = find_template(written(tmp_path, jinja="b"), PLAIN).sha256
    assert first == again != changed


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "has no chat template"),
        ({"config": {"bos_token": "x"}}, "has no chat template"),
        ({"config": {"chat_template": [{"name": "rag", "template": "x"}]}}, "has no chat template"),
        ({"config": {"chat_template": [7]}}, "has no chat template"),
        ({"config": [1]}, "has no chat template"),
        ({"config": "{"}, "is not JSON"),
    ],
)
def test_a_folder_without_a_template_is_an_error(
    tmp_path: Path, files: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        find_template(written(tmp_path, **files), PLAIN)


def test_what_is_no_place_of_a_template_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no place of a chat template"):
        find_template(tmp_path / "model.safetensors", PLAIN)
    with pytest.raises(InputError, match="Cannot read"):
        find_template(tmp_path / "none.jinja", PLAIN)
    (tmp_path / "latin.jinja").write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        find_template(tmp_path / "latin.jinja", PLAIN)
    counter = gguf(tmp_path / "bare.gguf")
    with pytest.raises(InputError, match="has no chat template"):
        find_template(tmp_path / "bare.gguf", counter)

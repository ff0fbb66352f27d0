"""Vocabularies of GGUF files count as the engine does that reads the same file."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from packhorse.tokens.vocabularies.gguf import GgufCounter, counter_from_gguf
from packhorse.tokens.vocabularies.gguf_splits import SPLITS
from tests.engine.chats import seeded
from tests.engine.server import Engine, model_file, serving
from tests.engine.tiny_model import byte_pair_vocabulary, write_tiny_model
from tests.engine.vocabularies import (
    deepseek_tokens,
    llama_tokens,
    qwen_2_tokens,
    sentencepiece_tokens,
)
from tests.strategies import PIECES, texts

FIRST_OF_EACH = sorted({split: name for name, split in reversed(list(SPLITS.items()))}.values())
"""One name for each way of cutting words."""

OWN = (
    "don't", "I'LL", "x'Ré", "12345", " 123", "x1", "A1b", "HelloWorld", "ABCdef", "éÀß", "\u2019s",
    "/", "//\n", "\r\n", " \n", "\t\t", "   ", "<s>", "</s>", "[INST]", "<unk>", "<0x41>", "\u2581",
    "aaaa",     "<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<user>", "<|bos|>",
)  # fmt: skip


def made_up(source: random.Random) -> str:
    """A text of hostile pieces and of characters that Unicode has had since version 15."""
    parts = []
    for _ in range(source.randrange(9)):
        if source.random() < 0.6:
            parts.append(source.choice(PIECES + OWN))
        else:
            tops = [source.choice([0x7F, 0x500, 0xD000]) for _ in range(source.randrange(1, 8))]
            parts.append("".join(chr(source.randrange(1, top)) for top in tops))
    return "".join(parts)


def assert_alike(counter: GgufCounter, engine: Engine, text: str) -> None:
    spans = counter.encode_prompt(text)
    assert counter.count(text) == engine.tokens(text, parse_special=False), ascii(text)
    assert len(spans) == engine.tokens(text, parse_special=True), ascii(text)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)


@pytest.fixture(scope="module")
def smollm() -> Iterator[tuple[GgufCounter, Engine]]:
    with serving(model_file(), window=512) as engine:
        yield counter_from_gguf(model_file()), engine


@given(text=texts())
def test_a_models_own_file_counts_as_the_engine_does(
    smollm: tuple[GgufCounter, Engine], text: str
) -> None:
    counter, engine = smollm
    assert_alike(counter, engine, text)


@pytest.mark.parametrize(
    "missing", ["\x04", ".\x04.", "a\x04b\x13 \x14c", "\x04\x04", "the\x04the"]
)
def test_a_byte_that_the_vocabulary_has_not_is_dropped_and_keeps_its_neighbours_apart(
    smollm: tuple[GgufCounter, Engine], missing: str
) -> None:
    counter, engine = smollm
    assert_alike(counter, engine, missing)


@pytest.mark.parametrize("pre", FIRST_OF_EACH)
def test_words_are_cut_as_the_engine_cuts_them(pre: str, tmp_path: Path) -> None:
    tokens, merges = byte_pair_vocabulary()
    types = [3] * 4 + [4] + [1] * (len(tokens) - 5)
    path = write_tiny_model(
        tmp_path / "tiny.gguf",
        model="gpt2",
        pre=pre,
        tokens=tokens,
        merges=merges,
        token_type=types,
        bos_token_id=0,
        eos_token_id=1,
    )
    counter, source = counter_from_gguf(path), seeded(1)
    with serving(path, window=256) as engine:
        for _ in range(100):
            assert_alike(counter, engine, made_up(source))
        begun = engine.post("/tokenize", {"content": "a", "add_special": True})["tokens"]
        assert len(begun) == 1 + counter.adds_bos


@pytest.mark.parametrize(
    ("model", "make"),
    [
        ("gpt2", qwen_2_tokens),
        ("gpt2", lambda: llama_tokens(3)),
        ("gpt2", lambda: llama_tokens(4)),
        ("gpt2", deepseek_tokens),
        ("llama", lambda: sentencepiece_tokens("*.v3")),
        ("llama", lambda: {**sentencepiece_tokens("*.v1"), "add_space_prefix": False}),
    ],
    ids=[
        "qwen2",
        "llama-3",
        "llama-4",
        "deepseek",
        "mistral-v3",
        "mistral-v1 without the first space",
    ],
)
def test_real_vocabularies_of_other_families_count_as_the_engine_does(
    model: str, make: Callable[[], dict[str, Any]], tmp_path: Path
) -> None:
    path = write_tiny_model(
        tmp_path / "real.gguf", model=model, **make(), bos_token_id=1, eos_token_id=2
    )
    counter, source = counter_from_gguf(path), seeded(2)
    with serving(path, window=256) as engine:
        for _ in range(300):
            assert_alike(counter, engine, made_up(source))

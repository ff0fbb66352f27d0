"""GGUF files: what stands at their head, and the vocabularies in them. The engine is elsewhere."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packhorse.errors import InputError
from packhorse.tokens.vocabularies.gguf import GgufCounter, counter_from_gguf
from packhorse.tokens.vocabularies.gguf_metadata import read_gguf_metadata
from packhorse.tokens.vocabularies.gguf_specials import specials_of
from packhorse.tokens.vocabularies.gguf_splits import SPLITS
from tests.engine.tiny_model import byte_pair_vocabulary, write_tiny_model
from tests.strategies import texts

TOKENS, MERGES = byte_pair_vocabulary()


def written(path: Path, **more: Any) -> Path:
    settings = {
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": TOKENS,
        "merges": MERGES,
        "token_type": [3] * 4 + [4] + [1] * (len(TOKENS) - 5),
        "bos_token_id": 0,
        "eos_token_id": 1,
        "chat_template": "{{ messages[0].content }}",
    }
    return write_tiny_model(path, **{**settings, **more})


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def counter(file: Path) -> GgufCounter:
    return counter_from_gguf(file)


def test_metadata_is_what_the_gguf_package_reads(file: Path) -> None:
    from gguf import GGUFReader

    metadata = read_gguf_metadata(file)
    fields = GGUFReader(file).fields
    theirs = {
        name: field.contents() for name, field in fields.items() if not name.startswith("GGUF.")
    }
    assert set(metadata.values) == set(theirs)
    for name, value in metadata.values.items():
        assert value == theirs[name], name


def test_every_kind_of_value_is_read(tmp_path: Path) -> None:
    from gguf import GGUFReader, GGUFValueType, GGUFWriter

    writer = GGUFWriter(tmp_path / "kinds.gguf", "llama")
    kinds = {
        "UINT8": 200, "INT8": -100, "UINT16": 60_000, "INT16": -30_000, "UINT32": 4_000_000_000,
        "INT32": -2_000_000_000, "UINT64": 2**63, "INT64": -(2**62), "FLOAT32": 0.5,
        "FLOAT64": 0.25, "BOOL": True, "STRING": "税 é",
    }  # fmt: skip
    for name, value in kinds.items():
        writer.add_key_value(f"k.{name}", value, GGUFValueType[name])
    writer.add_array("k.texts", ["a", "", "ü"])
    writer.add_array("k.numbers", [1, -2, 3])
    writer.add_array("k.floats", [0.5, -1.5])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    metadata = read_gguf_metadata(tmp_path / "kinds.gguf")
    assert {f"k.{name}": value for name, value in kinds.items()}.items() <= metadata.values.items()
    assert metadata.values["k.texts"] == ["a", "", "ü"]
    assert metadata.values["k.numbers"] == [1, -2, 3]
    assert metadata.values["k.floats"] == [0.5, -1.5]
    assert metadata.text("k.STRING") == "税 é"
    assert metadata.text("k.INT8") is None
    assert metadata.number("k.BOOL") is None
    assert metadata.flag("k.BOOL", default=False) is True
    assert metadata.flag("k.absent", default=True) is True
    assert len(GGUFReader(tmp_path / "kinds.gguf").fields) == len(metadata.values) + 3


@settings(max_examples=60)
@given(data=st.data())
def test_a_damaged_file_is_an_error_and_nothing_else(
    file: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = file.read_bytes()[:4_000]
    if data.draw(st.booleans()):
        broken = whole[: data.draw(st.integers(0, len(whole) - 1))]
    else:
        place = data.draw(st.integers(0, 400))
        broken = whole[:place] + data.draw(st.binary(min_size=1, max_size=9)) + whole[place + 9 :]
    path = tmp_path_factory.mktemp("broken") / "broken.gguf"
    path.write_bytes(broken)
    with pytest.raises(InputError):
        counter_from_gguf(path)


NESTED = struct.pack("<4sIQQQ1sI", b"GGUF", 3, 0, 1, 1, b"k", 9) + struct.pack("<IQ", 9, 1) * 20_000
"""Lists in lists, deeper than can be walked."""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a whole GGUF file"),
        (b"GGUF\x01\x00\x00\x00" + bytes(16), "version 1"),
        (b"GGUF\x00\x00\x00\x03" + bytes(16), "version 50331648"),
        (b"GGML\x03\x00\x00\x00" + bytes(16), "not a GGUF file"),
        (b"GGUF\x03\x00\x00\x00" + bytes(8) + b"\xff" * 8, "not a whole GGUF file"),
        (b"GGUF\x03\x00\x00\x00" + bytes(16), "carries no vocabulary"),
        (NESTED, "not a whole GGUF file"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        counter_from_gguf(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Cannot read"):
        counter_from_gguf(tmp_path / "none.gguf")


def test_an_unknown_pre_tokenizer_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    path = written(tmp_path / "new.gguf", pre="brand-new")
    with pytest.raises(InputError, match="'brand-new', which is not known") as caught:
        counter_from_gguf(path)
    assert all(name in caught.value.hint for name in SPLITS)


@pytest.mark.parametrize("kind", ["bert", "t5", "rwkv", "gemma4", "none"])
def test_other_kinds_of_vocabulary_are_refused_by_name(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / "kind.gguf", model=kind)
    with pytest.raises(InputError, match=f"of the kind '{kind}'") as caught:
        counter_from_gguf(path)
    assert caught.value.hint == "Known kinds: gpt2, llama"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"tokens": ["a", "b", "a"], "token_type": [1, 1, 1]}, "a token twice"),
        ({"model": "llama"}, "no score for each token"),
        ({"model": "llama", "scores": [0.0]}, "no score for each token"),
        ({"model": "llama", "scores": ["best"] * len(TOKENS)}, "no score for each token"),
        ({"tokens": [1, 2, 3], "token_type": [1, 1, 1]}, "an empty"),
        ({"merges": ["nobody knows"]}, "out of vocabulary"),
    ],
)
def test_half_a_vocabulary_is_refused(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        counter_from_gguf(written(tmp_path / "half.gguf", **more))


def test_lists_of_another_type_are_passed_over(tmp_path: Path) -> None:
    plain = counter_from_gguf(written(tmp_path / "a.gguf", merges=[]))
    other = counter_from_gguf(written(tmp_path / "b.gguf", merges=[1, 2], token_type=3))
    assert other.count("a text") == plain.count("a text") == len("a text")


@given(batch=st.lists(texts(), max_size=4))
def test_a_batch_counts_as_its_texts_do(counter: GgufCounter, batch: list[str]) -> None:
    assert counter.count_batch(batch) == [counter.count(text) for text in batch]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted on Linux")
def test_counting_little_text_starts_no_thread(file: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from packhorse.tokens.registry import counter_named\n"
        "counter = counter_named(sys.argv[1])\n"
        "counter.count_batch(['a short text', 'another <user> one'])\n"
        "print(len(list(Path('/proc/self/task').iterdir())))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"


@given(text=texts())
def test_spans_of_a_prompt_go_forward_and_cover_every_character(
    counter: GgufCounter, text: str
) -> None:
    spans = counter.encode_prompt(text)
    starts = [start for start, _ in spans]
    assert starts == sorted(starts)
    assert {at for start, end in spans for at in range(start, end)} == set(range(len(text)))


def test_who_adds_the_token_of_the_beginning_is_in_the_file(tmp_path: Path) -> None:
    assert not counter_from_gguf(written(tmp_path / "a.gguf")).adds_bos
    assert counter_from_gguf(written(tmp_path / "b.gguf", pre="llama-bpe")).adds_bos
    told = written(tmp_path / "c.gguf", pre="llama-bpe", add_bos_token=False)
    assert not counter_from_gguf(told).adds_bos
    counter = counter_from_gguf(written(tmp_path / "d.gguf"))
    assert (counter.bos_token, counter.eos_token) == ("<|bos|>", "<|eos|>")


def test_a_counter_is_named_by_its_vocabulary_alone(tmp_path: Path) -> None:
    first, again = (counter_from_gguf(written(tmp_path / name)) for name in ("a.gguf", "b.gguf"))
    other = counter_from_gguf(written(tmp_path / "c.gguf", pre="qwen2"))
    assert first.name == again.name == f"gguf:{first.sha256[:16]}"
    assert other.name != first.name


SPECIAL = (
    "<s>", "</s>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|channel|>", "<PRE>",
    "<|file_sep|>", "<extra>", "<|tool_response>",
)  # fmt: skip


def test_names_that_look_like_control_tokens_are_taken_for_them(tmp_path: Path) -> None:
    tokens = [*SPECIAL[:-1], *TOKENS[5:]]
    path = written(
        tmp_path / "a.gguf", tokens=tokens, token_type=[1] * len(tokens), fim_sep_token_id=0
    )
    specials = specials_of(read_gguf_metadata(path), tokens)
    assert set(specials.control) == {"</s>", "<|im_end|>", "<|return|>", "<|call|>", "<PRE>"}
    assert set(specials.always) == {"<|end|>", "<|channel|>"}
    assert specials.stripping == frozenset()
    lengths = [len(token) for token in specials.control]
    assert lengths == sorted(lengths, reverse=True)


def test_an_end_that_belongs_to_another_family_stays_text(tmp_path: Path) -> None:
    tokens = [*SPECIAL, *TOKENS[5:]]
    path = written(tmp_path / "a.gguf", tokens=tokens, token_type=[1] * len(tokens))
    assert "</s>" not in specials_of(read_gguf_metadata(path), tokens).control

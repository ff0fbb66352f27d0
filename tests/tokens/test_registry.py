"""Names find counters; unknown ones are refused with what is known."""

from pathlib import Path

import pytest

from packhorse.errors import InputError, UnknownModelError, UnknownStrategyError
from packhorse.tokens.models.table import built_in_models
from packhorse.tokens.registry import TOKENIZERS, counter_for, counter_named, counter_of
from tests.tokens.vocabularies.samples import SAMPLES


def test_gpt_4o_is_counted_exactly_with_o200k_base() -> None:
    counter = counter_for("gpt-4o")
    assert (counter.name, counter.exact) == ("o200k_base", True)


def test_a_counter_is_made_once() -> None:
    assert counter_named("o200k_base") is counter_for("gpt-4o-mini")
    assert counter_for("claude-sonnet-4-5") is counter_for("claude-opus-4-1")


def test_every_model_of_the_table_has_a_counter_as_exact_as_it_says() -> None:
    for spec in built_in_models():
        counter = counter_of(spec)
        assert (counter.exact, counter.margin) == (spec.exact, spec.margin)


def test_an_unknown_tokenizer_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownStrategyError) as caught:
        counter_named("gpt2000")
    assert caught.value.known == tuple(sorted(TOKENIZERS))


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(UnknownModelError):
        counter_for("acme-local-7b")


def test_a_name_counts_before_a_folder_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "llama-3").mkdir()
    monkeypatch.chdir(tmp_path)
    assert counter_named("llama-3").name == "llama-3"


@pytest.mark.parametrize("name", ["./nobody", "nobody.json", "nobody.gguf", "a/b.tiktoken"])
def test_what_looks_like_a_path_is_one(name: str) -> None:
    with pytest.raises(InputError, match="Cannot read the vocabulary"):
        counter_named(name)


def test_a_name_too_long_for_a_path_is_unknown() -> None:
    with pytest.raises(UnknownStrategyError):
        counter_named("x" * 5_000)
    with pytest.raises(InputError, match="Cannot read the vocabulary"):
        counter_named(f"{'x' * 5_000}.json")


def test_a_folder_is_a_path_though_it_does_not_look_like_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").mkdir()
    path = SAMPLES["hf byte-level"](tmp_path)
    path.rename(tmp_path / "model" / "tokenizer.json")
    monkeypatch.chdir(tmp_path)
    assert counter_named("model") is counter_named("model/tokenizer.json")


def test_a_file_is_read_once_and_again_when_it_changed(tmp_path: Path) -> None:
    path = SAMPLES["hf byte-level"](tmp_path)
    first = counter_named(str(path))
    assert counter_named(str(path)) is first
    path.write_bytes(SAMPLES["hf wordpiece"](tmp_path).read_bytes())
    assert counter_named(str(path)).name != first.name

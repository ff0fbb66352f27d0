"""What a packet remembers of a user's own files."""

from dataclasses import replace
from pathlib import Path

from packhorse.tokens.models.table import model_spec
from packhorse.tokens.own_files import vocabulary_facts
from packhorse.tokens.registry import counter_named
from packhorse.tokens.vocabularies.gguf import GgufCounter
from tests.tokens.vocabularies.test_gguf import written


def test_a_registered_tokenizer_is_no_file() -> None:
    assert vocabulary_facts(model_spec("gpt-4o")) is None


def test_of_a_gguf_file_the_vocabulary_is_hashed_for_an_estimate_too(tmp_path: Path) -> None:
    path = written(tmp_path / "tiny.gguf")
    counter = counter_named(str(path))
    assert isinstance(counter, GgufCounter)
    facts = {"path": str(path), "sha256": counter.sha256}
    exact = replace(model_spec("gpt-4o"), tokenizer=str(path))
    assert vocabulary_facts(exact) == facts
    assert vocabulary_facts(replace(exact, exact=False, margin=0.1)) == facts

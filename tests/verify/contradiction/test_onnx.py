"""A real ONNX model decides, and what is wrong with a model is said before or reported after."""

from pathlib import Path

import pytest

from packhorse.errors import ConfigError, VerificationError
from packhorse.protocols import ContradictionModel
from packhorse.verify.contradiction.onnx import OnnxContradictionModel
from packhorse.verify.contradiction.registry import contradiction_model
from tests.embed.tiny_embedder import write_tiny_embedder
from tests.verify.contradiction.tiny_nli import LABELS, write_tiny_nli

PAIRS = [("Dogs are allowed.", "Dogs are allowed."), ("Dogs are in.", "Dogs are not in.")]


def test_the_probability_of_contradiction_is_read_by_its_label(tmp_path: Path) -> None:
    path = write_tiny_nli(tmp_path)
    model = OnnxContradictionModel(path, LABELS)
    assert isinstance(model, ContradictionModel)
    same, denied = model.contradictions(PAIRS)
    assert same < 0.2
    assert denied > 0.9
    other = OnnxContradictionModel(path, ("entailment", "Contradiction", "neutral"))
    assert other.contradictions(PAIRS)[1] < 0.1


def test_a_probability_does_not_depend_on_what_else_is_asked(tmp_path: Path) -> None:
    model = OnnxContradictionModel(write_tiny_nli(tmp_path), LABELS)
    assert model.contradictions(PAIRS)[1:] == model.contradictions(PAIRS[1:])
    assert model.contradictions([]) == ()


def test_a_name_gives_one_object_with_labels_from_its_fragment(tmp_path: Path) -> None:
    name = f"{write_tiny_nli(tmp_path)}#{','.join(LABELS)}"
    model = contradiction_model(name)
    assert model is not None
    assert model is contradiction_model(name)
    assert model.name == "model.onnx#contradiction,entailment,neutral"
    assert contradiction_model(None) is None


@pytest.mark.parametrize("labels", [(), ("entailment", "neutral"), ("contradiction",) * 2])
def test_labels_must_hold_contradiction_once(tmp_path: Path, labels: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"labels of model\.onnx"):
        OnnxContradictionModel(write_tiny_nli(tmp_path), labels)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    write_tiny_nli(tmp_path)
    with pytest.raises(ConfigError, match=r"other\.onnx"):
        contradiction_model(f"{tmp_path / 'other.onnx'}#contradiction")
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"tokenizer\.json"):
        OnnxContradictionModel(tmp_path / "model.onnx", LABELS)


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_one_error_of_ours(tmp_path: Path, damaged: str) -> None:
    model = OnnxContradictionModel(write_tiny_nli(tmp_path), LABELS)
    (tmp_path / damaged).write_bytes(b"{}")
    with pytest.raises(VerificationError, match=r"model\.onnx failed"):
        model.contradictions(PAIRS)


def test_a_model_with_another_number_of_labels_is_refused(tmp_path: Path) -> None:
    model = OnnxContradictionModel(write_tiny_nli(tmp_path), LABELS[:2])
    with pytest.raises(VerificationError, match="3 numbers for 2 labels"):
        model.contradictions(PAIRS)


def test_an_input_that_is_not_of_a_text_is_named(tmp_path: Path) -> None:
    path = write_tiny_embedder(tmp_path, pooled=True, inputs=("input_ids", "pixel_values"))
    with pytest.raises(VerificationError, match="has an input 'pixel_values'"):
        OnnxContradictionModel(path, LABELS).contradictions(PAIRS)

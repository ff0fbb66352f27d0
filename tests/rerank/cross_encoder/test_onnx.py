"""A real ONNX model reads question and passage; what is too long is read in windows."""

import itertools
from pathlib import Path

import pytest

from fixtures.tiny_reranker import (
    FLOAT,
    INT64,
    ints_attribute,
    node,
    number_attribute,
    tensor,
    value,
    write_model,
    write_tiny_reranker,
)
from packhorse.errors import ConfigError, RerankError
from packhorse.rerank.cross_encoder.onnx import MAX_WINDOWS, OnnxCrossEncoder
from packhorse.testing.cross_encoder import CrossEncoderContract
from tests.embed.tiny_embedder import write_tiny_embedder

QUESTION = "Which zebra eats porridge?"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_reranker(tmp_path_factory.mktemp("reranker"), max_length=64)


class TestOnnx(CrossEncoderContract):
    @pytest.fixture(autouse=True)
    def made(self, path: Path) -> None:
        self.model = OnnxCrossEncoder(path)

    def cross_encoder(self) -> OnnxCrossEncoder:
        return self.model


def with_outputs(folder: Path, n: int) -> Path:
    """A model that gives 0, 1, 2, ... for whatever it reads."""
    keep = number_attribute("keepdims", 0) + ints_attribute("axes", [1])
    rows = [0.0] * (30_522 * n)
    rows[101 * n : 102 * n] = [float(at) for at in range(n)]  # [CLS] comes once in a pair
    return write_model(
        folder / "reranker.onnx",
        [
            node("Gather", ["table", "input_ids"], "rows"),
            node("ReduceSum", ["rows"], "logits", keep),
        ],
        [tensor("table", [30_522, n], rows)],
        [value("input_ids", INT64, ("batch", "pieces"))],
        [value("logits", FLOAT, ("batch", "outputs"))],
    )


def test_the_best_window_of_a_long_passage_counts(path: Path) -> None:
    model = OnnxCrossEncoder(path)
    answer = "The zebra eats porridge."
    late = f"{'Nothing to see. ' * 50}{answer}{' Nothing to see.' * 50}"
    both, alone, none = model.scores(QUESTION, [late, answer, "Nothing to see. " * 100])
    assert both == pytest.approx(alone)
    assert none < alone


def test_what_stands_behind_the_eighth_window_is_not_read(path: Path) -> None:
    far = "nothing " * (64 * MAX_WINDOWS) + "The zebra eats porridge."
    model = OnnxCrossEncoder(path)
    assert model.scores(QUESTION, [far]) == model.scores(QUESTION, ["nothing"])


def test_a_long_question_leaves_room_for_the_passage(path: Path) -> None:
    long = f"Which zebra eats porridge {'and when ' * 300}?"
    found, none = OnnxCrossEncoder(path).scores(long, ["The zebra eats porridge.", "Nothing."])
    assert found > none


def test_of_two_outputs_the_difference_is_the_logit(tmp_path: Path) -> None:
    write_tiny_reranker(tmp_path)
    assert OnnxCrossEncoder(with_outputs(tmp_path, 2)).scores("q", ["a", "b"]) == (1.0, 1.0)


def test_a_model_with_other_outputs_is_refused(tmp_path: Path) -> None:
    write_tiny_reranker(tmp_path)
    with pytest.raises(RerankError, match="gives 3 numbers"):
        OnnxCrossEncoder(with_outputs(tmp_path, 3)).scores("q", ["a"])


def test_it_stops_when_its_time_is_over(path: Path) -> None:
    ticks = itertools.count()
    model = OnnxCrossEncoder(path, timeout_s=3.0, clock=lambda: float(next(ticks)))
    assert len(model.scores("q", ["a"] * 3)) == 3
    with pytest.raises(RerankError, match=r"did not judge all passages in 3 s"):
        model.scores("q", ["a"] * 9)


@pytest.mark.parametrize("damaged", ["reranker.onnx", "tokenizer.json"])
def test_a_damaged_file_is_one_error_of_ours(tmp_path: Path, damaged: str) -> None:
    model = OnnxCrossEncoder(write_tiny_reranker(tmp_path))
    (tmp_path / damaged).write_bytes(b"{}")
    with pytest.raises(RerankError, match=r"The reranker reranker\.onnx failed"):
        model.scores("q", ["a"])


@pytest.mark.parametrize("missing", ["reranker.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    path = write_tiny_reranker(tmp_path)
    (tmp_path / missing).unlink()
    with pytest.raises(ConfigError, match=missing):
        OnnxCrossEncoder(path)


def test_an_input_that_is_not_of_a_text_is_named(tmp_path: Path) -> None:
    model = write_tiny_embedder(tmp_path, pooled=True, inputs=("input_ids", "pixel_values"))
    with pytest.raises(RerankError, match="has an input 'pixel_values'") as caught:
        OnnxCrossEncoder(model).scores("tax", ["home"])
    assert "input_ids, attention_mask" in caught.value.hint

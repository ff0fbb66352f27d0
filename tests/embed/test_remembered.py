"""Vectors kept in a file."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from packhorse.embed.remembered import RememberedEmbedder
from packhorse.types.arrays import FloatArray
from tests.embed.sided_embedder import SidedEmbedder


class CountingEmbedder:
    """Makes up vectors, and notes for which texts."""

    dimension = 4

    def __init__(self, fingerprint: str = "made up") -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.asked += texts
        seeds = [sum(text.encode("utf-8", "surrogatepass")) for text in texts]
        rows = [np.random.default_rng(seed).random(self.dimension) for seed in seeds]
        return np.array(rows, dtype=np.float32).reshape(-1, self.dimension)


def test_a_text_is_embedded_once_and_comes_back_bit_for_bit(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "vectors.sqlite"
    plain, first, second = CountingEmbedder(), CountingEmbedder(), CountingEmbedder()
    texts = ["one", "two", "one", "\ud800"]
    made = RememberedEmbedder(first, path).embed(texts)
    assert first.asked == ["one", "two", "\ud800"]
    again = RememberedEmbedder(second, path).embed([*texts, "three"])
    assert second.asked == ["three"]
    assert again.dtype == np.float32
    assert np.array_equal(made, plain.embed(texts))
    assert np.array_equal(again[:4], made)


def test_another_model_never_finds_the_vectors(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    RememberedEmbedder(CountingEmbedder(), path).embed(["one"])
    other = CountingEmbedder("another")
    remembered = RememberedEmbedder(other, path)
    remembered.embed(["one"])
    assert other.asked == ["one"]
    assert (remembered.fingerprint, remembered.dimension) == ("another", 4)


def test_questions_have_vectors_of_their_own_where_the_model_makes_them(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    sided = RememberedEmbedder(SidedEmbedder(), path)
    passage, question = sided.embed(["one"]), sided.embed_questions(["one"])
    assert (passage != question).any()
    again = SidedEmbedder()
    assert (RememberedEmbedder(again, path).embed_questions(["one"]) == question).all()
    assert (RememberedEmbedder(again, path).embed(["one"]) == passage).all()
    assert again.asked == again.embedded == []


def test_a_question_has_the_vector_of_a_passage_where_the_model_knows_no_other(
    tmp_path: Path,
) -> None:
    plain = CountingEmbedder()
    remembered = RememberedEmbedder(plain, tmp_path / "vectors.sqlite")
    assert (remembered.embed(["one"]) == remembered.embed_questions(["one"])).all()
    assert plain.asked == ["one"]


def test_no_text_gives_no_row(tmp_path: Path) -> None:
    found = RememberedEmbedder(CountingEmbedder(), tmp_path / "vectors.sqlite").embed([])
    assert found.shape == (0, 4)


def test_a_damaged_row_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    made = RememberedEmbedder(CountingEmbedder(), path).embed(["one"])
    with sqlite3.connect(path) as connection:
        connection.execute("update vectors set vector = zeroblob(16)")
    connection.close()
    embedder = CountingEmbedder()
    assert np.array_equal(RememberedEmbedder(embedder, path).embed(["one"]), made)
    assert embedder.asked == ["one"]


@pytest.mark.parametrize("content", [b"no database at all, but a text of some length" * 40, None])
def test_an_unusable_file_only_costs_time(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    embedder = CountingEmbedder()
    for _ in range(2):
        assert RememberedEmbedder(embedder, path).embed(["one"]).shape == (1, 4)
    assert embedder.asked == ["one", "one"]


def test_the_oldest_rows_go_first(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    for text in ("one", "two", "three"):
        RememberedEmbedder(CountingEmbedder(), path, max_rows=2).embed([text])
    embedder = CountingEmbedder()
    RememberedEmbedder(embedder, path, max_rows=2).embed(["one", "two", "three"])
    assert embedder.asked == ["one"]

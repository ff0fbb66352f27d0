"""Contract of an embedder, and one that needs no model: for tests of whatever uses one.

Use it from any test runner:

    from packhorse.testing.embedder import EmbedderContract

    class TestMyEmbedder(EmbedderContract):
        def embedder(self):
            return MyEmbedder()
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from packhorse.embed.questions import embed_questions
from packhorse.text.analysis import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import Embedder
    from packhorse.types.arrays import FloatArray

__all__ = ["EmbedderContract", "WordEmbedder"]

QUESTION = "What is the capital of France?"
ANSWER = "Paris is the capital of France."
TEXTS = (
    "Bananas are yellow.",
    ANSWER,
    "",
    " \n\t",
    "\u200b\u202e\x00\ud800",
    "La capitale de la France est Paris. 東京は日本の首都です。",
    "France has a long coast. " * 2_000,
    ANSWER,
)
_ABOUT_ONE = 1e-5


class WordEmbedder:
    """Each search term has a fixed pseudo-random direction; a text has the sum of its terms'.

    Texts that share words are near to each other, and the same text always has the same vector.
    """

    def __init__(self, dimension: int = 64, name: str = "word-embedder") -> None:
        self.dimension = dimension
        self.fingerprint = f"{name} dim={dimension}"
        self.embedded: list[str] = []
        """Every text that was embedded, in order."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """float32, shape (n, dimension), rows of length 1, or 0 for a text without terms."""
        import numpy as np

        from packhorse.embed.unit import unit_rows

        self.embedded += texts
        rows = np.zeros((len(texts), self.dimension))
        for row, text in enumerate(texts):
            for term in terms(text):
                rows[row] += self._direction(term)
        return unit_rows(rows)

    def _direction(self, term: str) -> FloatArray:
        import numpy as np

        data = hashlib.shake_256(term.encode("utf-8", "surrogatepass")).digest(self.dimension)
        return np.frombuffer(data, dtype=np.int8).astype(np.float64)


class EmbedderContract:
    """What every user of an embedder relies on, whether it reads questions otherwise or not."""

    def embedder(self) -> Embedder:
        """The embedder under test."""
        raise NotImplementedError

    def test_it_says_what_it_is(self) -> None:
        model = self.embedder()
        assert model.fingerprint.strip()
        assert model.fingerprint.isprintable()
        assert model.fingerprint == self.embedder().fingerprint
        assert model.dimension > 0

    def test_rows_are_numbers_of_length_one_and_of_zeros_for_no_text(self) -> None:
        import numpy as np

        for rows in self._both(TEXTS):
            assert rows.shape == (len(TEXTS), self.embedder().dimension)
            assert rows.dtype == np.float32
            lengths = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1))
            assert all(not length or abs(length - 1) < _ABOUT_ONE for length in lengths)
            assert lengths[1] > 0
            assert not lengths[2]

    def test_no_text_gives_no_row(self) -> None:
        assert {rows.shape for rows in self._both(())} == {(0, self.embedder().dimension)}

    def test_the_same_text_has_the_same_row_in_every_batch(self) -> None:
        for rows, turned, alone in zip(
            self._both(TEXTS), self._both(TEXTS[::-1]), self._both(TEXTS[1:2]), strict=True
        ):
            assert (rows[1] == rows[-1]).all()
            assert (rows[::-1] == turned).all()
            assert (rows[1:2] == alone).all()

    def test_an_answer_is_nearer_to_its_question_than_what_is_none(self) -> None:
        model = self.embedder()
        question = embed_questions(model, [QUESTION])[0]
        other, answer = model.embed(TEXTS[:2])
        assert question @ answer > question @ other

    def _both(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """As passages and as questions."""
        model = self.embedder()
        return model.embed(texts), embed_questions(model, texts)

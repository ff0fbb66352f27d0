"""Contract of a cross-encoder, for every implementation of `CrossEncoder`.

Use it from any test runner:

    from packhorse.testing.cross_encoder import CrossEncoderContract

    class TestMyReranker(CrossEncoderContract):
        def cross_encoder(self):
            return MyReranker()
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from packhorse.protocols import CrossEncoder

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CrossEncoderContract"]

QUESTION = "What is the capital of France?"
ANSWER = "Paris is the capital of France."
TEXTS = (
    "Bananas are yellow.",
    ANSWER,
    "",
    "\u200b\u202e\x00",
    "France has a long coast. " * 400,
    "La capitale de la France est Paris. 東京は日本の首都です。",
    ANSWER,
)


class CrossEncoderContract:
    """What the caller of a cross-encoder relies on."""

    def cross_encoder(self) -> CrossEncoder:
        """The cross-encoder under test."""
        raise NotImplementedError

    def test_it_says_what_it_is(self) -> None:
        model = self.cross_encoder()
        assert isinstance(model, CrossEncoder)
        assert model.name.strip()

    def test_there_is_a_finite_number_for_each_text(self) -> None:
        scores = self._scores(TEXTS)
        assert len(scores) == len(TEXTS)
        assert all(math.isfinite(score) for score in scores)
        assert self._scores(()) == []

    def test_the_same_text_has_the_same_number_wherever_it_stands(self) -> None:
        scores = self._scores(TEXTS)
        assert scores[1] == scores[-1]
        assert self._scores(TEXTS[::-1]) == scores[::-1]
        assert self._scores(TEXTS[1:2]) == scores[1:2]

    def test_an_answer_is_above_what_is_none(self) -> None:
        other, answer = self._scores(TEXTS[:2])
        assert answer > other

    def test_an_odd_question_is_no_error(self) -> None:
        for question in ("", "\ud800", "why " * 5_000):
            assert len(self.cross_encoder().scores(question, TEXTS[:2])) == 2

    def _scores(self, texts: Sequence[str]) -> list[float]:
        return [round(float(score), 6) for score in self.cross_encoder().scores(QUESTION, texts)]

"""Which sentences and answers can be found at all, so that no metric asks for what is not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.evaluate.metrics.evidence import as_words

if TYPE_CHECKING:
    from packhorse.evaluate.dataset import Dataset, Question
    from packhorse.types.chunk import Chunk

__all__ = ["Findable", "findable_in"]

_NO_EVIDENCE = frozenset({" yes ", " no "})
"""Answers that every other text holds by accident."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findable:
    """What of a question's evidence stands in the corpus word for word."""

    spans: tuple[str, ...]
    """Sentences that stand in the passage they name, or in a gold one where they name none."""
    answers: tuple[str, ...]
    """Answers that a gold passage holds; yes and no are none."""


def findable_in(dataset: Dataset) -> tuple[Findable, ...]:
    """One entry a question, in order."""
    passages = {passage.chunk_id: passage for passage in dataset.passages}
    return tuple(_findable(question, passages) for question in dataset.questions)


def _findable(question: Question, passages: dict[str, Chunk]) -> Findable:
    def holds(names: tuple[str, ...], text: str) -> bool:
        wanted = as_words(text)
        return bool(wanted.strip()) and any(
            wanted in as_words(passages[name].text) for name in names if name in passages
        )

    evidence = (*question.gold, *question.stand_ins)
    return Findable(
        spans=tuple(
            span.text
            for span in question.spans
            if holds((span.passage,) if span.passage else evidence, span.text)
        ),
        answers=tuple(
            answer
            for answer in question.answers
            if as_words(answer) not in _NO_EVIDENCE and holds(evidence, answer)
        ),
    )

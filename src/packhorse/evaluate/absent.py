"""What questions name and the dataset does not hold, so that no figure is lower in silence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packhorse.evaluate.findable import findable_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.evaluate.dataset import Dataset, Question

__all__ = ["Absence", "absences_in"]

EXAMPLES = 3
"""How many are named; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """One kind of thing that is named and not there."""

    kind: str
    """`gold`, `gold_quotes`, `judged_questions`, `conversations`, `turns` or `gold_spans`."""
    count: int
    """How many are not there, 1 or more."""
    of: int
    """How many of the kind are named."""
    first: tuple[str, ...]
    """The first of them in the order of the questions, by id."""
    meaning: str
    """What they are and what became of them, without a figure."""

    @property
    def text(self) -> str:
        """The whole of it on one line."""
        return f"{self.meaning}: {self.count} of {self.of}, for example {', '.join(self.first)}"

    def as_document(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "kind": self.kind,
            "count": self.count,
            "of": self.of,
            "first": list(self.first),
            "text": self.text,
        }


def absences_in(dataset: Dataset) -> tuple[Absence, ...]:
    """An entry for every kind of which something is missing."""
    kinds = (_gold, _quotes, _judged, _conversations, _turns, _spans)
    return tuple(absence for kind in kinds if (absence := kind(dataset)).count)


def _gold(dataset: Dataset) -> Absence:
    return _not_found(
        dataset,
        kind="gold",
        of=sum(len(question.gold) for question in dataset.questions if not question.n_quotes),
        meaning="Judged passages that are not in the corpus and count as gold that is not found",
    )


def _quotes(dataset: Dataset) -> Absence:
    return _not_found(
        dataset,
        kind="gold_quotes",
        of=sum(question.n_quotes for question in dataset.questions),
        meaning="gold_quotes that no passage holds word for word and that count as not found",
    )


def _not_found(dataset: Dataset, *, kind: str, of: int, meaning: str) -> Absence:
    known = {passage.chunk_id for passage in dataset.passages}
    absent = [
        f"{name} of question {question.id}"
        for question in dataset.questions
        if bool(question.n_quotes) is (kind == "gold_quotes")
        for name in question.gold
        if name not in known.union(*question.stand_ins.values())
    ]
    return Absence(
        kind=kind, count=len(absent), of=of, first=tuple(absent[:EXAMPLES]), meaning=meaning
    )


def _judged(dataset: Dataset) -> Absence:
    return Absence(
        kind="judged_questions",
        count=len(dataset.unasked),
        of=len(dataset.unasked) + len(dataset.questions),
        first=tuple(f"question {asked}" for asked in dataset.unasked[:EXAMPLES]),
        meaning="Judged questions that are not in queries.jsonl and are left out",
    )


def _conversations(dataset: Dataset) -> Absence:
    named = [question for question in dataset.questions if question.conversation]
    return _said_before(
        kind="conversations",
        absent=[question for question in named if not question.is_conversation_known],
        of=len(named),
        meaning="Conversations that conversations.jsonl does not hold; asked without them",
    )


def _turns(dataset: Dataset) -> Absence:
    named = [each for each in dataset.questions if each.conversation and each.is_conversation_known]
    return _said_before(
        kind="turns",
        absent=[question for question in named if not question.is_turn_known],
        of=len(named),
        meaning="Conversations with fewer turns than turn_index says; asked after all of them",
    )


def _said_before(*, kind: str, absent: Sequence[Question], of: int, meaning: str) -> Absence:
    return Absence(
        kind=kind,
        count=len(absent),
        of=of,
        first=tuple(f"{each.conversation} of question {each.id}" for each in absent[:EXAMPLES]),
        meaning=meaning,
    )


def _spans(dataset: Dataset) -> Absence:
    found = findable_in(dataset)
    lost = {
        question.id: (Counter(span.text for span in question.spans) - Counter(there.spans)).total()
        for question, there in zip(dataset.questions, found, strict=True)
    }
    absent = [f"question {asked}" for asked, n in lost.items() if n]
    return Absence(
        kind="gold_spans",
        count=sum(lost.values()),
        of=sum(len(question.spans) for question in dataset.questions),
        first=tuple(absent[:EXAMPLES]),
        meaning="gold_spans that do not stand word for word in their passage and are left out",
    )

"""Public sets as documents that are cut, with the places of what answers each question."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from packhorse.evaluate.dataset import read_dataset

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from packhorse.evaluate.dataset import Dataset, Question
    from packhorse.types.chunk import Chunk

__all__ = ["SETS", "Asked", "LongDocument", "Place", "documents_of"]

SETS = ("squad", "hotpotqa", "mtrag_un", "scifact")

JOINED = ("squad",)
"""Sets whose passages of one title are paragraphs of one article, in the order of the file."""

MOST_DOCUMENTS = 1_000
"""Of a set: those with an answer, then the first others. Cutting them five ways is embedded."""

BREAK = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A stretch of a document's text, in code points."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LongDocument:
    """A text, and where its sections begin."""

    id: str
    title: str
    text: str
    sections: tuple[int, ...]
    """Where each section begins, ascending, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, what to find, and what stands around it."""

    text: str
    wanted: tuple[tuple[Place, ...], ...]
    """A group for each piece of evidence; any place of a group will do. May be empty."""
    around: tuple[Place, ...]
    """The whole passages that people judged to hold the answer."""


@dataclass(slots=True)
class _Joined:
    texts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    length: int = 0


def documents_of(folder: Path) -> tuple[tuple[LongDocument, ...], tuple[Asked, ...]]:
    """The documents of a set and its questions that have an answer in them.

    Raises:
        InputError: the folder or a line of it cannot be used.
    """
    dataset = read_dataset(folder)
    documents: list[LongDocument] = []
    place_of: dict[str, Place] = {}
    for name, passages in _grouped(dataset):
        joined = _Joined()
        for passage in passages:
            start = joined.length
            joined.starts.append(start)
            joined.texts.append(passage.text)
            joined.length = start + len(passage.text) + len(BREAK)
            place_of[passage.chunk_id] = Place(
                document=name, start=start, end=start + len(passage.text)
            )
        documents.append(
            LongDocument(
                id=name,
                title=passages[0].header,
                text=BREAK.join(joined.texts),
                sections=tuple(joined.starts),
            )
        )
    text_of = {document.id: document.text for document in documents}
    asked = tuple(_asked(q, place_of, text_of) for q in dataset.questions if q.gold)
    wanted = {place.document for question in asked for place in question.around}
    documents.sort(key=lambda document: document.id not in wanted)
    return tuple(documents[:MOST_DOCUMENTS]), asked


def _grouped(dataset: Dataset) -> Iterator[tuple[str, Sequence[Chunk]]]:
    if dataset.name not in JOINED:
        for passage in dataset.passages:
            yield passage.chunk_id, (passage,)
        return
    for _title, some in groupby(dataset.passages, key=lambda passage: passage.header):
        passages = tuple(some)
        yield passages[0].chunk_id, passages


def _asked(question: Question, place_of: dict[str, Place], text_of: dict[str, str]) -> Asked:
    """The question with places: sentences where the set names them, else where an answer stands."""
    around = tuple(place_of[name] for name in question.gold)
    if question.spans:
        groups = [
            tuple(_found(span.text, (place_of[span.passage],), text_of))
            for span in question.spans
            if span.passage in place_of
        ]
    elif len(question.answers) == 1 and len(question.answers[0].split()) <= 12:  # noqa: PLR2004 - a short answer
        groups = [tuple(_found(question.answers[0], around, text_of))]
    else:
        groups = []
    return Asked(text=question.text, wanted=tuple(filter(None, groups)), around=around)


def _found(text: str, places: Sequence[Place], text_of: dict[str, str]) -> Iterator[Place]:
    """Every place inside `places` at which the text stands as it is."""
    for place in places:
        whole = text_of[place.document]
        at = whole.find(text, place.start, place.end)
        while at >= 0:
            yield Place(document=place.document, start=at, end=at + len(text))
            at = whole.find(text, at + 1, place.end)

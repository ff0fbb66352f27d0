"""A set as arrays, and what the formula is made of for each of its questions, kept in a cache."""

from __future__ import annotations

import hashlib
import zipfile
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from packhorse.api import count_tokens
from packhorse.embed.remembered import VECTORS_FILE, RememberedEmbedder
from packhorse.evaluate.dataset import read_dataset
from packhorse.kb.searchable import searchable_text
from packhorse.text.analysis import ANALYSIS_VERSION, query_terms, terms

if TYPE_CHECKING:
    from pathlib import Path

    from packhorse.protocols import Embedder
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["Collection", "Features", "load", "read_collection", "store"]

MODEL = "gpt-4o"
"""Costs are in its tokens: of the title and the text, without the block around them."""

FEATURES_VERSION = "3"
"""Raise it whenever anything that `Features` holds is computed in another way."""

FOLDER = "ranking-features"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collection:
    """The passages of a set, by id, and its questions that have an answer in it."""

    name: str
    titles: tuple[str, ...]
    texts: tuple[str, ...]
    title_terms: tuple[tuple[str, ...], ...]
    passage_terms: tuple[tuple[str, ...], ...]
    """Of title and text."""
    costs: IntArray
    """Tokens of each passage."""
    vectors: FloatArray
    questions: tuple[str, ...]
    question_terms: tuple[tuple[str, ...], ...]
    question_vectors: FloatArray
    gold: tuple[IntArray, ...]
    """Rows to find, of each question."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Features:
    """The candidates of all questions, one after the other; a row per candidate.

    The candidates of question q are the rows `ends[q]` to `ends[q + 1]`, ordered by id.
    """

    ends: IntArray
    edge_ends: IntArray
    """As `ends`, for the edges."""
    n_gold: IntArray
    """Passages to find, of each question, whether candidates or not."""
    agreement_gate: FloatArray
    """0..1, of each question: how much feedback counts."""
    named_gate: FloatArray
    """0..1, of each question: how surely it names passages."""
    rows: IntArray
    """Of the collection."""
    costs: IntArray
    is_gold: IntArray
    words: FloatArray
    """BM25 as a share of the question's upper bound, 0..1."""
    direction: FloatArray
    """Cosine, 0..1."""
    by_words: IntArray
    """Rank from 1 by words; 0 where the row is not among the first 100."""
    by_direction: IntArray
    named: FloatArray
    """How surely the question names it, 0..1."""
    length: FloatArray
    """ln(terms / average terms of the set)."""
    nearest: IntArray
    """(n, 5) rows within the question's candidates, of those found that are most like it."""
    nearest_cosines: FloatArray
    alike_words: FloatArray
    alike_direction: FloatArray
    edge_sources: IntArray
    """Rows within the question's candidates, as `edge_targets`."""
    edge_targets: IntArray
    edge_strengths: FloatArray

    @property
    def n_questions(self) -> int:
        """Questions that have an answer in the set."""
        return len(self.n_gold)


def read_collection(folder: Path, embedder: Embedder, cache: Path) -> Collection:
    """Reads a set and embeds what the cache of vectors does not hold yet.

    Raises:
        InputError: the folder or a line of it cannot be used.
    """
    dataset = read_dataset(folder)
    passages = sorted(dataset.passages, key=lambda passage: passage.chunk_id)
    row_of = {passage.chunk_id: row for row, passage in enumerate(passages)}
    asked = [question for question in dataset.questions if question.gold]
    searchable = [searchable_text(passage) for passage in passages]
    remembered = RememberedEmbedder(embedder, cache / VECTORS_FILE)
    return Collection(
        name=dataset.name,
        titles=tuple(passage.header for passage in passages),
        texts=tuple(passage.text for passage in passages),
        title_terms=tuple(tuple(terms(passage.header)) for passage in passages),
        passage_terms=tuple(tuple(terms(text)) for text in searchable),
        costs=np.array([count_tokens(text, model=MODEL) for text in searchable], dtype=np.int64),
        vectors=remembered.embed(searchable),
        questions=tuple(question.text for question in asked),
        question_terms=tuple(tuple(query_terms(question.text)) for question in asked),
        question_vectors=remembered.embed_questions([question.text for question in asked]),
        gold=tuple(
            np.array(sorted(row_of[name] for name in question.gold), dtype=np.int64)
            for question in asked
        ),
    )


def load(folder: Path, embedder: Embedder, cache: Path) -> Features | None:
    """Features as they were stored for this very content; None where there are none."""
    # A damaged file is as good as none: the features are made anew.
    with (
        suppress(OSError, ValueError, KeyError, zipfile.BadZipFile),
        _entry(folder, embedder, cache).open("rb") as file,
        np.load(file, allow_pickle=False) as stored,
    ):
        return Features(**{each.name: stored[each.name] for each in fields(Features)})
    return None


def store(features: Features, folder: Path, embedder: Embedder, cache: Path) -> None:
    """Keeps features for `load`.

    Raises:
        OSError: the cache cannot be written.
    """
    entry = _entry(folder, embedder, cache)
    entry.parent.mkdir(parents=True, exist_ok=True)
    unfinished = entry.with_suffix(".unfinished.npz")
    np.savez(unfinished, **{each.name: getattr(features, each.name) for each in fields(Features)})
    unfinished.replace(entry)


def _entry(folder: Path, embedder: Embedder, cache: Path) -> Path:
    parts = (FEATURES_VERSION, ANALYSIS_VERSION, embedder.fingerprint, read_dataset(folder).digest)
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return cache / FOLDER / f"{folder.resolve().name}-{key}.npz"

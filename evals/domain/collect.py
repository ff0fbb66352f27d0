"""Questions of every set against every corpus: those of its own are inside, all others outside."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evals.domain.features import FEATURES, CorpusWords, features_of
from packhorse.embed.questions import embed_questions
from packhorse.errors import ConfigError
from packhorse.evaluate.corpus import open_corpus, remembered_embedder
from packhorse.evaluate.dataset import read_dataset
from packhorse.indexing.open import open_kb
from packhorse.profiles.yaml_file import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk

__all__ = ["FAR", "INSIDE", "NEAR", "SETS", "Measured", "is_near", "measured"]

SETS = ("2wiki", "cranfield", "hotpotqa", "mtrag_un", "nq", "ramdocs", "scifact", "squad")
SAMPLES = ("rental_questions", "tax_kb", "medical_kb")

_FIELDS: Mapping[str, str] = {
    **dict.fromkeys(("2wiki", "hotpotqa", "mtrag_un", "nq", "ramdocs", "squad"), "encyclopaedia"),
    **dict.fromkeys(("scifact", "medical_kb"), "medicine"),
}
"""Sets of one field: a question of one may well be answered in the corpus of another, by chance,
and is near its domain in any case. All others are of a field of their own."""

INSIDE, NEAR, FAR = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """All questions that one corpus was asked."""

    corpus: str
    figures: FloatArray
    """(n, len(FEATURES))."""
    kinds: FloatArray
    """(n,) `INSIDE`, `NEAR` or `FAR`."""

    def column(self, name: str, kind: int) -> FloatArray:
        """One feature of the questions of one kind."""
        column: FloatArray = self.figures[self.kinds == kind, FEATURES.index(name)]
        return column


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Set:
    name: str
    passages: tuple[Chunk, ...]
    questions: tuple[str, ...]


def measured(
    data: Path, fixtures: Path, questions: Path, *, n_questions: int, embedder: str, cache: Path
) -> Iterator[Measured]:
    """Asks every corpus the questions of every set, at most `n_questions` of each.

    Questions are taken at even distances; those without an answer in their corpus are left out.

    Raises:
        InputError: a set is missing or cannot be read.
        ConfigError: `embedder` is `none`.
    """
    sets = [*_public(data, n_questions), *_samples(fixtures, questions)]
    model = remembered_embedder(embedder, cache)
    if model is None:
        raise ConfigError("The measurement needs vectors", hint="Take --embedder minilm or static")
    vectors = {each.name: embed_questions(model, each.questions) for each in sets}
    for corpus in sets:
        words = CorpusWords.of(corpus.passages)
        rows, kinds = [], []
        with open_corpus(corpus.name, corpus.passages, embedder_name=embedder, cache=cache) as kb:
            for asking in sets:
                for question, vector in zip(asking.questions, vectors[asking.name], strict=True):
                    rows.append(features_of(kb, words, question, vector))
                    kinds.append(_kind(corpus.name, asking.name))
        yield Measured(corpus=corpus.name, figures=np.array(rows), kinds=np.array(kinds))


def _public(data: Path, n_questions: int) -> Iterator[_Set]:
    for name in SETS:
        dataset = read_dataset(data / name)
        asked = [question.text for question in dataset.questions if question.gold]
        step = max(1, len(asked) // n_questions)
        yield _Set(
            name=name,
            passages=dataset.passages,
            questions=tuple(asked[::step][:n_questions]),
        )


def _samples(fixtures: Path, questions: Path) -> Iterator[_Set]:
    rental = read_dataset(fixtures / SAMPLES[0])
    asked = tuple(question.text for question in rental.questions if question.gold)
    yield _Set(name=SAMPLES[0], passages=rental.passages, questions=asked)
    listed: Mapping[str, Sequence[str]] = read_yaml(questions, "list of questions").data
    for name in SAMPLES[1:]:
        yield _Set(name=name, passages=_chunks(fixtures / name), questions=tuple(listed[name]))


def _chunks(folder: Path) -> tuple[Chunk, ...]:
    with (folder / "chunks.jsonl").open(encoding="utf-8") as lines:
        ids = [json.loads(line)["chunk_id"] for line in lines]
    with closing(open_kb(folder)) as kb:
        return tuple(kb.get(ids).values())


def _kind(corpus: str, asking: str) -> int:
    if corpus == asking:
        return INSIDE
    return NEAR if is_near(corpus, asking) else FAR


def is_near(corpus: str, asking: str) -> bool:
    """Whether two sets are of one field."""
    return corpus in _FIELDS and _FIELDS[corpus] == _FIELDS.get(asking)

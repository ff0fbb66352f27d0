"""What is evaluated over: passages, questions, and which passages answer each question.

Two layouts are read, told apart by the folder `qrels`:

    own    corpus.jsonl {id, title, text, source, timestamp?, topics?}
           queries.jsonl {id, query, gold or gold_quotes, answers?, grades?, gold_spans?,
                          conversation?}
           conversations.jsonl {id, turns: [{speaker, text}]}, where questions name one
    BEIR   corpus.jsonl {_id, title, text}, queries.jsonl {_id, text}, qrels/SPLIT.tsv

A passage is one chunk, never cut: its title is the header.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.errors import InputError

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk
    from packhorse.types.message import Message

__all__ = ["Dataset", "Question", "Span", "read_dataset"]

CORPUS = "corpus.jsonl"
QUERIES = "queries.jsonl"
QRELS = "qrels"
DEFAULT_SPLIT = "test"
CONVERSATIONS = "conversations.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A sentence that is evidence."""

    text: str
    passage: str | None
    """Id of the passage that it stands in; None where it may stand in any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and what is known about its answer."""

    id: str
    text: str
    grades: Mapping[str, float]
    """Passage id -> how relevant it is, above 0; what is not in it is not relevant."""
    gold: tuple[str, ...]
    """Ids of the passages to find, sorted; empty where the corpus holds no answer. Judgements of
    the BEIR layout may name some that the corpus does not hold."""
    answers: tuple[str, ...] = ()
    """Short answers, any of which will do."""
    spans: tuple[Span, ...] = ()
    history: tuple[Message, ...] = ()
    """What was said before it, oldest first."""
    stand_ins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Passage id -> gold that it stands for, where sentences and no ids say what is gold; itself
    among it where it is gold."""
    n_quotes: int = 0
    """Different sentences that say what is gold."""
    conversation: str = ""
    """Id of the conversation that it names."""
    is_conversation_known: bool = True
    """Whether conversations.jsonl holds that; where it does not, there is no history."""
    is_turn_known: bool = True
    """Whether it has so many turns as `turn_index` says; where not, all of them are the history."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """A corpus with its questions."""

    name: str
    passages: tuple[Chunk, ...]
    """In the order of the file."""
    questions: tuple[Question, ...]
    digest: str
    """SHA-256 of everything that is read: 64 hex digits. Fields nobody reads do not change it."""
    kb: Path | None = None
    """Where the passages come from, if not from corpus.jsonl: what `open_kb` takes."""
    unasked: tuple[str, ...] = ()
    """Ids of questions that are judged and not there, in the order of the judgements."""


def read_dataset(folder: Path, *, split: str = DEFAULT_SPLIT, kb: Path | None = None) -> Dataset:
    """Reads a folder strictly: one bad line is an error with file, line and reason.

    Args:
        folder: in either layout.
        split: which judgements of the BEIR layout; the other layout has none to choose from.
        kb: an index, or what else `open_kb` takes: its chunks are the passages, held in memory
            meanwhile, and corpus.jsonl is not read.

    Raises:
        InputError: the folder or a file in it is missing, or a line cannot be used.
    """
    from packhorse.evaluate.beir import read_judged_questions
    from packhorse.evaluate.passages import passages_of, read_passages
    from packhorse.evaluate.questions import read_questions

    if not folder.is_dir():
        raise InputError(
            f"No dataset at {folder}", hint=f"Name a folder with {CORPUS} and {QUERIES}"
        )
    for name in (QUERIES,) if kb else (CORPUS, QUERIES):
        if not (folder / name).is_file():
            raise InputError(
                f"The dataset {folder} has no {name}",
                hint=f"A dataset is a folder with {CORPUS} and {QUERIES}; with --kb the passages"
                " are those of an index",
            )
    is_beir = (folder / QRELS).is_dir()
    if not is_beir and split != DEFAULT_SPLIT:
        raise InputError(
            f"The dataset {folder} has no split {split!r}: it has no folder {QRELS}",
            hint="Leave --split out; it is for the BEIR layout",
        )
    passages = passages_of(kb) if kb else read_passages(folder / CORPUS, is_beir=is_beir)
    known = frozenset(passage.chunk_id for passage in passages)
    unasked: tuple[str, ...] = ()
    if is_beir:
        judgements = _judgements(folder, split)
        questions, unasked = read_judged_questions(folder / QUERIES, judgements, known)
    else:
        questions = read_questions(folder / QUERIES, folder / CONVERSATIONS, passages)
    name = folder.resolve().name
    return Dataset(
        name=name,
        passages=passages,
        questions=questions,
        digest=_digest(passages, questions),
        kb=kb,
        unasked=unasked,
    )


def _judgements(folder: Path, split: str) -> Path:
    there = sorted(path.stem for path in (folder / QRELS).glob("*.tsv") if path.is_file())
    if split in there:
        return folder / QRELS / f"{split}.tsv"
    raise InputError(
        f"The dataset {folder} has no judgements named {split!r} in {QRELS}",
        hint=f"It has: {', '.join(there)}; choose with --split" if there else "Add a .tsv file",
    )


def _digest(passages: tuple[Chunk, ...], questions: tuple[Question, ...]) -> str:
    digest = hashlib.sha256()
    for passage in passages:
        digest.update(passage.content_hash().encode())
    for question in questions:
        fields = [
            question.id,
            question.text,
            dict(question.grades),
            question.gold,
            question.answers,
            [[span.text, span.passage] for span in question.spans],
            [[message.role, message.content] for message in question.history],
            *([dict(question.stand_ins)] if question.stand_ins else []),
        ]
        encoded = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        digest.update(encoded.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()

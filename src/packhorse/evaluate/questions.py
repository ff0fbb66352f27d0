"""queries.jsonl of the own layout: questions with their gold, answers, grades and spans."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from packhorse.errors import InputError
from packhorse.evaluate.dataset import Question, Span
from packhorse.evaluate.metrics.evidence import as_words
from packhorse.evaluate.rows import read_rows
from packhorse.evaluate.stand_ins import quoted
from packhorse.ingest.strict_json import KINDS
from packhorse.types.message import Message

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from packhorse.evaluate.rows import Row
    from packhorse.evaluate.stand_ins import StandIns
    from packhorse.types.chunk import Chunk

__all__ = ["read_questions", "refuse_none"]

_KEYS = ("id", "query", "gold", "gold_quotes", "answers", "grades", "gold_spans", "conversation")
_ROLES = {"user": "user", "assistant": "assistant", "agent": "assistant", "system": "system"}

Conversations = dict[str, tuple[Message, ...]]


def read_questions(
    path: Path, conversations: Path, passages: Sequence[Chunk]
) -> tuple[Question, ...]:
    """All questions in the order of the file.

    `gold` holds the ids to find, each counted once however often it stands there; `gold_quotes` in
    its place sentences, and any passage that holds one is as good as another. `grades` says how
    relevant passages are, for nDCG; a gold passage without a grade has 1, and a grade of 0 is the
    same as none.

    Args:
        path: the file.
        conversations: where the conversations are that questions name; need not exist.
        passages: what is searched.

    Raises:
        InputError: a line cannot be used, an id occurs twice, or there is no question at all.
    """
    said = _read_conversations(conversations) if conversations.is_file() else {}
    questions: list[Question] = []
    lines: dict[str, int] = {}
    known = {passage.chunk_id: passage for passage in passages}
    for row in read_rows(path):
        row.check_spelling(_KEYS)
        question = _question(row, known, said)
        if question.id in lines:
            row.fail(f"id {question.id!r} is on line {lines[question.id]} already")
        lines[question.id] = row.line
        questions.append(question)
    refuse_none(questions, path)
    return tuple(questions)


def refuse_none(questions: Sequence[Question], path: Path) -> None:
    """Raises InputError where there is no question, or none with gold."""
    if not questions:
        raise InputError(f"{path} holds no question", hint="Write one JSON object a line")
    if not any(question.gold for question in questions):
        raise InputError(
            f"No question of {path} names a gold passage",
            hint="`gold` lists the ids of the passages that answer the question, and `gold_quotes`"
            " sentences of them",
        )


def _question(
    row: Row, known: Mapping[str, Chunk], said: Mapping[str, Sequence[Message]]
) -> Question:
    gold, stand_ins = _gold(row, known)
    conversation = row.optional_text("conversation")
    history = _history(row, said)
    return Question(
        id=row.text("id"),
        text=row.text("query"),
        grades=_grades(row, gold, known),
        gold=tuple(gold),
        stand_ins=stand_ins,
        n_quotes=len(gold) if row.texts("gold_quotes") else 0,
        answers=tuple(answer for answer in row.texts("answers")),
        spans=tuple(_span(each, known) for each in row.objects("gold_spans")),
        history=history,
        conversation=conversation,
        is_conversation_known=not conversation or conversation in said,
        is_turn_known=conversation not in said or _turn(row, history) == len(history),
    )


def _gold(row: Row, known: Mapping[str, Chunk]) -> tuple[list[str], StandIns]:
    quotes = row.texts("gold_quotes")
    if quotes:
        if row.texts("gold"):
            row.fail("gold and gold_quotes both say what is gold")
        blank = next((quote for quote in quotes if not as_words(quote).strip()), None)
        if blank is not None:
            row.fail(f"gold_quotes holds {blank!r}, which has no word")
        return quoted(quotes, known.values())
    gold = sorted(set(row.texts("gold", required=True)))
    for name in gold:
        if name not in known:
            row.fail(f"gold {name!r} is not in the corpus")
    return gold, {}


def _grades(row: Row, gold: Sequence[str], known: Collection[str]) -> dict[str, float]:
    value = row.fields.get("grades")
    if value is None:
        value = {}
    if not isinstance(value, dict):
        row.fail(f"grades is {KINDS[type(value)]}, not an object of passage id to number")
    grades = dict.fromkeys(gold, 1.0)
    for name, grade in value.items():
        if name not in known:
            row.fail(f"grades names {name!r}, which is not in the corpus")
        if isinstance(grade, bool) or not isinstance(grade, int | float):
            row.fail(f"the grade of {name!r} is {KINDS[type(grade)]}, not a number")
        if not (math.isfinite(grade) and grade >= 0):
            row.fail(f"the grade of {name!r} is {grade}, not 0 or more")
        grades[name] = float(grade)
    for name in gold:
        if not grades[name]:
            row.fail(f"{name!r} is gold and has grade 0")
    return {name: grades[name] for name in sorted(grades) if grades[name]}


def _span(row: Row, known: Collection[str]) -> Span:
    passage = row.optional_text("chunk") or None
    if passage is not None and passage not in known:
        row.fail(f"gold_spans names {passage!r}, which is not in the corpus")
    return Span(text=row.text("text"), passage=passage)


def _history(row: Row, said: Mapping[str, Sequence[Message]]) -> tuple[Message, ...]:
    """The turns before the question. Its own turn is the last one, where `turn_index` is missing.

    A conversation that the dataset does not hold is no error: its name may mean something else. It
    is told with the results.
    """
    turns = said.get(row.optional_text("conversation"), ())
    return tuple(turns[: _turn(row, turns[:-1])])


def _turn(row: Row, before: Sequence[Message]) -> int:
    """The turns that stand before the question, as it says; all of `before` where it says none."""
    turn = row.fields.get("turn_index", len(before))
    if isinstance(turn, bool) or not isinstance(turn, int):
        row.fail("turn_index is not a whole number")
    return max(0, turn)


def _read_conversations(path: Path) -> Conversations:
    found: Conversations = {}
    for row in read_rows(path):
        name = row.text("id")
        if name in found:
            row.fail(f"id {name!r} occurs twice")
        found[name] = tuple(_message(turn) for turn in row.objects("turns"))
    return found


def _message(turn: Row) -> Message:
    speaker = turn.text("speaker")
    return Message(role=_ROLES.get(speaker, "user"), content=turn.text("text", may_be_blank=True))

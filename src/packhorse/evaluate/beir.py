"""The BEIR layout: queries.jsonl {_id, text} and qrels/SPLIT.tsv with one judgement a line.

Thakur et al., "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval
Models" (2021). queries.jsonl holds the questions of every split; those that the judgements
of one split name are the ones evaluated.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from packhorse.errors import InputError
from packhorse.evaluate.dataset import Question
from packhorse.evaluate.questions import refuse_none
from packhorse.evaluate.rows import read_rows
from packhorse.ingest.lines import utf8_lines

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

__all__ = ["read_judged_questions"]

_WHOLE = re.compile(r"-?[0-9]{1,9}")
_COLUMNS = ("query-id", "corpus-id", "score")


def read_judged_questions(
    path: Path, qrels: Path, known: Collection[str]
) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """The judged questions in the order of queries.jsonl; a passage with a score above 0 is gold.

    A score of 0 or less says that a passage is not relevant: TREC marks junk with -1 and -2.
    Judgements are of a whole collection, and folders often hold a part of one. A relevant passage
    that the corpus does not hold stays gold, which nothing can find, so that no share of the gold
    is larger for it: trec_eval divides by all that are judged relevant, as well. A question that
    queries.jsonl does not hold cannot be asked and takes no part, as in trec_eval.

    Args:
        path: queries.jsonl.
        qrels: the judgements: question id, passage id, whole number; tab separated, with a header.
        known: ids of the passages.

    Returns:
        the questions, and the ids of judged questions that queries.jsonl does not hold, in the
        order of the judgements.

    Raises:
        InputError: a line cannot be used, or no relevant passage is in the corpus.
    """
    texts: dict[str, str] = {}
    for row in read_rows(path):
        name = row.text("_id")
        if name in texts:
            row.fail(f"_id {name!r} occurs twice")
        texts[name] = row.text("text")
    judged = _read_judgements(qrels)
    questions = [
        Question(
            id=name,
            text=text,
            grades={
                each: judged[name][each] for each in sorted(judged[name]) if judged[name][each]
            },
            gold=tuple(each for each in sorted(judged[name]) if judged[name][each]),
        )
        for name, text in texts.items()
        if name in judged
    ]
    refuse_none(questions, qrels)
    gold = {name for question in questions for name in question.gold}
    if gold.isdisjoint(known):
        raise InputError(
            f"No passage that {qrels} judges relevant is in the corpus, {min(gold)!r} for example",
            hint="The second column holds ids of passages: `_id` of corpus.jsonl, or ids of chunks"
            " with --kb",
        )
    return tuple(questions), tuple(name for name in judged if name not in texts)


def _read_judgements(path: Path) -> dict[str, dict[str, float]]:
    judged: dict[str, dict[str, float]] = {}
    for number, raw in utf8_lines(path):
        cells = _cells(path, number, raw)
        if (number == 1 and cells == _COLUMNS) or cells == ("",):
            continue
        if len(cells) != len(_COLUMNS):
            _fail(path, number, f"{len(cells)} columns, not {' '.join(_COLUMNS)}, tab separated")
        question, passage, score = cells
        if not _WHOLE.fullmatch(score):
            _fail(path, number, f"score {score[:20]!r} is not a whole number")
        own = judged.setdefault(question, {})
        if passage in own:
            _fail(path, number, f"passage {passage!r} is judged twice for {question!r}")
        own[passage] = max(0.0, float(score))
    return judged


def _cells(path: Path, number: int, raw: bytes | None) -> tuple[str, ...]:
    try:
        text = b"" if raw is None else raw
        return tuple(cell.strip() for cell in text.decode("utf-8").split("\t"))
    except UnicodeDecodeError:
        _fail(path, number, "not UTF-8 text")


def _fail(path: Path, line: int, reason: str) -> NoReturn:
    raise InputError(
        f"{reason}, {path} line {line}", hint="Correct the line; nothing was evaluated"
    )

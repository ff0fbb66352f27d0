"""How much a note matters to a question: what it shares with it, and how recent it is."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from packhorse.rerank.freshness import NEUTRAL_FRESHNESS
from packhorse.text.analysis import query_terms, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.config import Weights
    from packhorse.types.note import Note

__all__ = ["NoteScore", "note_scores"]

SECONDS_A_DAY = 86_400


class NoteScore(NamedTuple):
    """The parts of a note's score, each 0 to 1 and rounded to six decimals."""

    relevance: float
    """Share of the question's words that the note holds, rare ones counting more."""
    freshness: float
    score: float
    """Both, weighed as evidence weighs them; higher is chosen first."""


def note_scores(
    notes: Sequence[Note],
    question: str,
    as_of: datetime | None,
    weights: Weights,
    half_life_days: float,
) -> list[NoteScore]:
    """One score a note, in order.

    Relevance is the share of the question's inverse document frequency, taken over the notes, that
    a note's text, tags, key, subject and attribute hold. Freshness is 0.5 ** (age / half-life); a
    date in the future is as fresh as today, and an unknown one is neutral.

    Args:
        notes: what competes.
        question: what is asked.
        as_of: the instant that ages are measured from; None: that of the newest note.
        weights: of relevance and freshness; their other fields do not count.
        half_life_days: age at which freshness is 0.5.
    """
    asked = sorted(set(query_terms(question))) if question.strip() else []
    held = [set(terms(_searched(note))) for note in notes]
    counts = Counter(term for each in held for term in asked if term in each)
    rarity = {term: math.log(1 + (len(notes) + 1) / (counts[term] + 0.5)) for term in asked}
    whole = math.fsum(rarity.values())
    dates = [note.timestamp for note in notes if note.timestamp is not None]
    now = max(dates, default=None) if as_of is None else as_of
    total = weights.relevance + weights.freshness
    scores = []
    for note, each in zip(notes, held, strict=True):
        shared = math.fsum(rarity[term] for term in asked if term in each)
        relevance = round(shared / whole, 6) if whole else 0.0
        freshness = _freshness(note.timestamp, now, half_life_days)
        weighed = weights.relevance * relevance + weights.freshness * freshness
        score = weighed / total if total else relevance
        scores.append(NoteScore(relevance, freshness, round(score, 6)))
    return scores


def _searched(note: Note) -> str:
    return "\n".join((note.text, *note.tags, note.key, note.subject, note.attribute))


def _freshness(stamp: datetime | None, now: datetime | None, half_life_days: float) -> float:
    if stamp is None or now is None:
        return NEUTRAL_FRESHNESS
    age = max(0.0, (now - stamp).total_seconds() / SECONDS_A_DAY)
    return round(math.pow(0.5, age / half_life_days), 6)

"""How much a question asks at once, from what can be seen in it; no model is asked.

Each cue in the question gives points; their sum through a logistic curve is the score. Points were
trained to tell questions whose answer takes two passages from those that take one; they are never
negative, so another cue never makes a question simpler. See `tools/train_complexity.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packhorse.text.printable import printable
from packhorse.window.cues import found_cues, read_question

__all__ = ["DATA", "LEVELS", "Complexity", "Cue", "level_of", "query_complexity"]

DATA = Path(__file__).parent / "data" / "complexity.json"
LEVELS: Mapping[str, float] = {"simple": 0.0, "moderate": 0.5, "complex": 0.8}
"""Level -> the score from which a question is of it."""
PLACES = 6
MOST_SHOWN = 3
MOST_LETTERS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """One reason why a question is complex."""

    name: str
    count: int
    points: float
    """What it adds; 0 or more."""
    said: str
    """In words, with what was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Complexity:
    """How complex a question is, and why."""

    score: float
    """0..1: where as many questions take one passage as take two, the chance that this one takes
    two."""
    level: str
    """`simple`, `moderate` or `complex`."""
    cues: tuple[Cue, ...]
    """What was found, most points first; ties by name."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """The cues in words."""
        return tuple(cue.said for cue in self.cues)


def query_complexity(query: str) -> Complexity:
    """How complex a question is: from comparisons, choices, clauses, relations, names in it.

    The cues are English words; a question in another language scores low. The first 4,000
    characters are read. Microseconds.

    Example:
        >>> query_complexity("Who is older, the director of Jaws or the director of Alien?").level
        'complex'
        >>> query_complexity("who wrote hamlet").level
        'simple'
    """
    intercept, points = _model()
    found = [
        Cue(
            name=each.name,
            count=each.count,
            points=round(points[each.name] * each.count, PLACES),
            said=f"{each.said}: {_shown(each.words)}",
        )
        for each in found_cues(read_question(query))
    ]
    found.sort(key=lambda cue: (-cue.points, cue.name))
    total = intercept + math.fsum(cue.points for cue in found)
    score = round(1 / (1 + math.exp(-total)), PLACES)
    return Complexity(score=score, level=level_of(score), cues=tuple(found))


def level_of(score: float) -> str:
    """The level of a score."""
    return max((start, name) for name, start in LEVELS.items() if start <= score)[1]


def _shown(words: tuple[str, ...]) -> str:
    said = [f"'{printable(word[:MOST_LETTERS])}'" for word in words[:MOST_SHOWN]]
    more = len(words) - len(said)
    return ", ".join(said) + (f" and {more} more" if more else "")


@cache
def _model() -> tuple[float, Mapping[str, float]]:
    data = json.loads(DATA.read_text("utf-8"))
    return data["intercept"], data["points"]

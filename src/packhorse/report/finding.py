"""What the search "Was this passage here?" shows for a hit, as data for its script."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from packhorse.report.advice import NOT_FOUND
from packhorse.report.visible import visible

if TYPE_CHECKING:
    from packhorse.report.candidates import CandidateView

__all__ = ["GAP", "find_data"]

GAP = "\ue000"
"""Stands for a number that is left out of a sentence; never in a text that has it by itself."""

NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")


class _Sentences:
    """Each sentence once. Those that differ in their numbers alone share one, too.

    Hundreds of candidates say `rank 3 by words; rank 11 by meaning`: the page holds the words
    once, and three numbers for each of them.
    """

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def place(self, text: str) -> int | list[int]:
        """Where it is, and the numbers that go into its gaps."""
        shown = visible(text)
        if GAP in shown:
            return self._place(shown)
        numbers = [int(found) for found in NUMBER.findall(shown)]
        if not numbers:
            return self._place(shown)
        return [self._place(NUMBER.sub(GAP, shown)), *numbers]

    def _place(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))


def find_data(candidates: Sequence[CandidateView]) -> str:
    """JSON: sentences, and a row a candidate in the page's order; texts are on the page itself."""
    sentences = _Sentences()
    rows = [list(_row(each, sentences)) for each in candidates]
    data = {
        "gap": GAP,
        "questions": [step.question for step in candidates[0].steps] if rows else [],
        "nothing": NOT_FOUND,
        "sentences": list(sentences.places),
        "rows": rows,
    }
    return json.dumps(data, separators=(",", ":"))


def _row(each: CandidateView, sentences: _Sentences) -> Iterator[object]:
    """Anchor, id, source, its id, section, date, headline, steps, changes; as find.js reads it."""
    said = sentences.place
    yield each.anchor
    yield visible(each.chunk_id)
    yield from map(said, (each.source, each.source_id, each.section_id, each.date, each.headline))
    yield [[said(step.answer), said(step.tone), said(step.detail)] for step in each.steps]
    yield [said(change) for change in each.changes]

"""Sentences as a page keeps them: each once, with the numbers in it apart."""

from __future__ import annotations

import re

from packhorse.report.visible import visible

__all__ = ["GAP", "Sentences"]

GAP = "\ue000"
"""Stands for a number that is left out of a sentence; never in a text that has it by itself."""

NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")


class Sentences:
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

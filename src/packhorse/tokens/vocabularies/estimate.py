"""Upper estimates for models whose tokenizer is not public.

**Why a vocabulary and not characters.** A share of the characters is off by up to a factor of
three between English, code and other scripts. A real vocabulary follows the text, and only the
difference between two vocabularies is left to the margin. Text outside ASCII is counted with two
vocabularies of different age and the larger count is taken, because vocabularies differ most
there.

**How the margins were chosen** (they are data: `margin` in the model table; the concept page on
counting has the measurements and their sources, a line for each kind of text).

- Claude up to Opus 4.6, Sonnet 4.6 and Haiku 4.5: 0.35. Counts by Anthropic's endpoint, published
  by third parties, were 1.16 to 1.30 times those of o200k_base for articles, JSON, YAML,
  mathematics and Python; the worst of them plus five points.
- Claude from Opus 4.7 on: 0.90. The same comparisons found 1.53 to 1.57; others found 1.13 to 1.47
  times the older Claude, which with the older 1.25 for marked-up text makes up to 1.84.
- Gemini: 0.35. Google's own library counts Gemini with Gemma's vocabulary. Measured with that file:
  once digits are counted one by one, 1.20 at most on average of a kind, single C files up to 1.5.

`habits` holds what no margin can: digits, and scripts that a vocabulary has hardly any tokens for.
It stays an estimate: no margin is proven for every text, and `exact` says so.

**How sums stay true.** Rounding up a share of each block would make the sum of blocks differ from
the count of the whole. So a text is cut behind every run of newlines, each piece is counted and
rounded up by itself, and the text costs the sum. Texts that start with anything but a newline
and end with one are then additive by construction, with any vocabulary: the sum of the blocks
*is* the count of the whole, margin included, and a budget kept by adding is kept by recounting.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.vocabularies.habits import Habit

__all__ = ["EstimateCounter"]

PIECE = re.compile(r"[^\n]*\n+|[^\n]+")
PER_MILLE = 1000


class EstimateCounter:
    """Counts with a public vocabulary and adds a margin, piece by piece; never marked exact."""

    exact = False

    def __init__(
        self,
        base: TokenCounter,
        margin: float,
        wide: TokenCounter | None = None,
        habit: Habit | None = None,
    ) -> None:
        """Prepares an estimate.

        Args:
            base: vocabulary that every piece is counted with.
            margin: share added to each piece, to a tenth of a per cent.
            wide: second vocabulary for pieces that are not plain ASCII; the larger count holds.
            habit: corrects the count of a piece by what is known of the tokenizer itself.
        """
        self.name = f"{base.name}+{margin:.0%}"
        self.library = base.library
        self.margin = margin
        self._base = base
        self._wide = wide
        self._habit = habit
        self._factor = PER_MILLE + round(margin * PER_MILLE)

    def count(self, text: str) -> int:
        """Estimated tokens of one text, margin included."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Estimated tokens of each text, in order, margin included."""
        split, known = self._split(texts)
        margin = self._factor - PER_MILLE
        costs = {piece: self.cost(piece, count, margin) for piece, count in known.items()}
        return [sum(map(costs.__getitem__, parts)) for parts in split]

    def piece_counts(self, texts: Sequence[str]) -> list[list[tuple[str, int]]]:
        """The pieces of each text, in order, with their tokens by the public vocabularies."""
        split, known = self._split(texts)
        return [[(piece, known[piece]) for piece in parts] for parts in split]

    def cost(self, piece: str, count: int, margin: int) -> int:
        """Tokens that a piece is planned with.

        Args:
            piece: the text of it.
            count: its tokens by the public vocabularies.
            margin: share to add, in per mille; not this counter's own, so that others can be tried.
        """
        if self._habit is not None:
            count = self._habit(piece, count, margin)
        # In whole numbers: 100 x 1.1 in floating point rounds up to 111.
        return -(-count * (PER_MILLE + margin) // PER_MILLE)

    def _split(self, texts: Sequence[str]) -> tuple[list[list[str]], dict[str, int]]:
        """The pieces of each text, and the tokens of each different piece."""
        split = [PIECE.findall(text) for text in texts]
        pieces = list(dict.fromkeys(chain.from_iterable(split)))
        return split, dict(zip(pieces, self._counts(pieces), strict=True))

    def _counts(self, pieces: Sequence[str]) -> list[int]:
        counts = self._base.count_batch(pieces)
        rows = [row for row, piece in enumerate(pieces) if not piece.isascii()]
        if self._wide is not None and rows:
            wide = self._wide.count_batch([pieces[row] for row in rows])
            for row, count in zip(rows, wide, strict=True):
                counts[row] = max(counts[row], count)
        return counts

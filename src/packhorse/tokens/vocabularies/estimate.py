"""Upper estimates for models whose tokenizer is not public.

**Why a vocabulary and not characters.** A share of the characters is off by up to a factor of
three between English, code and other scripts. A real vocabulary follows the text, and only the
difference between two vocabularies is left to the margin. Text outside ASCII is counted with two
vocabularies of different age and the larger count is taken, because vocabularies differ most
there.

**How the margins were chosen** (they are data: `margin` in the model table).

- Claude up to Opus 4.6, Sonnet 4.6 and Haiku 4.5: 0.35. Published comparisons of GPT-4o with
  Claude 3.5 Sonnet found 16 % more tokens for English articles, 21 % for mathematics and 30 % for
  Python code; the worst of them plus five points.
- Claude from Opus 4.7 on: 0.80. Anthropic states that the newer tokenizer gives about 30 % more
  tokens for the same text: 1.35 x 1.30 = 1.755, rounded up.
- Gemini: 0.25. Google states about four characters a token, as for o200k_base on English; the
  margin covers numbers and white space, which that vocabulary splits finer.

It stays an estimate: no margin is proven for every text, and `exact` says so.

**How sums stay true.** Rounding up a share of each block would make the sum of blocks differ from
the count of the whole. So a text is cut behind every run of newlines, each piece is counted and
rounded up by itself, and the text costs the sum. Texts that start with anything but a newline
and end with one are then additive by construction, with any vocabulary: the sum of the blocks
*is* the count of the whole, margin included, and a budget kept by adding is kept by recounting.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import TokenCounter

__all__ = ["EstimateCounter"]

PIECE = re.compile(r"[^\n]*\n+|[^\n]+")
PER_MILLE = 1000


class EstimateCounter:
    """Counts with a public vocabulary and adds a margin, piece by piece; never marked exact."""

    exact = False

    def __init__(self, base: TokenCounter, margin: float, wide: TokenCounter | None = None) -> None:
        """Prepares an estimate.

        Args:
            base: vocabulary that every piece is counted with.
            margin: share added to each piece, to a tenth of a per cent.
            wide: second vocabulary for pieces that are not plain ASCII; the larger count holds.
        """
        self.name = f"{base.name}+{margin:.0%}"
        self.library = base.library
        self.margin = margin
        self._base = base
        self._wide = wide
        self._factor = PER_MILLE + round(margin * PER_MILLE)

    def count(self, text: str) -> int:
        """Estimated tokens of one text, margin included."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Estimated tokens of each text, in order, margin included."""
        split = [PIECE.findall(text) for text in texts]
        pieces = [piece for parts in split for piece in parts]
        counts = iter([self._with_margin(count) for count in self._counts(pieces)])
        return [sum(next(counts) for _ in parts) for parts in split]

    def _counts(self, pieces: Sequence[str]) -> list[int]:
        counts = self._base.count_batch(pieces)
        if self._wide is None:
            return counts
        rows = [row for row, piece in enumerate(pieces) if not piece.isascii()]
        if rows:
            wide = self._wide.count_batch([pieces[row] for row in rows])
            for row, count in zip(rows, wide, strict=True):
                counts[row] = max(counts[row], count)
        return counts

    def _with_margin(self, count: int) -> int:
        # In whole numbers: 100 x 1.1 in floating point rounds up to 111.
        return -(-count * self._factor // PER_MILLE)

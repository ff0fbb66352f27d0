"""An embedder that needs no model: for tests of whatever uses one."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from packhorse.text.analysis import terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import FloatArray

__all__ = ["WordEmbedder"]


class WordEmbedder:
    """Each search term has a fixed pseudo-random direction; a text has the sum of its terms'.

    Texts that share words are near to each other, and the same text always has the same vector.
    """

    def __init__(self, dimension: int = 64, name: str = "word-embedder") -> None:
        self.dimension = dimension
        self.fingerprint = f"{name} dim={dimension}"
        self.embedded: list[str] = []
        """Every text that was embedded, in order."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """float32, shape (n, dimension), rows of length 1, or 0 for a text without terms."""
        import numpy as np

        from packhorse.embed.unit import unit_rows

        self.embedded += texts
        rows = np.zeros((len(texts), self.dimension))
        for row, text in enumerate(texts):
            for term in terms(text):
                rows[row] += self._direction(term)
        return unit_rows(rows)

    def _direction(self, term: str) -> FloatArray:
        import numpy as np

        data = hashlib.shake_256(term.encode("utf-8", "surrogatepass")).digest(self.dimension)
        return np.frombuffer(data, dtype=np.int8).astype(np.float64)

"""A quick embedder for properties that are not about meaning: words hashed into directions."""

import hashlib
from collections.abc import Sequence

import numpy as np

from packhorse.types.arrays import FloatArray

__all__ = ["HashedEmbedder"]


class HashedEmbedder:
    """Each word adds a fixed direction; the sum is scaled to length 1. No words, no direction."""

    fingerprint = "hashed-words:16"
    dimension = 16

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """(n, 16) float32."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float64)
        for row, text in enumerate(texts):
            for word in text.split():
                digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
                rows[row] += np.frombuffer(digest[:16], dtype=np.int8)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: FloatArray = np.divide(rows, lengths, out=rows, where=lengths > 0)
        return unit.astype(np.float32)

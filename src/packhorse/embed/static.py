"""WordLlama: token vectors looked up and averaged, for corpora too big for a transformer."""

from __future__ import annotations

import logging
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import MissingExtraError
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import FloatArray

__all__ = ["StaticEmbedder"]

_CONFIG = "l2_supercat"
_DIMENSION = 256


class StaticEmbedder:
    """Mean of the vectors of all tokens of a text, scaled to length 1; word order does not count.

    Weights come inside the package; nothing is downloaded. Two thousand and more passages of 100
    words a second on one core.

    Raises:
        MissingExtraError: the package `wordllama` is not installed.
    """

    fingerprint = f"wordllama-{_CONFIG} dim={_DIMENSION} pooling=mean normalised=l2 max_tokens=none"
    dimension = _DIMENSION

    def __init__(self) -> None:
        if find_spec("wordllama") is None:
            raise MissingExtraError("wordllama", "static", "The static embedder")

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """float32, shape (n, 256), rows of length 1; a row of zeros for a text without a token."""
        import numpy as np

        from packhorse.embed.unit import unit_rows

        sums = np.zeros((len(texts), _DIMENSION))
        encoded = self._model.tokenizer.encode_batch_fast(
            [well_formed(text) for text in texts], add_special_tokens=False
        )
        table = self._model.embedding
        for row, tokens in enumerate(encoded):
            if tokens.ids:
                ids = np.minimum(tokens.ids, len(table) - 1)
                # The direction of a sum is that of the mean.
                sums[row] = table[ids].sum(axis=0, dtype=np.float64)
        return unit_rows(sums)

    @cached_property
    def _model(self) -> Any:
        root = logging.getLogger()
        level, handlers = root.level, list(root.handlers)
        try:
            import wordllama
        finally:
            # Importing it configures the root logger, which belongs to the application.
            root.setLevel(level)
            root.handlers[:] = handlers
        model = wordllama.WordLlama.load(
            config=_CONFIG,
            dim=_DIMENSION,
            cache_dir=Path(wordllama.__file__).parent,
            disable_download=True,
        )
        model.tokenizer.no_padding()
        return model

"""A model that reads two texts together and answers with a few numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packhorse.onnx.model import OnnxModel

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray

__all__ = ["PairModel"]


class PairModel(OnnxModel):
    """Runs a sequence-pair model; see `OnnxModel` for its files."""

    def numbers(self, pieces: Any) -> FloatArray:
        """(n,) float64: the first output for a pair, as the tokenizer encodes it.

        Errors are those of `run`.
        """
        import numpy as np

        numbers: FloatArray = np.asarray(self.run(pieces)[0], dtype=np.float64).ravel()
        return numbers

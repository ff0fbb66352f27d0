"""A model that reads two texts together, as one ONNX file with its tokenizer."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError

if TYPE_CHECKING:
    from packhorse.types.arrays import FloatArray

__all__ = ["PairModel"]


class PairModel:
    """Runs a sequence-pair model, one pair at a time and on one core.

    So its numbers depend neither on what else is asked nor on the number of threads. Nothing is
    loaded before the first pair.

    Args:
        model: the `.onnx` file. Its inputs are some of `input_ids`, `attention_mask` and
            `token_type_ids`.
        tokenizer: its `tokenizer.json`; None is the one beside it.
        role: what it is for, in the words of the error.

    Raises:
        ConfigError: a file is not there.
    """

    def __init__(self, model: str | Path, tokenizer: str | Path | None, role: str) -> None:
        self._path = Path(model)
        self._vocabulary = Path(tokenizer or self._path.with_name("tokenizer.json"))
        for path in (self._path, self._vocabulary):
            if not path.is_file():
                raise ConfigError(
                    f"No file for the {role}: {path}",
                    hint="Give the .onnx file, with its tokenizer.json beside it",
                )
        self.name = self._path.name

    def numbers(self, pieces: Any) -> FloatArray:
        """(n,) float64: the first output for a pair, as the tokenizer encodes it.

        Errors are those of onnxruntime, which raises its own types and bare Exception.
        """
        import numpy as np

        inputs = {
            "input_ids": pieces.ids,
            "attention_mask": pieces.attention_mask,
            "token_type_ids": pieces.type_ids,
        }
        feed = {
            each.name: np.array([inputs[each.name]], dtype=np.int64)
            for each in self._session.get_inputs()
        }
        numbers: FloatArray = np.asarray(self._session.run(None, feed)[0], dtype=np.float64).ravel()
        return numbers

    def tokenizer(self) -> Any:
        """A new tokenizer that does not pad, and truncates as its file says.

        Errors are those of tokenizers, which raises bare Exception.
        """
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._vocabulary))
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(
            str(self._path), options, providers=["CPUExecutionProvider"]
        )

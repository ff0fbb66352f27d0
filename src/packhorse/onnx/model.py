"""A model that reads pieces of text, as one ONNX file with its tokenizer."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError
from packhorse.onnx.place import place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["OnnxModel"]

_TOKENIZER = "tokenizer.json"
_SUBFOLDER = "onnx"
"""Where models for sentence-transformers keep their .onnx files, below the folder of the model."""
_INT32 = "tensor(int32)"


class OnnxModel:
    """Runs a model on one core, on one text or pair at a time.

    So its numbers depend neither on what else is asked nor on the number of threads. Nothing is
    loaded before the first text.

    Args:
        model: the `.onnx` file. Its inputs are some of `input_ids`, `attention_mask` and
            `token_type_ids`.
        tokenizer: its `tokenizer.json`; None is the one beside it, or of a file in a folder called
            `onnx` the one beside that.
        role: what it is for, in the words of the error.

    Raises:
        ConfigError: a file is not there.
    """

    def __init__(self, model: str | Path, tokenizer: str | Path | None, role: str) -> None:
        given = place_of(model)
        pieces = place_of(tokenizer) if tokenizer else _beside(given)
        for path in (given, pieces):
            if not path.is_file():
                raise ConfigError(
                    f"No file for the {role}: {path}",
                    hint="Give the .onnx file, with its tokenizer.json beside it",
                )
        # Read later, when the working directory may be another one.
        self.path, self.tokenizer_path = given.absolute(), pieces.absolute()
        self.name = given.name

    @property
    def outputs(self) -> Sequence[str]:
        """Names of what the model gives, in its order."""
        return [each.name for each in self._session.get_outputs()]

    def run(self, pieces: Any, outputs: Sequence[str] | None = None) -> Sequence[Any]:
        """The outputs of these names, or all, for a text or pair as the tokenizer encodes it.

        Errors are those of onnxruntime, which raises its own types and bare Exception.

        Raises:
            ConfigError: the model has an input that is not of a text.
        """
        import numpy as np

        inputs: Mapping[str, Any] = {
            "input_ids": pieces.ids,
            "attention_mask": pieces.attention_mask,
            "token_type_ids": pieces.type_ids,
        }
        feed = {}
        for each in self._session.get_inputs():
            if each.name not in inputs:
                raise ConfigError(
                    f"{self.name} has an input {each.name!r}",
                    hint=f"Give a model whose inputs are some of {', '.join(inputs)}",
                )
            kind = np.int32 if each.type == _INT32 else np.int64
            feed[each.name] = np.array([inputs[each.name]], dtype=kind)
        found: Sequence[Any] = self._session.run(outputs, feed)
        return found

    def tokenizer(self) -> Any:
        """A new tokenizer that does not pad, and truncates as its file says.

        Errors are those of tokenizers, which raises bare Exception.
        """
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.tokenizer_path))
        tokenizer.no_padding()
        return tokenizer

    def load(self) -> None:
        """Loads the model now instead of with the first text."""
        _ = self._session

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(
            str(self.path), options, providers=["CPUExecutionProvider"]
        )


def _beside(model: Path) -> Path:
    """The tokenizer of a model."""
    beside = model.with_name(_TOKENIZER)
    # Of a path like `model.onnx` the folder's name is known only when it is made absolute.
    folder = model.absolute().parent
    above = folder.parent / _TOKENIZER
    return (
        above if folder.name == _SUBFOLDER and not beside.exists() and above.is_file() else beside
    )

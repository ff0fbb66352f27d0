"""A natural-language-inference model of the user's own, on onnxruntime."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError, VerificationError
from packhorse.onnx.pair_model import PairModel
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["OnnxContradictionModel"]

CONTRADICTION = "contradiction"
_MAX_PIECES = 256
"""Pieces of both sentences together that the model sees; the longer one is cut first."""


class OnnxContradictionModel:
    """Runs a sequence-pair classifier: logits for `labels`, turned into probabilities.

    Pairs run one at a time and on one core, so that a probability depends neither on what else is
    asked nor on the number of threads. Nothing is loaded before the first pair.

    Args:
        model: the `.onnx` file. Its inputs are some of `input_ids`, `attention_mask` and
            `token_type_ids`; its first output has the shape (1, number of labels).
        labels: what the logits stand for, in their order, `contradiction` among them. There is no
            usual order: two models that were trained on the same data may have different ones.
        tokenizer: the `tokenizer.json` of the model. Default: beside the model.

    Raises:
        ConfigError: a file is not there, or no label is `contradiction`.
    """

    def __init__(
        self, model: str | Path, labels: Sequence[str], tokenizer: str | Path | None = None
    ) -> None:
        self._model = PairModel(model, tokenizer, "contradiction model")
        self._labels = tuple(label.strip().casefold() for label in labels)
        if self._labels.count(CONTRADICTION) != 1:
            raise ConfigError(
                f"The labels of {self._model.name} are {', '.join(self._labels) or 'not given'}",
                hint="Name them in the model's order, for example"
                f" {self._model.name}#contradiction,entailment,neutral",
            )
        self.name = f"{self._model.name}#{','.join(self._labels)}"

    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> tuple[float, ...]:
        """Probability for each pair, in order, that the second sentence contradicts the first.

        Raises:
            VerificationError: the model cannot be loaded or run, or its output has another shape.
        """
        try:
            return tuple(self._probability(first, second) for first, second in pairs)
        except VerificationError:
            raise
        except ConfigError as exc:
            raise VerificationError(exc.message, hint=exc.hint) from exc
        except Exception as exc:
            # onnxruntime and tokenizers raise their own types, and bare Exception.
            raise VerificationError(
                f"The contradiction model {self._model.name} failed: {type(exc).__name__}",
                hint="Check that the .onnx file and the tokenizer.json belong together",
            ) from exc

    def _probability(self, first: str, second: str) -> float:
        import numpy as np

        pieces = self._tokenizer.encode(well_formed(first), well_formed(second))
        logits = self._model.numbers(pieces)
        if logits.shape != (len(self._labels),) or not np.isfinite(logits).all():
            raise VerificationError(
                f"{self._model.name} gives {logits.size} numbers for {len(self._labels)} labels",
                hint="Name every label of the model, in its order",
            )
        powers = np.exp(logits - logits.max())
        return float(powers[self._labels.index(CONTRADICTION)] / powers.sum())

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = self._model.tokenizer()
        tokenizer.enable_truncation(_MAX_PIECES)
        return tokenizer

"""A cross-encoder in an ONNX file: question and passage read together, one number out.

A passage that is longer than the model reads is cut into overlapping windows, and the best window
counts (Dai and Callan, 2019, "Deeper text understanding for IR", MaxP): a passage is as relevant
as its most relevant part. At most eight windows are read; what is behind them is not.
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError, RerankError
from packhorse.onnx.pair_model import PairModel
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["MAX_WINDOWS", "OnnxCrossEncoder"]

MAX_WINDOWS = 8
"""Windows of one passage that are read."""
_MAX_PIECES = 512
"""Pieces of question and window together, where the tokenizer.json does not say."""
_LONGEST_PIECES = 8192
_OVERLAP = 8
"""A window shares an eighth of its pieces with the one before."""
_CHARACTERS_A_PIECE = 16
"""More than pieces have on average in any script; bounds what is cut into pieces at all."""


class OnnxCrossEncoder:
    """Runs a sequence-pair classifier with one output, or with two (the second is "relevant").

    Pairs run one at a time and on one core, so that a score depends neither on what else is asked
    nor on the number of threads. Nothing is loaded before the first pair. Of a question, at most
    half of what the model reads is kept.

    Args:
        model: the `.onnx` file. Its inputs are some of `input_ids`, `attention_mask` and
            `token_type_ids`; its first output has one or two numbers for a pair. Of two, the
            difference is the logit.
        tokenizer: the `tokenizer.json` of the model; default: beside the model. The length it
            truncates to is the length that the model reads, 512 where it names none.
        timeout_s: seconds for one call of `scores`; looked at before each window.
        clock: seconds that only go forward.

    Raises:
        ConfigError: a file is not there.
    """

    def __init__(
        self,
        model: str | Path,
        tokenizer: str | Path | None = None,
        *,
        timeout_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = PairModel(model, tokenizer, "reranker")
        self._timeout_s = timeout_s
        self._clock = clock
        self.name = self._model.name

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """The model's logit for each text, in order.

        Raises:
            RerankError: the model cannot be loaded or run, gives something else, or is too slow.
        """
        ends = self._clock() + self._timeout_s
        try:
            asked = self._cut(well_formed(query), self._pieces // 2)
            found: list[float] = []
            for text in texts:
                windows = self._windows(asked, text)
                found.append(max(self._logit(window, ends) for window in windows))
        except RerankError:
            raise
        except ConfigError as exc:
            raise RerankError(exc.message, hint=exc.hint) from exc
        except Exception as exc:
            # onnxruntime and tokenizers raise their own types, and bare Exception.
            raise RerankError(
                f"The reranker {self.name} failed: {type(exc).__name__}",
                hint="Check that the .onnx file and the tokenizer.json belong together",
            ) from exc
        return tuple(found)

    def _cut(self, query: str, pieces: int) -> str:
        """The question up to so many pieces."""
        bounded = query[: pieces * _CHARACTERS_A_PIECE]
        offsets = self._tokenizer.encode(bounded, add_special_tokens=False).offsets
        return bounded if len(offsets) <= pieces else bounded[: offsets[pieces - 1][1]]

    def _windows(self, query: str, text: str) -> Sequence[Any]:
        """Question and text as pieces, a window of the text at a time."""
        bounded = text[: MAX_WINDOWS * self._pieces * _CHARACTERS_A_PIECE]
        pieces = self._pair_tokenizer.encode(query, well_formed(bounded))
        return (pieces, *pieces.overflowing)[:MAX_WINDOWS]

    def _logit(self, pieces: Any, ends: float) -> float:
        import numpy as np

        if self._clock() > ends:
            raise RerankError(
                f"{self.name} did not judge all passages in {self._timeout_s:g} s",
                hint="Set reranker.timeout_seconds higher, or reranker.top lower",
            )
        numbers = self._model.numbers(pieces)
        if numbers.size not in {1, 2} or not np.isfinite(numbers).all():
            raise RerankError(
                f"{self.name} gives {numbers.size} numbers for a pair, or none that are finite",
                hint="Give a cross-encoder with one output, or with two",
            )
        return float(numbers[-1] - numbers[0] if numbers.size > 1 else numbers[0])

    @cached_property
    def _pieces(self) -> int:
        """How many pieces the model reads."""
        named = self._model.tokenizer().truncation
        length = int(named["max_length"]) if named else _MAX_PIECES
        return max(16, min(length, _LONGEST_PIECES))

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer = self._model.tokenizer()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _pair_tokenizer(self) -> Any:
        """One of its own: a tokenizer that is set up anew for each text serves one thread only."""
        tokenizer = self._model.tokenizer()
        overlap = self._pieces // 2 // _OVERLAP
        tokenizer.enable_truncation(self._pieces, stride=overlap, strategy="only_second")
        return tokenizer

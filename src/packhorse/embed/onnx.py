"""An embedding model in an ONNX file, with what stands beside it."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from packhorse.embed.prompts import Prompts
from packhorse.embed.sentence_layout import (
    CLS,
    MEAN,
    POOLINGS,
    read_further_modules,
    read_pooling,
    read_prompts,
    read_reading,
)
from packhorse.errors import ConfigError, PackhorseError, RetrievalError
from packhorse.onnx.digest import digest_of
from packhorse.onnx.model import OnnxModel
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from packhorse.types.arrays import FloatArray

__all__ = ["OnnxEmbedder"]

_OUTPUTS = ("sentence_embedding", "last_hidden_state", "token_embeddings")
"""The first of these that a model has is taken, and else its first output."""
_ROWS, _PIECES = 2, 3
"""Dimensions of an output that is pooled, and of one that is not."""
_MAX_PIECES = 512
"""Where no file says how many."""
_LONGEST_PIECES = 8192
_LEAST_PIECES = 16
_CHARACTERS_A_PIECE = 64
"""More than pieces have in any text that is one; bounds what is cut into pieces at all."""
_DIGITS = 16
_TOLD = 200
"""Characters of an error of onnxruntime."""
_TEXTS_WORTH_A_THREAD = 4
_MAX_THREADS = 8


class OnnxEmbedder:
    """Runs a model over a text's pieces, pools what it gives, and scales the row to length 1.

    Texts run one at a time and on one core, so that a vector depends on its text alone; several
    cores work on several texts. What is not said here is taken from the files beside the tokenizer
    that sentence-transformers writes; see `sentence_layout`. Nothing is loaded before the first
    text.

    Args:
        model: the `.onnx` file. Its inputs are some of `input_ids`, `attention_mask` and
            `token_type_ids`. An output `sentence_embedding` is taken as it is; else
            `last_hidden_state`, `token_embeddings` or the first, of the shape (1, pieces, d), which
            is pooled, or (1, d), which is not.
        tokenizer: the `tokenizer.json` of the model; None is the one beside it, or beside the
            folder `onnx` that it is in.
        pooling: `mean`, `cls` (the first piece) or `lasttoken`; None is what the files say, or else
            `mean`.
        question: put before each question; None is what the files say, or else nothing.
        passage: put before each passage; None is as for `question`.
        length: pieces that are read, frame and prompt included. None is what
            `sentence_bert_config.json` says, or else `tokenizer.json`, or else 512; at most 8192.

    Raises:
        ConfigError: a file is not there or cannot be used, or an argument cannot be.
    """

    def __init__(
        self,
        model: str | Path,
        tokenizer: str | Path | None = None,
        *,
        pooling: str | None = None,
        question: str | None = None,
        passage: str | None = None,
        length: int | None = None,
    ) -> None:
        self._model = OnnxModel(model, tokenizer, "embedder")
        if pooling not in {None, *POOLINGS}:
            raise ConfigError(
                f"Unknown pooling {pooling!r}", hint=f"Known ones: {', '.join(POOLINGS)}"
            )
        if length is not None and not _LEAST_PIECES <= length <= _LONGEST_PIECES:
            raise ConfigError(
                f"The embedder's length is {length} pieces",
                hint=f"Set it to a number from {_LEAST_PIECES} to {_LONGEST_PIECES}",
            )
        folder = self._model.tokenizer_path.parent
        self._asked = pooling
        # What is said by name stands, whatever the files say.
        self._pooling = pooling or read_pooling(folder) or MEAN
        self._further = () if pooling else read_further_modules(folder)
        said_length, self._lowers = read_reading(folder)
        self._length = length or said_length
        said = read_prompts(folder) if question is None or passage is None else Prompts()
        self._prompts = Prompts(
            question=said.question if question is None else question,
            passage=said.passage if passage is None else passage,
        )

    @cached_property
    def fingerprint(self) -> str:
        """The content of model and tokenizer, and all that is done with them.

        Not where they are: the same files elsewhere are the same embedder.

        Raises:
            ConfigError: a file cannot be read.
        """
        try:
            model, tokenizer = (
                digest_of(path) for path in (self._model.path, self._model.tokenizer_path)
            )
        except OSError as exc:
            raise ConfigError(
                f"Cannot read {exc.filename}: {exc.strerror}", hint="Check its permissions"
            ) from exc
        return (
            f"onnx {model[:_DIGITS]} tokenizer={tokenizer[:_DIGITS]} pooling={self._pooling}"
            f" normalised=l2 max_pieces={self._pieces}{' lower_case' if self._lowers else ''}"
            f"{self._prompts.told}"
        )

    @cached_property
    def dimension(self) -> int:
        """Length of a vector; the first use embeds one text."""
        return len(self._row("dimension", ""))

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """float32, shape (n, dimension), rows of length 1; zeros for a text without a piece.

        Raises:
            RetrievalError: the model cannot be loaded or run, or gives no vector.
            ConfigError: its files do not say the same.
        """
        return self._embedded(texts, self._prompts.passage)

    def embed_questions(self, texts: Sequence[str]) -> FloatArray:
        """As `embed`, with the prompt of questions."""
        return self._embedded(texts, self._prompts.question)

    def _embedded(self, texts: Sequence[str], prompt: str) -> FloatArray:
        import numpy as np

        embed_one = partial(self._embed_one, prompt=prompt)
        threads = min(_MAX_THREADS, os.cpu_count() or 1)
        _ = self._tokenizer, self._output  # loaded once, before threads share them
        if threads == 1 or len(texts) < _TEXTS_WORTH_A_THREAD:
            found = [embed_one(text) for text in texts]
        else:
            with ThreadPoolExecutor(threads) as pool:
                found = list(pool.map(embed_one, texts))
        vectors = [row for row in found if row is not None]
        dimension = len(vectors[0]) if vectors else self.dimension
        rows = np.zeros((len(texts), dimension), dtype=np.float32)
        for at, row in enumerate(found):
            if row is not None:
                rows[at] = row
        return rows

    def _embed_one(self, text: str, prompt: str) -> FloatArray | None:
        """The vector of a text; None for one without a piece."""
        read = well_formed(text[: self._pieces * _CHARACTERS_A_PIECE])
        if not read.strip() or not self._encoded(read, framed=False).ids:
            return None
        return self._row(read, prompt)

    def _row(self, text: str, prompt: str) -> FloatArray:
        import numpy as np

        from packhorse.embed.unit import unit_rows

        # As sentence-transformers does: the prompt first, then the ends of the whole.
        pieces = self._encoded((prompt + text).strip())
        try:
            given = np.asarray(self._model.run(pieces, [self._output])[0])
        except PackhorseError:
            raise
        except Exception as exc:
            # onnxruntime raises its own types, and bare Exception.
            raise RetrievalError(
                f"The embedder {self._model.name} failed on a text of {len(pieces.ids)} pieces:"
                f" {_first_line(exc)}",
                hint="Check that the .onnx file and the tokenizer.json belong together, and how"
                " many pieces the model reads (,length=512)",
            ) from exc
        row = self._pooled(given, len(pieces.ids))
        if not np.isfinite(row).all() or not row.any():
            what = "zeros alone" if np.isfinite(row).all() else "numbers that are not finite"
            raise RetrievalError(
                f"The embedder {self._model.name} gives {what} for a text",
                hint="Take the file of the model with float32 or int8 weights",
            )
        scaled: FloatArray = unit_rows(row)[0]
        return scaled

    def _encoded(self, text: str, *, framed: bool = True) -> Any:
        read = text.lower() if self._lowers else text
        try:
            return self._tokenizer.encode(read, add_special_tokens=framed)
        except Exception as exc:
            # tokenizers raises bare Exception.
            raise RetrievalError(
                f"The tokenizer {self._model.tokenizer_path} failed on a text: {exc}",
                hint="Give the tokenizer.json that came with the model",
            ) from exc

    def _pooled(self, given: Any, n_pieces: int) -> FloatArray:
        """(1, d) float64 of what the model gives for one text."""
        import numpy as np

        row: FloatArray
        if given.ndim == _ROWS and len(given) == 1 and given.size:
            if self._asked:
                raise ConfigError(
                    f"{self._model.name} gives vectors that are pooled already",
                    hint=f"Leave ,pooling={self._asked} out",
                )
            row = given.astype(np.float64)
            return row
        if given.ndim != _PIECES or given.shape[:2] != (1, n_pieces) or not given.size:
            raise RetrievalError(
                f"The embedder {self._model.name} gives an output {self._output!r} of the shape"
                f" {given.shape} for a text of {n_pieces} pieces",
                hint="Give an embedding model, whose output is (1, pieces, d) or (1, d)",
            )
        if self._further:
            raise ConfigError(
                f"modules.json of {self._model.name} has {' and '.join(self._further)} behind the"
                " pooling, which the file does not hold",
                hint="Export the whole model: its output is then called sentence_embedding",
            )
        if self._pooling == MEAN:
            # One text a run has no padding: every position counts.
            row = given.mean(axis=1, dtype=np.float64)
        else:
            row = given[:, 0 if self._pooling == CLS else -1].astype(np.float64)
        return row

    @cached_property
    def _output(self) -> str:
        """The name of the output that is taken."""
        try:
            names = self._model.outputs
        except Exception as exc:
            # onnxruntime raises its own types, and bare Exception.
            raise RetrievalError(
                f"The embedder {self._model.path} cannot be loaded: {_first_line(exc)}",
                hint="Check that the .onnx file is whole, with its weights beside it",
            ) from exc
        return next((name for name in _OUTPUTS if name in names), names[0])

    @cached_property
    def _pieces(self) -> int:
        """How many pieces the model reads."""
        named = self._tokenizer_of_file.truncation
        length = self._length or (int(named["max_length"]) if named else _MAX_PIECES)
        return max(_LEAST_PIECES, min(length, _LONGEST_PIECES))

    @cached_property
    def _tokenizer(self) -> Any:
        tokenizer, pieces = self._tokenizer_of_file, self._pieces
        tokenizer.enable_truncation(pieces)
        return tokenizer

    @cached_property
    def _tokenizer_of_file(self) -> Any:
        try:
            return self._model.tokenizer()
        except Exception as exc:
            # tokenizers raises bare Exception.
            raise ConfigError(
                f"{self._model.tokenizer_path} is no tokenizer: {exc}",
                hint="Give the tokenizer.json that came with the model",
            ) from exc


def _first_line(exc: Exception) -> str:
    """What a library says, short enough for one line."""
    told = str(exc).strip().partition("\n")[0]
    return told[:_TOLD] or type(exc).__name__

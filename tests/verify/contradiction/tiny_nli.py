"""Writes a tiny sequence-pair classifier as a real ONNX file, and its tokenizer.json.

The model adds up three numbers for each word: words of denial speak for a contradiction, all others
a little for entailment.
"""

from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from fixtures.tiny_reranker import (
    FLOAT,
    INT64,
    ints_attribute,
    node,
    number_attribute,
    tensor,
    value,
    write_model,
)

__all__ = ["LABELS", "write_tiny_nli"]

LABELS = ("contradiction", "entailment", "neutral")
_ROWS = {"[UNK]": (-0.2, 0.2, 0.0), "not": (8.0, 0.0, 0.0), "never": (8.0, 0.0, 0.0)}


def write_tiny_nli(folder: Path) -> Path:
    """Writes `model.onnx` and `tokenizer.json`; returns the path of the model."""
    sum_up = ints_attribute("axes", [1]) + number_attribute("keepdims", 0)
    path = write_model(
        folder / "model.onnx",
        [
            node("Gather", ("table", "input_ids"), "rows"),
            node("ReduceSum", ("rows",), "logits", sum_up),
        ],
        [tensor("table", [len(_ROWS), 3], [number for row in _ROWS.values() for number in row])],
        [value("input_ids", INT64, ("batch", "pieces"))],
        [value("logits", FLOAT, ("batch", "labels"))],
    )
    vocabulary = {word: row for row, word in enumerate(_ROWS)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return path

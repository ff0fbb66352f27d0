"""Writes an embedding model of a few words: each has a direction of its own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

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

__all__ = ["DIMENSION", "WORDS", "vector_of", "write_tiny_embedder"]

WORDS = ("[CLS]", "[SEP]", "[UNK]", "query", "passage", "tax", "home", "office")
DIMENSION = len(WORDS)
POOLED = number_attribute("keepdims", 0) + ints_attribute("axes", [1])


def vector_of(*words: str) -> list[float]:
    """The direction of a sum of words, each of which is one axis; scaled to length 1."""
    counts = [float(words.count(word)) for word in WORDS]
    length = sum(count * count for count in counts) ** 0.5
    return [count / length for count in counts]


def write_tiny_embedder(
    folder: Path,
    *,
    output: str = "last_hidden_state",
    pooled: bool = False,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    weight: float = 1.0,
    rows: int = DIMENSION,
    max_length: int | None = None,
    files: Mapping[str, object] | None = None,
) -> Path:
    """Writes `model.onnx`, `tokenizer.json` and files of JSON; returns the path of the model.

    Args:
        folder: where.
        output: name of the output.
        pooled: give the mean of the pieces instead of one row for each.
        inputs: of the model; those but `input_ids` change nothing.
        weight: of every word; what is not finite makes a broken model.
        rows: words that the model knows, the first of them.
        max_length: that the tokenizer truncates to.
        files: path in the folder -> what is written there as JSON, text as it is.
    """
    table = [weight if row == column else 0.0 for row in range(rows) for column in range(DIMENSION)]
    nodes = [node("Gather", ["table", "input_ids"], "hidden" if pooled else output)]
    if pooled:
        nodes.append(node("ReduceMean", ["hidden"], output, POOLED))
    folder.mkdir(parents=True, exist_ok=True)
    _write_tokenizer(folder / "tokenizer.json", max_length)
    for name, content in (files or {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
    return write_model(
        folder / "model.onnx",
        nodes,
        [tensor("table", [rows, DIMENSION], table)],
        [value(name, INT64, ("batch", "pieces")) for name in inputs],
        [value(output, FLOAT, ("batch", "d") if pooled else ("batch", "pieces", "d"))],
    )


def _write_tokenizer(path: Path, max_length: int | None) -> None:
    ids = {word: at for at, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    tokenizer.enable_padding(length=8)
    if max_length is not None:
        tokenizer.enable_truncation(max_length)
    tokenizer.save(str(path))

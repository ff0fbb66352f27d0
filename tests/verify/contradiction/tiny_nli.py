"""Writes a tiny sequence-pair classifier as a real ONNX file, and its tokenizer.json.

The model adds up three numbers for each word: words of denial speak for a contradiction, all others
a little for entailment. The file is written field by field after `onnx.proto`, so that no package
is needed that only tests would use.
"""

import struct
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

__all__ = ["LABELS", "write_tiny_nli"]

LABELS = ("contradiction", "entailment", "neutral")
_ROWS = {"[UNK]": (-0.2, 0.2, 0.0), "not": (8.0, 0.0, 0.0), "never": (8.0, 0.0, 0.0)}
_FLOAT, _INT64, _INTS, _INT = 1, 7, 7, 2


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _tensor(name: str, rows: list[tuple[float, ...]]) -> bytes:
    flat = [number for row in rows for number in row]
    dims = _number(1, len(rows)) + _number(1, len(rows[0]))
    raw = struct.pack(f"<{len(flat)}f", *flat)
    return dims + _number(2, _FLOAT) + _bytes(8, name) + _bytes(9, raw)


def _value(name: str, kind: int, dims: tuple[str, ...]) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, dim)) for dim in dims)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def _node(kind: str, inputs: tuple[str, ...], output: str, attributes: bytes = b"") -> bytes:
    names = b"".join(_bytes(1, name) for name in inputs)
    return names + _bytes(2, output) + _bytes(3, output) + _bytes(4, kind) + attributes


def write_tiny_nli(folder: Path) -> Path:
    """Writes `model.onnx` and `tokenizer.json`; returns the path of the model."""
    axes = _bytes(1, "axes") + _number(8, 1) + _number(20, _INTS)
    keep = _bytes(1, "keepdims") + _number(3, 0) + _number(20, _INT)
    nodes = (
        _node("Gather", ("table", "input_ids"), "rows"),
        _node("ReduceSum", ("rows",), "logits", _bytes(5, axes) + _bytes(5, keep)),
    )
    graph = (
        b"".join(_bytes(1, node) for node in nodes)
        + _bytes(2, "tiny-nli")
        + _bytes(5, _tensor("table", list(_ROWS.values())))
        + _bytes(11, _value("input_ids", _INT64, ("batch", "pieces")))
        + _bytes(12, _value("logits", _FLOAT, ("batch", "labels")))
    )
    path = folder / "model.onnx"
    path.write_bytes(_number(1, 6) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, 11)))
    vocabulary = {word: row for row, word in enumerate(_ROWS)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return path

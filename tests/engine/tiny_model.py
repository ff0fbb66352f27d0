"""Writes a GGUF file with a given vocabulary and a model too small to say anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["byte_pair_vocabulary", "write_tiny_model", "write_twin"]

WIDTH, HEADS, FORWARD = 32, 2, 32


def write_tiny_model(path: Path, **tokenizer: Any) -> Path:
    """Writes a one-layer model of zeros that the engine loads, and gives its path back.

    Args:
        path: where to.
        **tokenizer: `model`, `tokens`, and whatever else goes under `tokenizer.ggml.`; a
            `chat_template` goes where the engine looks for it.
    """
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(4096)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokenizer["tokens"]))
    for key, value in tokenizer.items():
        _add(
            writer,
            "tokenizer.chat_template" if key == "chat_template" else f"tokenizer.ggml.{key}",
            value,
        )
    writer.add_tensor("token_embd.weight", np.zeros((len(tokenizer["tokens"]), WIDTH), np.float16))
    for name, shape in _tensors():
        writer.add_tensor(name, np.zeros(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write_twin(path: Path, model: Path) -> Path:
    """Writes a tiny model with the vocabulary and the template of a GGUF file.

    The engine reads requests for it as it reads them for `model`, in a fraction of the time.
    """
    import gguf

    prefix = "tokenizer."
    tokenizer = {
        name.removeprefix(prefix).removeprefix("ggml."): field.contents()
        for name, field in gguf.GGUFReader(model).fields.items()
        if name.startswith(prefix)
    }
    return write_tiny_model(path, **tokenizer)


def _add(writer: Any, key: str, value: Any) -> None:
    import gguf

    if isinstance(value, list):
        writer.add_array(key, value)
    elif isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    else:
        writer.add_key_value(key, value, gguf.GGUFValueType.STRING)


def _tensors() -> list[tuple[str, tuple[int, ...]]]:
    square, wide = (WIDTH, WIDTH), (FORWARD, WIDTH)
    return [
        ("output_norm.weight", (WIDTH,)),
        ("blk.0.attn_norm.weight", (WIDTH,)),
        ("blk.0.ffn_norm.weight", (WIDTH,)),
        *[(f"blk.0.attn_{part}.weight", square) for part in ("q", "k", "v", "output")],
        ("blk.0.ffn_gate.weight", wide),
        ("blk.0.ffn_up.weight", wide),
        ("blk.0.ffn_down.weight", (WIDTH, FORWARD)),
    ]


def byte_pair_vocabulary() -> tuple[list[str], list[str]]:
    """Tokens and merges in which any two neighbouring bytes merge, so that each cut shows."""
    from tokenizers.pre_tokenizers import ByteLevel

    letters = sorted(ByteLevel.alphabet())
    pairs = [(a, b) for a in letters for b in letters]
    special = ["<|bos|>", "<|eos|>", "<|im_start|>", "<|im_end|>", "<user>"]
    return [*special, *letters, *(a + b for a, b in pairs)], [f"{a} {b}" for a, b in pairs]

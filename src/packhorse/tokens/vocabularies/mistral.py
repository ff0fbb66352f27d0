"""Mistral's vocabularies: SentencePiece up to 2024, Tekken since.

The files are those that the package mistral-common carries; the package itself is not imported,
which would take most of a second and 500 modules. `tekken_240718.json` and `tekken_240911.json`
hold the same tokens; the later file adds what images cost.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.tokens.vocabularies.grammars import PATTERNS
from packhorse.tokens.vocabularies.packages import Extra, package_file
from packhorse.tokens.vocabularies.ranks import PromptRankCounter, check_ranks, rank_tokenizer
from packhorse.tokens.vocabularies.sentencepiece import SentencePieceCounter

if TYPE_CHECKING:
    from pathlib import Path

    from packhorse.protocols import TokenCounter

__all__ = [
    "SENTENCEPIECE_FILES",
    "TEKKEN_FILES",
    "mistral_file",
    "sentencepiece_counter",
    "tekken_counter",
]

EXTRA = Extra("mistral", "Counting for Mistral models")

SENTENCEPIECE_FILES: Mapping[str, str] = {
    "mistral-v1": "tokenizer.model.v1",
    "mistral-v2": "mistral_instruct_tokenizer_240216.model.v2",
    "mistral-v3": "mistral_instruct_tokenizer_240323.model.v3",
    "mistral-v7": "mistral_instruct_tokenizer_241114.model.v7",
}
TEKKEN_FILES: Mapping[str, str] = {
    "mistral-tekken-240718": "tekken_240718.json",
    "mistral-tekken-240911": "tekken_240911.json",
}

# SpecialTokens of mistral-common 1.13, for files that do not list their own.
CONTROL_TOKENS = (
    "<unk>", "<s>", "</s>", "<pad>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]",
    "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
)  # fmt: skip


def mistral_file(tokenizer: str) -> Path:
    """The file behind a registered name.

    Raises:
        MissingExtraError: the extra `mistral` is not installed.
    """
    name = {**SENTENCEPIECE_FILES, **TEKKEN_FILES}[tokenizer]
    return package_file("mistral-common", "mistral_common", "data", name, extra=EXTRA)


def sentencepiece_counter(tokenizer: str) -> SentencePieceCounter:
    """The counter of one of `SENTENCEPIECE_FILES`.

    Raises:
        MissingExtraError: the extra `mistral` is not installed.
    """
    path = mistral_file(tokenizer)
    return SentencePieceCounter(tokenizer, path.read_bytes(), where=str(path), extra=EXTRA)


def tekken_counter(tokenizer: str) -> TokenCounter:
    """The counter of one of `TEKKEN_FILES`, loaded in about 1 s.

    Raises:
        MissingExtraError: the extra `mistral` is not installed.
    """
    path = mistral_file(tokenizer)
    return tekken_file_counter(tokenizer, path.read_bytes(), where=str(path))


def tekken_file_counter(name: str, data: bytes, *, where: str) -> TokenCounter:
    """The counter of a `tekken.json`.

    Raises:
        MissingExtraError: quicktok is not installed.
        InputError: the file is damaged.
    """
    ranks, pattern, control_tokens = _parsed(data, where)
    check_ranks(ranks, where)
    grammar = PATTERNS.get(pattern)
    if grammar is None:
        from packhorse.tokens.vocabularies.any_pattern import pattern_counter

        return pattern_counter(name, ranks, pattern, where=where)
    tokenizer = rank_tokenizer(
        ranks,
        grammar,
        where=where,
        extra=EXTRA,
        control_tokens=control_tokens,
    )
    return PromptRankCounter(name, tokenizer)


def _parsed(data: bytes, where: str) -> tuple[dict[bytes, int], str, tuple[str, ...]]:
    """Ranks, pattern and control tokens of a `tekken.json`."""
    import msgspec

    # Of the 150,000 tokens in the file a model has as many as fit below its size.
    try:
        content: Any = msgspec.json.decode(data)
        config = content["config"]
        live = config["default_vocab_size"] - config["default_num_special_tokens"]
        ranks = {
            base64.b64decode(token["token_bytes"], validate=True): int(token["rank"])
            for token in content["vocab"]
            if token["rank"] < live
        }
        special = tuple(token["token_str"] for token in content.get("special_tokens") or ())
        return ranks, str(config["pattern"]), special or CONTROL_TOKENS
    except (
        msgspec.DecodeError,
        AttributeError,
        KeyError,
        TypeError,
        ValueError,
        RecursionError,
        binascii.Error,
    ) as error:
        raise InputError(
            f"{where} is not a whole Tekken vocabulary: {error!r}",
            hint="Copy the file again from where the model comes from",
        ) from error

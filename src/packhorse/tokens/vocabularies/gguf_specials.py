"""Which tokens of a GGUF file llama.cpp looks for in a text before it cuts words.

The file gives each token a type. The engine overrides it for names that look like the end of an
answer or a part of fill-in-the-middle, and for those of two families (`src/llama-vocab.cpp`,
`llama_vocab::impl::load`, at commit 00ad355). It matters: Qwen's vocabulary has `</s>` as a piece
of ordinary text, and the engine reads it as a control token all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from packhorse.tokens.vocabularies.gguf_metadata import GgufMetadata

__all__ = ["Specials", "specials_of"]

UNKNOWN, CONTROL, USER_DEFINED, NORMAL = 2, 3, 4, 1

ENDS = frozenset(
    {
        "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>",
        "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
        "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>",
        "<\uff5cend\u2581of\u2581sentence\uff5c>", "[e~[",
    }
)  # fmt: skip
"""Taken for the end of an answer, and so for control tokens."""

MIDDLES: Mapping[str, frozenset[str]] = {
    "fim_pre": frozenset(
        {"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<\uff5cfim\u2581begin\uff5c>", "<PRE>",
         "\u2581<PRE>", "<|code_prefix|>", "<|prefix|>"}
    ),
    "fim_suf": frozenset(
        {"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<\uff5cfim\u2581hole\uff5c>", "<SUF>",
         "\u2581<SUF>", "<|code_suffix|>", "<|suffix|>"}
    ),
    "fim_mid": frozenset(
        {"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<\uff5cfim\u2581end\uff5c>", "<MID>",
         "\u2581<MID>", "<|code_middle|>", "<|middle|>"}
    ),
    "fim_pad": frozenset({"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}),
    "fim_rep": frozenset({"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}),
    "fim_sep": frozenset({"<|file_sep|>"}),
}  # fmt: skip
"""Part of fill-in-the-middle -> names that stand for it where the file gives no id."""

FORMER_KEYS = {"fim_pre": "prefix", "fim_suf": "suffix", "fim_mid": "middle"}

ALWAYS_TEXT = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")
"""Names that are found in every text, whatever their type: those of OpenAI's open models."""

NOT_STRIPPED = frozenset({"<unk>", "<s>", "<|endoftext|>"})


class Specials(NamedTuple):
    """Tokens that are looked for, each longest first."""

    control: tuple[str, ...]
    """Where control tokens are parsed."""
    always: tuple[str, ...]
    """In every text."""
    stripping: frozenset[str]
    """Those that swallow the white space behind them."""


def specials_of(metadata: GgufMetadata, tokens: Sequence[str]) -> Specials:
    """The special tokens of a vocabulary."""
    kinds = _types(metadata, tokens)
    control = [token for token in tokens if kinds.get(token) in {CONTROL, UNKNOWN}]
    always = [token for token in tokens if kinds.get(token) == USER_DEFINED]
    name = (metadata.text("general.name") or "").lower()
    strips = "phi-3" in name or "phi3" in name
    return Specials(
        control=_longest_first(control),
        always=_longest_first(always),
        stripping=frozenset([*control, *always]) - NOT_STRIPPED if strips else frozenset(),
    )


def _types(metadata: GgufMetadata, tokens: Sequence[str]) -> dict[str, float]:
    """Type of each token that is not an ordinary one."""
    given = metadata.numbers("tokenizer.ggml.token_type") or []
    kinds = {
        token: kind for token, kind in zip(tokens, given, strict=False) if kind != NORMAL and token
    }
    known = set(tokens)
    kinds |= dict.fromkeys(ENDS & known, CONTROL)
    for part, names in MIDDLES.items():
        keys = (part, FORMER_KEYS.get(part, part))
        if all(metadata.number(f"tokenizer.ggml.{key}_token_id") is None for key in keys):
            kinds |= dict.fromkeys(names & known, CONTROL)
    kinds |= dict.fromkeys((name for name in ALWAYS_TEXT if name in known), USER_DEFINED)
    calls = known & {"<|call|>", "<|calls|>"}
    if "<|end|>" in known and (
        {"<|return|>", "<|call|>"} <= known or (calls and "<|flush|>" in known)
    ):
        kinds["<|end|>"] = USER_DEFINED
    if {"<|tool_response>", "</s>"} <= known:
        kinds["</s>"] = NORMAL
    return kinds


def _longest_first(tokens: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(tokens, key=lambda token: -len(token.encode())))

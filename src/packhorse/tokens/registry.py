"""Tokenizer name -> counter, model -> counter. One counter of a kind in a process."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from packhorse.errors import UnknownStrategyError
from packhorse.tokens.models.table import ModelSpec, model_spec
from packhorse.tokens.vocabularies.estimate import EstimateCounter
from packhorse.tokens.vocabularies.openai import ENCODINGS, ToktokCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from packhorse.protocols import TokenCounter

__all__ = ["TOKENIZERS", "counter_for", "counter_named", "counter_of"]

TOKENIZERS: Mapping[str, Callable[[], TokenCounter]] = {
    name: partial(ToktokCounter, name) for name in ENCODINGS
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
    return _estimate(spec.tokenizer, spec.margin)


@cache
def counter_named(tokenizer: str) -> TokenCounter:
    """The exact counter of a vocabulary.

    Raises:
        UnknownStrategyError: no such tokenizer is registered.
    """
    factory = TOKENIZERS.get(tokenizer)
    if factory is None:
        raise UnknownStrategyError("tokenizer", tokenizer, tuple(TOKENIZERS))
    return factory()


@cache
def _estimate(tokenizer: str, margin: float) -> TokenCounter:
    wide = counter_named(WIDE_VOCABULARY) if tokenizer != WIDE_VOCABULARY else None
    return EstimateCounter(counter_named(tokenizer), margin, wide)

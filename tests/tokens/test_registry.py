"""Names find counters; unknown ones are refused with what is known."""

import pytest

from packhorse.errors import UnknownModelError, UnknownStrategyError
from packhorse.tokens.models.table import built_in_models
from packhorse.tokens.registry import TOKENIZERS, counter_for, counter_named, counter_of


def test_gpt_4o_is_counted_exactly_with_o200k_base() -> None:
    counter = counter_for("gpt-4o")
    assert (counter.name, counter.exact) == ("o200k_base", True)


def test_a_counter_is_made_once() -> None:
    assert counter_named("o200k_base") is counter_for("gpt-4o-mini")
    assert counter_for("claude-sonnet-4-5") is counter_for("claude-opus-4-1")


def test_every_model_of_the_table_has_a_counter_as_exact_as_it_says() -> None:
    for spec in built_in_models():
        counter = counter_of(spec)
        assert (counter.exact, counter.margin) == (spec.exact, spec.margin)


def test_an_unknown_tokenizer_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownStrategyError) as caught:
        counter_named("gpt2000")
    assert caught.value.known == tuple(sorted(TOKENIZERS))


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(UnknownModelError):
        counter_for("acme-local-7b")

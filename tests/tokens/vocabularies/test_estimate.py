"""Estimates are above their vocabulary, never exact, and add up by construction."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for, counter_named
from packhorse.tokens.vocabularies.estimate import EstimateCounter
from tests.strategies import raw_texts

MODELS = ("claude-sonnet-4-5", "claude-opus-5-5", "gemini-2.5-pro")


def slow_estimate(text: str, margin: float) -> int:
    """The rule in the module's words: each piece up to its newlines, the larger of two counts."""
    total = 0
    for piece in re.split(r"(?<=\n)(?!\n)", text):
        base = counter_named("o200k_base").count(piece)
        if not piece.isascii():
            base = max(base, counter_named("cl100k_base").count(piece))
        total += math.ceil(base * (1 + Fraction(str(margin))))
    return total


@pytest.mark.parametrize("model", MODELS)
@given(text=raw_texts())
def test_an_estimate_follows_its_stated_rule(model: str, text: str) -> None:
    assert counter_for(model).count(text) == slow_estimate(text, model_spec(model).margin)


@given(text=raw_texts())
def test_an_estimate_is_never_below_its_vocabulary(text: str) -> None:
    assert counter_for("gemini-2.5-pro").count(text) >= counter_named("o200k_base").count(text)


@pytest.mark.parametrize("model", MODELS)
@given(bodies=st.lists(raw_texts(5), max_size=6), query=raw_texts(3))
def test_blocks_and_a_question_add_up_margin_included(
    model: str, bodies: list[str], query: str
) -> None:
    counter = counter_for(model)
    parts = [*(f"<evidence>{body}</evidence>\n" for body in bodies), f"Question: {query}"]
    assert sum(counter.count_batch(parts)) == counter.count("".join(parts))


def test_the_margin_is_added_in_whole_numbers() -> None:
    text = " word" * 100
    assert counter_named("o200k_base").count(text) == 100
    assert EstimateCounter(counter_named("o200k_base"), 0.1).count(text) == 110


def test_an_estimate_says_what_it_is() -> None:
    counter = counter_for("claude-sonnet-4-5")
    assert (counter.exact, counter.margin, counter.name) == (False, 0.35, "o200k_base+35%")


def test_an_empty_text_costs_nothing() -> None:
    assert counter_for("claude-sonnet-4-5").count("") == 0

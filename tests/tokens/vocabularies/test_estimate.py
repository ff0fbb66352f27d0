"""Estimates are above their vocabulary, never exact, and add up by construction."""

import math
import re
from fractions import Fraction
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for, counter_named
from packhorse.tokens.vocabularies.estimate import EstimateCounter
from tests.strategies import raw_texts

MODELS = ("claude-sonnet-4-5", "claude-opus-5-5", "gemini-2.5-pro")


def slow_estimate(text: str, margin: float, provider: str) -> int:
    """The rule in the module's words: each piece up to its newlines, the larger of two counts."""
    share = Fraction(str(margin))
    total = 0
    for piece in re.split(r"(?<=\n)(?!\n)", text):
        base = counter_named("o200k_base").count(piece)
        if not piece.isascii():
            base = max(base, counter_named("cl100k_base").count(piece))
        if provider == "google":
            base += sum(len(run) - math.ceil(len(run) / 3) for run in re.findall("[0-9]+", piece))
            runs = [list(same) for _, same in groupby(piece)]
            base += sum(math.ceil(len(r) / 16) for r in runs if len(r) > 15 and is_symbol(r[0]))
        if provider == "anthropic" and any(is_of_larger_script(char) for char in piece):
            base = max(base, math.ceil(base * 2 / (1 + share)))
        total += math.ceil(base * (1 + share))
    return total


def is_symbol(char: str) -> bool:
    return char == " " or (char.isascii() and char.isprintable() and not char.isalnum())


LARGER = (
    (0x0600, 0x07BF),
    (0x0980, 0x109F),
    (0x1200, 0x137F),
    (0x1780, 0x17FF),
    (0x1EA0, 0x1EF9),
)


def is_of_larger_script(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in LARGER)


@given(text=raw_texts())
def test_an_estimate_follows_its_stated_rule(text: str) -> None:
    for model in MODELS:
        spec = model_spec(model)
        expected = slow_estimate(text, spec.margin, spec.provider)
        assert counter_for(model).count(text) == expected, model


@given(text=raw_texts())
def test_an_estimate_is_never_below_its_vocabulary(text: str) -> None:
    assert counter_for("gemini-2.5-pro").count(text) >= counter_named("o200k_base").count(text)


@given(bodies=st.lists(raw_texts(5), max_size=6), query=raw_texts(3))
def test_blocks_and_a_question_add_up_margin_included(bodies: list[str], query: str) -> None:
    parts = [*(f"<evidence>{body}</evidence>\n" for body in bodies), f"Question: {query}"]
    for model in MODELS:
        counter = counter_for(model)
        assert sum(counter.count_batch(parts)) == counter.count("".join(parts)), model


def test_the_margin_is_added_in_whole_numbers() -> None:
    text = " word" * 100
    assert counter_named("o200k_base").count(text) == 100
    assert EstimateCounter(counter_named("o200k_base"), 0.1).count(text) == 110


def test_an_estimate_says_what_it_is() -> None:
    counter = counter_for("claude-sonnet-4-5")
    assert (counter.exact, counter.margin, counter.name) == (False, 0.35, "o200k_base+35%")


def test_an_empty_text_costs_nothing() -> None:
    assert counter_for("claude-sonnet-4-5").count("") == 0


def test_gemini_pays_for_each_digit_and_for_long_lines_of_one_symbol() -> None:
    gemini, public = counter_for("gemini-2.5-pro"), counter_named("o200k_base")
    margin = 1 + Fraction(str(gemini.margin))
    assert gemini.count("1234567") == math.ceil(7 * margin)
    assert gemini.count("12") == math.ceil(2 * margin)
    assert gemini.count("1") == math.ceil(1 * margin)
    rule = "-" * 80
    assert gemini.count(rule) == math.ceil((public.count(rule) + 5) * margin)


def test_claude_is_planned_at_twice_the_count_for_scripts_it_has_few_tokens_for() -> None:
    thai, wide = "ภาษาไทย", counter_named("cl100k_base")
    for model in ("claude-sonnet-4-5", "claude-opus-5-5"):
        assert 2 * wide.count(thai) <= counter_for(model).count(thai) <= 2 * wide.count(thai) + 2
    plain = counter_for("claude-sonnet-4-5").count("русский")
    assert plain == math.ceil(wide.count("русский") * Fraction("1.35"))

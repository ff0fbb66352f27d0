"""Metrics of a packed set, beside slow and obvious references."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.evaluate.metrics.evidence import answer_recall, span_recall
from packhorse.evaluate.metrics.gold_packed import all_gold, gold_recall
from packhorse.evaluate.metrics.losses import losses
from packhorse.evaluate.metrics.redundancy import redundancy


def test_gold_recall_is_a_share_and_all_gold_is_all_or_nothing() -> None:
    assert gold_recall(["a", "x"], ["a", "b"]) == 0.5
    assert all_gold(["a", "x"], ["a", "b"]) == 0.0
    assert all_gold(["b", "a", "x"], ["a", "b"]) == 1.0
    assert math.isnan(gold_recall(["a"], []))
    assert math.isnan(all_gold(["a"], []))


def test_spans_are_found_by_their_words_in_one_text() -> None:
    texts = ["It costs 7 Euros,\nan hour.", "A day is six hours."]
    assert span_recall(texts, ["costs 7 euros an hour", "hour a day"]) == 0.5
    assert span_recall(texts, ["ost 7"]) == 0.0  # whole words alone
    assert math.isnan(span_recall(texts, []))


def test_any_of_the_answers_will_do() -> None:
    assert answer_recall(["born in 1931 in Rome"], ["1930", "1931"]) == 1.0
    assert answer_recall(["born in 19310"], ["1931"]) == 0.0
    assert answer_recall([], ["1931"]) == 0.0
    assert math.isnan(answer_recall(["x"], []))


def test_a_near_copy_counts_once_and_the_first_of_them_not() -> None:
    text = "every rental needs a deposit of fifty euros on the card"
    assert redundancy([text, "quite another text about opening hours", text]) == 1 / 3
    assert redundancy([text, f"{text} which is given back after the last day"]) == 1 / 2
    assert redundancy([]) == 0.0
    assert redundancy(["", ""]) == 0.0


IDS = tuple("abcdef")


@given(
    tokens=st.dictionaries(st.sampled_from(IDS), st.integers(0, 9)),
    gold=st.sets(st.sampled_from(IDS), min_size=1),
    filtered=st.sets(st.sampled_from(IDS)),
    room=st.integers(0, 30),
    data=st.data(),
)
def test_losses_and_what_is_packed_add_up(
    tokens: dict[str, int], gold: set[str], filtered: set[str], room: int, data: st.DataObject
) -> None:
    open_to = sorted(set(tokens) - filtered)
    fitting = [
        chosen
        for size in range(len(open_to) + 1)
        for chosen in combinations(open_to, size)
        if sum(tokens[name] for name in chosen) <= room
    ]
    packed = data.draw(st.sampled_from(fitting))
    lost = losses(packed, gold, tokens, filtered, room)
    shares = (lost.retrieval, lost.size, lost.filters, lost.ranking)
    assert all(share >= 0 for share in shares)
    assert sum(shares) + gold_recall(packed, gold) == pytest.approx(1)
    assert lost.retrieval == len(gold - tokens.keys()) / len(gold)
    # The best that any packing could do, by trying all of them.
    found = sorted(gold & tokens.keys())
    best = max(
        size
        for size in range(len(found) + 1)
        for chosen in combinations(found, size)
        if sum(tokens[name] for name in chosen) <= room
    )
    assert lost.size == (len(found) - best) / len(gold)


def test_without_gold_nothing_is_lost_or_found() -> None:
    lost = losses(["a"], [], {"a": 1}, [], 10)
    assert math.isnan(lost.retrieval)
    assert math.isnan(lost.ranking)

"""Duplicate removal against a slow reference that compares every pair."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.rerank import duplicates as module
from packhorse.rerank.differing_facts import says_otherwise
from packhorse.rerank.duplicates import Duplicate, duplicates, triples_needed
from packhorse.text.shingles import shingles


def reference(texts: list[str], threshold: float, n_required: int) -> dict[int, Duplicate]:
    """Every text against every text kept before it."""
    kept, gone = list[int](), dict[int, Duplicate]()
    for place, text in enumerate(texts):
        for other in kept if place >= n_required else []:
            theirs = texts[other]
            if " ".join(text.casefold().split()) == " ".join(theirs.casefold().split()):
                gone[place] = Duplicate(of=other, overlap=1.0)
                break
            mine = shingles(text)
            overlap = len(mine & shingles(theirs)) / len(mine) if mine else 0.0
            enough = overlap > 0 and overlap >= threshold - 1e-9
            if enough and not says_otherwise(text, theirs, overlap):
                gone[place] = Duplicate(of=other, overlap=overlap)
                break
        else:
            kept.append(place)
    return gone


few_words = st.lists(
    st.sampled_from(["a", "b", "c", "not", "7", "8", "A", "!", "税"]), max_size=12
).map(" ".join)


@given(
    texts=st.lists(few_words, max_size=12),
    threshold=st.sampled_from((0.0, 0.3, 0.55, 0.8, 1.0)),
    n_required=st.integers(0, 3),
)
def test_duplicates_are_those_of_the_quadratic_reference(
    texts: list[str], threshold: float, n_required: int
) -> None:
    found = duplicates(texts, threshold, n_required=n_required)
    assert found == reference(texts, threshold, n_required)


@given(
    base=st.lists(st.integers(0, 30).map("w{}".format), min_size=8, max_size=30),
    cuts=st.lists(st.tuples(st.integers(0, 20), st.integers(3, 30)), min_size=2, max_size=10),
    figures=st.lists(st.integers(1, 4), min_size=10, max_size=10),
)
def test_overlapping_windows_are_those_of_the_quadratic_reference(
    base: list[str], cuts: list[tuple[int, int]], figures: list[int]
) -> None:
    windows = [base[start : start + length] for start, length in cuts]
    texts = [" ".join([*words, str(figures[n])]) for n, words in enumerate(windows)]
    assert duplicates(texts, 0.55) == reference(texts, 0.55, 0)


@given(figures=st.lists(st.integers(0, 6), min_size=20, max_size=40))
def test_form_letters_that_share_their_words_are_sifted_by_figures_like_the_reference(
    figures: list[int],
) -> None:
    assert len(figures) > module._MANY
    form = "dear customer your order of {} pieces is ready and waits for you in our store"
    texts = [form.format(figure) + " today" * (figure % 2) for figure in figures]
    assert duplicates(texts, 0.55) == reference(texts, 0.55, 0)


def test_needed_triples_are_not_raised_by_floating_point() -> None:
    assert triples_needed(20, 0.55) == 11
    assert triples_needed(1, 0.0) == 1
    assert all(triples_needed(n, 1.0) == n for n in range(1, 50))
    assert triples_needed(3, 0.55) == math.ceil(1.65)


def test_the_overlap_is_the_share_of_the_text_that_goes() -> None:
    long = "one two three four five six seven eight nine ten"
    assert duplicates([long, "and more one two three four"], 0.5) == {
        1: Duplicate(of=0, overlap=0.5)
    }


def test_a_long_text_is_not_dropped_for_a_short_one_that_it_contains() -> None:
    short = "keep your records for three years"
    long = f"{short} and then much is said about other things that nobody else says"
    assert duplicates([short, long], 0.55) == {}
    assert list(duplicates([long, short], 0.55)) == [1]


def test_short_and_empty_texts_go_only_for_the_same_text() -> None:
    texts = ["Yes", "yes ", "No", "", " ", "!!", "!!"]
    found = duplicates(texts, 0.55)
    assert {place: duplicate.of for place, duplicate in found.items()} == {1: 0, 4: 3, 6: 5}


def test_required_texts_are_kept_whatever_they_repeat() -> None:
    assert duplicates(["same text", "same text", "same text"], 0.55, n_required=2) == {
        2: Duplicate(of=0, overlap=1.0)
    }


def test_what_is_dropped_drops_nobody_else() -> None:
    words = [f"w{n}" for n in range(40)]
    chain = [" ".join(words[start : start + 20]) for start in (0, 8, 16)]
    # Neighbours share 10 of 18 triples, the first and the last 2.
    assert list(duplicates(chain, 0.55)) == [1]


@pytest.mark.parametrize("texts", [[], [""], ["a"]])
def test_few_texts_have_no_duplicates(texts: list[str]) -> None:
    assert duplicates(texts, 0.55) == {}

"""Likely misspellings of record keys: distance, first letter, and only where the key is absent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.ingest.keys import KNOWN_KEYS, _edits_at_most, misspelled


@pytest.mark.parametrize(
    ("key", "known"),
    [
        ("chunkId", "chunk_id"),
        ("Chunk-ID", "chunk_id"),
        ("txet", "text"),
        ("tex", "text"),
        ("headers", "header"),
        ("timestmp", "timestamp"),
        ("trust_scroe", "trust_score"),
        ("positon_in_sourc", "position_in_source"),
        ("token_counts", "token_count"),
    ],
)
def test_a_slip_is_traced_to_the_key_it_is_near(key: str, known: str) -> None:
    assert misspelled([key], [key]) == (key, known)
    assert misspelled([key], [key, known]) is None


@pytest.mark.parametrize(
    "key", ["next", "reader", "title", "url", "id", "", "_", "data", "test_id"]
)
def test_a_word_of_its_own_is_no_slip(key: str) -> None:
    assert misspelled([key], [key]) is None


def test_the_first_slip_by_name_is_reported() -> None:
    assert misspelled(["tokn_count", "heder"], []) == ("heder", "header")


def slow_distance(left: str, right: str) -> int:
    """Optimal string alignment by its recursion."""
    if not left or not right:
        return len(left) + len(right)
    best = min(
        slow_distance(left[:-1], right) + 1,
        slow_distance(left, right[:-1]) + 1,
        slow_distance(left[:-1], right[:-1]) + (left[-1] != right[-1]),
    )
    if len(left) > 1 and len(right) > 1 and left[-2:] == right[-1] + right[-2]:
        best = min(best, slow_distance(left[:-2], right[:-2]) + 1)
    return best


WORDS = st.text("abc", max_size=5)


@given(WORDS, WORDS, st.integers(0, 3))
def test_the_distance_agrees_with_its_recursion(left: str, right: str, allowed: int) -> None:
    assert _edits_at_most(left, right, allowed) == (slow_distance(left, right) <= allowed)


@given(st.sets(st.sampled_from(KNOWN_KEYS)))
def test_known_keys_are_never_slips_of_each_other(present: set[str]) -> None:
    assert misspelled([], present) is None
    for key in KNOWN_KEYS:
        assert misspelled([key], [other for other in KNOWN_KEYS if other != key]) in (
            None,
            (key, key),
        )

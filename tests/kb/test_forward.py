"""The forward table tells how often a term occurs in a row, and keys never depend on a process."""

import io
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.kb.forward import ForwardIndex, ForwardWriter, term_key

ROWS = st.lists(st.lists(st.text("abcd", min_size=1, max_size=2), max_size=20), max_size=12)


def forward(rows: list[list[str]]) -> ForwardIndex:
    keys, counts, ends = io.BytesIO(), io.BytesIO(), io.BytesIO()
    writer = ForwardWriter(keys, counts, ends)
    for terms in rows:
        writer.add(terms)
    return ForwardIndex(
        np.frombuffer(keys.getvalue(), dtype="<u8"),
        np.frombuffer(counts.getvalue(), dtype="<u2"),
        np.frombuffer(ends.getvalue(), dtype="<i8").reshape(-1, 2),
    )


@given(ROWS, st.lists(st.text("abcde", min_size=1, max_size=2), max_size=6, unique=True), st.data())
def test_counts_equal_counting(
    rows: list[list[str]], terms: list[str], data: st.DataObject
) -> None:
    index = forward(rows)
    asked = data.draw(st.lists(st.integers(0, len(rows) - 1))) if rows else []
    found = index.counts_of(np.array(asked, dtype=np.int64), terms)
    assert found.tolist() == [[float(Counter(rows[row])[term]) for term in terms] for row in asked]
    assert index.frequencies(terms).tolist() == [sum(term in row for row in rows) for term in terms]
    assert index.lengths.tolist() == [len(row) for row in rows]


def test_a_term_has_the_same_key_in_every_process() -> None:
    assert term_key("refund") == 0xD9ADB98C53FC6C72


def test_a_flood_of_terms_does_not_change_later_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    from packhorse.kb import forward as module

    monkeypatch.setattr(module, "_KEY_CACHE_LIMIT", 5)
    keys = {f"t{n}": term_key(f"t{n}") for n in range(50)}
    assert all(term_key(term) == key for term, key in keys.items())


def test_more_repeats_than_a_cell_holds_are_capped() -> None:
    index = forward([["a"] * 70_000])
    assert index.counts_of(np.array([0]), ["a"]).tolist() == [[65_535.0]]
    assert index.lengths.tolist() == [70_000]

"""Chunks of one text are read in a row, where the best of them would stand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.order.registry import ORDERERS, orderer
from packhorse.order.together import reading_order
from packhorse.types.candidate import Around, CandidatePool
from packhorse.types.chunk import Chunk


def pool_of(positions: list[int], around: dict[int, int]) -> CandidatePool:
    chunks = tuple(
        Chunk(chunk_id=f"c{row}", source_id="s", text="", position_in_source=position)
        for row, position in enumerate(positions)
    )
    return CandidatePool(
        chunks=chunks,
        relevance=np.zeros(len(chunks)),
        around={
            row: Around(chunk_id=f"c{origin}", steps=1, own=0.0) for row, origin in around.items()
        },
    )


def test_what_came_with_a_chunk_stands_around_it() -> None:
    pool = pool_of([7, 3, 20, 8, 6, 4], {3: 0, 4: 0, 5: 1})
    read = reading_order(orderer("sandwich"), pool, [0, 1, 2, 3, 4, 5])
    # 6 7 8 | 20 | 3 4: best text first, second best last.
    assert read == (4, 0, 3, 2, 1, 5)


def test_texts_that_share_a_chunk_are_one() -> None:
    pool = pool_of([1, 3, 9, 2], {1: 3, 3: 0})
    assert reading_order(orderer("relevance"), pool, [0, 2, 1, 3]) == (0, 3, 1, 2)


def test_a_row_whose_chunk_is_not_there_stands_by_itself() -> None:
    pool = pool_of([5, 6], {1: 9})
    assert reading_order(orderer("relevance"), pool, [1, 0]) == (1, 0)


@pytest.mark.parametrize("name", sorted(ORDERERS))
def test_without_expansion_it_is_what_the_orderer_says(name: str) -> None:
    pool = pool_of([4, 2, 9, 1], {})
    places = orderer(name).order(pool.chunks)
    assert reading_order(orderer(name), pool, [0, 1, 2, 3]) == places


@given(
    st.permutations(range(8)),
    st.dictionaries(st.integers(0, 7), st.integers(0, 9), max_size=8),
    st.sampled_from(sorted(ORDERERS)),
)
def test_everything_packed_is_read_once(rows: list[int], around: dict[int, int], name: str) -> None:
    pool = pool_of([3, 1, 4, 1, 5, 9, 2, 6], around)
    packed = rows[:6]
    assert sorted(reading_order(orderer(name), pool, packed)) == sorted(packed)

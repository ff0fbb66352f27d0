"""What stands around a chunk is in with that chunk alone, and says so."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from packhorse.packing.registry import packer
from packhorse.testing.packer import ranking_of
from packhorse.types.candidate import Around
from packhorse.types.decision import ExclusionCode, InclusionCode
from packhorse.types.ranking import Ranking

STRATEGIES = ("ranked", "density", "optimal", "submodular")


def expanded(scores: list[float], around: Mapping[int, int]) -> Ranking:
    """A ranking in which rows stand one after the row that they came with."""
    ranking = ranking_of(scores)
    chunks = ranking.pool.chunks
    stands = {
        row: Around(chunk_id=chunks[origin].chunk_id, steps=1, own=0.0)
        for row, origin in around.items()
    }
    return replace(ranking, pool=replace(ranking.pool, around=stands))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_row_that_came_with_one_that_is_out_is_out_and_leaves_its_room(strategy: str) -> None:
    ranking = expanded([0.9, 0.7, 0.2], {1: 0})
    packing = packer(strategy).pack(ranking, np.array([500, 40, 60]), 100)
    assert [row for row, _ in packing.kept] == [2]
    assert packing.excluded[1].code is ExclusionCode.ORIGIN_OUT
    origin = ranking.pool.chunks[0].chunk_id
    assert packing.excluded[1].reason == f"origin_out (1 chunk after {origin}, which is out)"
    assert packing.used_tokens == 60
    assert dict(packing.would_fit_at) == {}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_row_that_is_in_with_its_chunk_says_where_it_stands(strategy: str) -> None:
    ranking = expanded([0.9, 0.7, 0.2], {1: 0})
    packing = packer(strategy).pack(ranking, np.array([50, 40, 60]), 100)
    kept = dict(packing.kept)
    origin = ranking.pool.chunks[0].chunk_id
    assert kept[0].code is InclusionCode.RANKED
    assert kept[1].code is InclusionCode.EXPANDED
    assert kept[1].reason.startswith(f"1 chunk after {origin}; rank 2 of what competed")


def test_a_row_without_room_says_how_much_around_its_chunk_is_in() -> None:
    ranking = expanded([0.9, 0.7, 0.6, 0.5], {1: 0, 2: 0, 3: 0})
    packing = packer("ranked").pack(ranking, np.array([50, 40, 60, 5]), 100)
    origin = ranking.pool.chunks[0].chunk_id
    assert packing.excluded[2].reason == (
        f"exceeded_remaining_budget (needed 60, had 10; of 3 around {origin}, 2 are in)"
    )


def test_without_such_rows_nothing_is_said_otherwise() -> None:
    ranking = ranking_of([0.9, 0.7, 0.2])
    packing = packer("ranked").pack(ranking, np.array([50, 40, 60]), 100)
    assert [code.code for _, code in packing.kept] == [InclusionCode.RANKED] * 2
    assert dict(packing.would_fit_at) == {2: 150}

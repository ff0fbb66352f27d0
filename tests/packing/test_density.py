"""Packing by worth per token, with a floor under the length."""

import numpy as np

from packhorse.packing.density import DensityPacker
from packhorse.packing.ranked import RankedPacker
from packhorse.testing.packer import ranking_of


def test_density_beats_rank_where_chunks_are_uneven() -> None:
    ranking = ranking_of([0.9, 0.89, 0.89])
    tokens = np.array([100, 50, 50])
    dense = DensityPacker(floor_tokens=1).pack(ranking, tokens, 100)
    by_rank = RankedPacker().pack(ranking, tokens, 100)
    assert [row for row, _ in dense.kept] == [1, 2]
    assert [row for row, _ in by_rank.kept] == [0]
    assert dense.quality.value > by_rank.quality.value


def test_floor_takes_the_advantage_from_a_heading() -> None:
    ranking = ranking_of([0.9, 0.83])
    tokens = np.array([100, 5])
    without = DensityPacker(floor_tokens=1).pack(ranking, tokens, 100)
    with_floor = DensityPacker(floor_tokens=64).pack(ranking, tokens, 100)
    assert [row for row, _ in without.kept] == [1]
    assert [row for row, _ in with_floor.kept] == [0]


def test_kept_rows_are_by_rank_and_skips_carry_the_numbers_of_the_walk() -> None:
    packing = DensityPacker(floor_tokens=1).pack(
        ranking_of([0.89, 0.9, 0.895]), np.array([10, 100, 20]), 40
    )
    assert [row for row, _ in packing.kept] == [0, 2]
    assert packing.excluded[1].reason == "exceeded_remaining_budget (needed 100, had 10)"
    assert packing.would_fit_at == {1: 130}


def test_equal_densities_go_by_rank() -> None:
    packing = DensityPacker().pack(ranking_of([0.5, 0.5, 0.5]), np.array([80, 80, 80]), 160)
    assert [row for row, _ in packing.kept] == [0, 1]


def test_zero_scores_and_zero_tokens_are_ordinary() -> None:
    packing = DensityPacker(floor_tokens=0).pack(ranking_of([0.0, 0.0]), np.array([0, 3]), 0)
    assert [row for row, _ in packing.kept] == [0]

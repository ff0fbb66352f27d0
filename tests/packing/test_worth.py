"""Worth: a half for each step below the best score, whatever all scores have in common."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from packhorse.packing.registry import PACKERS
from packhorse.packing.worth import HALVED_BY, worths
from packhorse.testing.packer import ranking_of
from packhorse.types.decision import Exclusion, ExclusionCode, InclusionCode

STALE = Exclusion(code=ExclusionCode.STALE, reason="stale (age 9 days, limit 8)")


def test_each_step_below_the_best_halves_what_a_chunk_is_worth() -> None:
    scores = [0.7, 0.7 - HALVED_BY, 0.7 - 2 * HALVED_BY, 0.7 - 0.5 * HALVED_BY]
    assert worths(ranking_of(scores)).tolist() == [1_000_000, 500_000, 250_000, 707_107]


def test_what_is_far_below_the_best_counts_a_millionth_and_not_nothing() -> None:
    assert worths(ranking_of([0.9, 0.1, -0.4])).tolist() == [1_000_000, 1, 1]


def test_the_best_score_is_that_of_what_competes() -> None:
    ranking = ranking_of(
        [0.9, 0.6, 0.8, 0.58], reserved={0: InclusionCode.PINNED}, excluded={2: STALE}
    )
    assert worths(ranking).tolist() == [1_000_000, 1_000_000, 1_000_000, 500_000]


def test_where_nothing_competes_there_is_a_worth_for_every_row() -> None:
    assert worths(ranking_of([0.3], reserved={0: InclusionCode.PINNED})).tolist() == [1_000_000]


@given(
    rows=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 60)), min_size=1, max_size=8),
    more=st.integers(-300, 300),
    budget=st.integers(0, 200),
)
def test_what_all_scores_have_in_common_changes_no_packing(
    rows: list[tuple[int, int]], more: int, budget: int
) -> None:
    best_first = sorted(rows, key=lambda row: -row[0])
    tokens = np.array([cost for _, cost in best_first])
    for make in PACKERS.values():
        kept = []
        for shift in (0, more):
            scores = [round((score + shift) / 1_000, 6) for score, _ in best_first]
            packing = make().pack(ranking_of(scores), tokens, budget)
            kept.append(([row for row, _ in packing.kept], packing.quality))
        assert kept[0] == kept[1]


def test_many_chunks_about_little_do_not_outweigh_the_one_that_answers() -> None:
    ranking = ranking_of([0.55, *[0.4] * 8])
    tokens = np.array([200, *[25] * 8])
    for name in ("density", "optimal", "submodular"):
        assert [row for row, _ in PACKERS[name]().pack(ranking, tokens, 200).kept] == [0], name

"""Ranked packing: skip and carry on, required material first, every decision with its numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import BudgetExceededError, InputError, InvalidBudgetError
from packhorse.packing.ranked import RankedPacker
from packhorse.testing.packer import ranking_of
from packhorse.types.decision import Exclusion, ExclusionCode, InclusionCode
from packhorse.types.packing import Packing
from tests.promises import promised

HOMEWORK_TOKENS = [800, 600, 1200, 400, 900, 550, 700, 300, 1100, 450]
HOMEWORK_SCORES = [0.95, 0.92, 0.90, 0.88, 0.85, 0.82, 0.79, 0.75, 0.72, 0.70]
EXERCISE_TOKENS = [500, 800, 300, 600, 400, 700, 200, 450]
EXERCISE_SCORES = [0.95, 0.93, 0.91, 0.89, 0.87, 0.85, 0.82, 0.79]


def packed(
    tokens: list[int],
    budget: int,
    scores: list[float] | None = None,
    reserved: dict[int, InclusionCode] | None = None,
) -> Packing:
    chosen = scores or [1.0 - row / 100 for row in range(len(tokens))]
    ids = [str(row + 1) for row in range(len(tokens))]
    ranking = ranking_of(chosen, ids=ids, reserved=reserved)
    return RankedPacker().pack(ranking, np.array(tokens), budget)


def kept_at(tokens: list[int], budget: int) -> set[int]:
    """Rows that skip-and-continue takes, the first being the best."""
    kept = set()
    for row, cost in enumerate(tokens):
        if cost <= budget:
            budget -= cost
            kept.add(row)
    return kept


def numbers(packing: Packing) -> list[int]:
    """Kept rows, counted from 1 as the worked examples do."""
    return [row + 1 for row, _ in packing.kept]


def test_homework_fills_all_of_3000() -> None:
    packing = packed(HOMEWORK_TOKENS, 3000, HOMEWORK_SCORES)
    assert packing.used_tokens == 3000
    # 1600 tokens are left when the third chunk (1200) comes, so it fits.
    assert numbers(packing) == [1, 2, 3, 4]


def test_homework_packs_1_2_4_5_8_and_uses_all_of_3000_when_the_third_chunk_is_too_large() -> None:
    # The published solution skips the third chunk as too large; from 1601 tokens on it is.
    tokens = [*HOMEWORK_TOKENS[:2], 1601, *HOMEWORK_TOKENS[3:]]
    packing = packed(tokens, 3000, HOMEWORK_SCORES)
    assert numbers(packing) == [1, 2, 4, 5, 8]
    assert packing.used_tokens == 3000
    assert [row + 1 for row in packing.skipped_for_size] == [3, 6, 7, 9, 10]


def test_4096_token_exercise_packs_2800_of_2824() -> None:
    budget = 4096 - 640 - 120 - 512
    packing = packed(EXERCISE_TOKENS, budget, EXERCISE_SCORES)
    assert budget == 2824
    assert numbers(packing) == [1, 2, 3, 4, 5, 7]
    assert packing.used_tokens == 2800
    assert round(packing.used_tokens / budget, 3) == 0.992


def test_4096_token_exercise_with_a_mandatory_disclaimer_loses_the_seventh_chunk() -> None:
    packing = packed(
        [*EXERCISE_TOKENS, 200], 2824, [*EXERCISE_SCORES, 0.1], {8: InclusionCode.MANDATORY}
    )
    assert numbers(packing) == [9, 1, 2, 3, 4, 5]
    assert packing.used_tokens == 2800
    assert packing.kept[0][1].code is InclusionCode.MANDATORY


def test_pipeline_diagram_packs_2770_of_2800_around_the_disclaimer() -> None:
    tokens = [850, 720, 1100, 680, 340, 290, 180]
    scores = [0.94, 0.91, 0.88, 0.85, 0.82, 0.79, 0.05]
    packing = packed(tokens, 2800, scores, {6: InclusionCode.MANDATORY})
    assert numbers(packing) == [7, 1, 2, 4, 5]
    assert packing.used_tokens == 2770
    assert packing.excluded[2].reason == "exceeded_remaining_budget (needed 1100, had 1050)"
    assert packing.excluded[5].reason == "exceeded_remaining_budget (needed 290, had 30)"


def test_pack_takes_a_chunk_that_fits_exactly() -> None:
    assert numbers(packed([5, 1], 5)) == [1]


def test_pack_tells_at_which_budget_a_skipped_chunk_would_be_in() -> None:
    packing = packed([60, 70, 30, 10], 100)
    assert packing.would_fit_at == {1: 130}
    assert numbers(packed([60, 70, 30, 10], 130)) == [1, 2]


def test_pack_states_rank_and_score_of_what_is_in() -> None:
    packing = packed([10, 10], 20, [0.5, 0.25])
    assert packing.kept[1][1].reason == "rank 2 of what competed (composite score 0.250000)"


def test_quality_is_the_share_of_the_fractional_optimum() -> None:
    quality = packed([60, 40, 30, 10], 100, [0.6, 0.58, 0.54, 0.52]).quality
    assert quality.objective == (
        "sum of ranked chunks' worth, which halves for each 0.02 below the best score"
    )
    assert (quality.value, quality.upper_bound, quality.optimality) == (1.5, 1.5, 1.0)
    worse = packed([60, 70, 30, 10], 100, [0.58, 0.6, 0.58, 0.5]).quality
    # The best use of 100 tokens takes 70 and 30 (1.5); the walk by rank takes 60, 30 and 10.
    assert worse.value == 1.03125
    assert worse.upper_bound == 1.5
    assert worse.optimality == 0.6875


def test_quality_leaves_the_reserved_rows_out() -> None:
    reserved = {0: InclusionCode.PINNED}
    quality = packed([50, 60], 100, [0.9, 0.4], reserved).quality
    assert (quality.value, quality.upper_bound) == (0.0, 0.0)
    assert quality.optimality == 1.0


def test_zero_scores_and_zero_tokens_are_ordinary() -> None:
    packing = packed([0, 5, 0], 0, [0.0, 0.0, 0.0])
    assert numbers(packing) == [1, 3]
    assert packing.quality.optimality == 1.0


def test_scores_below_zero_count_a_millionth_in_the_quality() -> None:
    quality = packed([5, 5], 10, [0.5, -0.2]).quality
    assert (quality.value, quality.upper_bound) == (1.000001, 1.000001)


def test_nothing_to_pack_is_an_empty_packing() -> None:
    packing = packed([], 100)
    assert packing.kept == ()
    assert packing.used_tokens == 0


def test_reserved_over_budget_is_an_error_that_shows_the_sum() -> None:
    reserved = {0: InclusionCode.PINNED, 1: InclusionCode.PINNED}
    with pytest.raises(BudgetExceededError, match="need 3400 tokens") as caught:
        packed([2500, 900], 3000, [0.1, 0.2], reserved)
    assert (caught.value.needed, caught.value.available) == (3400, 3000)
    assert caught.value.parts == (("1", 2500), ("2", 900))
    assert caught.value.hint


@pytest.mark.parametrize("budget", [-5, "12", 1.5, None, True])
def test_budgets_that_are_no_token_amount_are_refused_by_name(budget: object) -> None:
    with pytest.raises(InvalidBudgetError, match="budget is"):
        RankedPacker().pack(ranking_of([0.5]), np.array([1]), budget)  # type: ignore[arg-type]  # the point


@pytest.mark.parametrize("tokens", [[1, -2], [1, 2.5]])
def test_token_counts_that_are_none_are_refused_with_the_chunk(tokens: list[float]) -> None:
    with pytest.raises(InputError, match="chunk 'c1'"):
        RankedPacker().pack(ranking_of([0.5, 0.4]), tokens, 10)  # type: ignore[arg-type]  # the point


def test_a_count_is_needed_for_each_row() -> None:
    with pytest.raises(InputError, match="2 candidates"):
        RankedPacker().pack(ranking_of([0.5, 0.4]), np.array([1]), 10)


def test_plain_lists_of_counts_do_as_well() -> None:
    assert RankedPacker().pack(ranking_of([0.5, 0.4]), (3, 4), 10).used_tokens == 7


def test_pack_leaves_its_input_as_it_is() -> None:
    gone = {2: Exclusion(code=ExclusionCode.STALE, reason="stale (age 9 days, limit 8)")}
    ranking = ranking_of([0.5, 0.4, 0.3], excluded=gone)
    tokens = np.array([3, 40, 5])
    RankedPacker().pack(ranking, tokens, 10)
    assert dict(ranking.excluded) == gone
    assert tokens.tolist() == [3, 40, 5]


@promised
@given(
    rows=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 100)), max_size=30),
    budget=st.integers(0, 400),
    n_reserved=st.integers(0, 3),
)
def test_kept_and_excluded_are_the_input_and_never_over_budget(
    rows: list[tuple[int, int]], budget: int, n_reserved: int
) -> None:
    tokens = [cost for cost, _ in rows]
    reserved = dict.fromkeys(range(min(n_reserved, len(rows))), InclusionCode.PINNED)
    ranking = ranking_of([score / 100 for _, score in rows], reserved=reserved)
    if sum(tokens[row] for row in reserved) > budget:
        with pytest.raises(BudgetExceededError):
            RankedPacker().pack(ranking, np.array(tokens, dtype=np.int64), budget)
        return
    packing = RankedPacker().pack(ranking, np.array(tokens, dtype=np.int64), budget)
    kept = [row for row, _ in packing.kept]
    assert sorted([*kept, *packing.excluded]) == list(range(len(rows)))
    assert packing.used_tokens == sum(tokens[row] for row in kept) <= budget
    assert set(reserved) <= set(kept)


@promised
@given(tokens=st.lists(st.integers(0, 50), max_size=12), budget=st.integers(0, 200))
def test_would_fit_at_is_the_smallest_budget_at_which_packing_again_keeps_the_chunk(
    tokens: list[int], budget: int
) -> None:
    ranking = ranking_of([1.0 - row / 100 for row in range(len(tokens))])
    costs = np.array(tokens, dtype=np.int64)

    def packed_at(limit: int) -> Packing:
        return RankedPacker().pack(ranking, costs, limit)

    packing = packed_at(budget)
    assert set(packing.would_fit_at) == set(packing.skipped_for_size)
    # A walk written out says where the answer lies; the packer itself has to agree there.
    for row, needed in packing.would_fit_at.items():
        assert (
            next(limit for limit in range(budget, 601) if row in kept_at(tokens, limit)) == needed
        )
    for needed in {budget, *packing.would_fit_at.values()}:
        for limit in {needed, max(budget, needed - 1)}:
            assert {row for row, _ in packed_at(limit).kept} == kept_at(tokens, limit)

"""The best set: equal to brute force, bound and all, and honest where the search is cut short."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from highspy._core import HighsStatus, _Highs
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import MissingExtraError, PackhorseError
from packhorse.packing import solver
from packhorse.packing.density import DensityPacker
from packhorse.packing.knapsack import best_set
from packhorse.packing.optimal import OptimalPacker
from packhorse.packing.ranked import RankedPacker
from packhorse.testing.packer import ranking_of
from packhorse.types.constraints import Constraints
from packhorse.types.decision import ExclusionCode
from tests.packing.instances import (
    Instance,
    allowed_sets,
    best_worth,
    counts,
    instance,
    kept_rows,
    topics_covered,
    value_of,
)
from tests.promises import promised

N_INSTANCES = 3_000
MILLION = 1_000_000


def large(n_rows: int, *, seed: int = 3) -> Instance:
    """Hundreds of rows with every kind of constraint."""
    chance = np.random.default_rng(seed)
    rows = chance.permutation(n_rows).tolist()
    n_pairs = n_rows // 20
    return Instance(
        ranking=ranking_of(
            np.round(np.sort(chance.beta(2, 3, n_rows))[::-1] / 10, 6).tolist(),
            sources=[f"s{int(k)}" for k in chance.integers(0, n_rows // 12, n_rows)],
            topic_tags=[
                tuple((f"t{k}", 0.9) for k in range(3) if chance.random() < 0.02)
                for _ in range(n_rows)
            ],
        ),
        tokens=tuple(chance.integers(120, 520, n_rows).tolist()),
        budget=64 * n_rows,
        constraints=Constraints(
            max_per_source=3,
            topics=("t0", "t1", "t2"),
            exclusive=tuple((rows[2 * k], rows[2 * k + 1]) for k in range(n_pairs)),
            linked=tuple((rows[-2 * k - 1], rows[-2 * k - 2]) for k in range(n_pairs)),
        ),
    )


@pytest.mark.parametrize("first", range(0, N_INSTANCES, 500))
def test_the_best_set_is_that_of_brute_force(first: int) -> None:
    for seed in range(first, first + 500):
        case = instance(seed)
        packing = OptimalPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
        rows, best = kept_rows(packing), best_worth(case)
        assert rows in allowed_sets(case), seed
        assert (topics_covered(case, rows), value_of(case, rows)) == best, seed
        assert round(packing.quality.value * MILLION) == best[1], seed
        assert packing.quality.upper_bound == packing.quality.value, seed
        assert packing.quality.optimality == 1.0, seed


@promised
@given(
    rows=st.lists(st.tuples(st.integers(1, 60), st.integers(0, 40)), min_size=1, max_size=12),
    capacity=st.integers(0, 200),
)
def test_the_table_gives_the_value_of_brute_force(
    rows: list[tuple[int, int]], capacity: int
) -> None:
    values = np.array([value for value, _ in rows], dtype=np.int64)
    tokens = np.array([cost for _, cost in rows], dtype=np.int64)
    if tokens.sum() <= capacity:
        return
    sets = (np.arange(2 ** len(rows))[:, None] >> np.arange(len(rows))) & 1
    best = int((sets @ values)[sets @ tokens <= capacity].max())
    chosen = best_set(values, tokens, capacity)
    assert chosen is not None
    assert int(values[chosen].sum()) == best
    assert int(tokens[chosen].sum()) <= capacity


def test_solver_and_table_agree_on_hundreds_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    case = large(400)
    packed = OptimalPacker().pack(case.ranking, counts(case), case.budget)
    monkeypatch.setattr("packhorse.packing.knapsack.MAX_CELLS", 0)
    solved = OptimalPacker().pack(case.ranking, counts(case), case.budget)
    assert solved.quality == packed.quality
    assert packed.quality.optimality == 1.0


def test_deciding_most_rows_beforehand_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    case = large(260)
    with_core = OptimalPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
    monkeypatch.setattr(solver, "_SMALL", 1_000)
    without = OptimalPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
    assert with_core.quality == without.quality
    assert with_core.quality.optimality == 1.0
    assert with_core.note == ""


def test_no_walk_is_worth_more() -> None:
    case = large(300)
    best = OptimalPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
    for packer in (RankedPacker(), DensityPacker()):
        walk = packer.pack(case.ranking, counts(case), case.budget, case.constraints)
        assert walk.quality.value <= best.quality.value <= walk.quality.upper_bound


def test_at_the_node_limit_the_packing_says_so_and_the_bound_holds() -> None:
    case = large(400)
    best = OptimalPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
    cut = OptimalPacker(node_limit=0).pack(
        case.ranking, counts(case), case.budget, case.constraints
    )
    assert cut.note.startswith("the search stopped at its limit of 0 nodes: the set may be worth")
    assert cut.quality.value <= best.quality.value <= cut.quality.upper_bound
    walk = RankedPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
    assert cut.quality.value >= walk.quality.value
    again = OptimalPacker(node_limit=0).pack(
        case.ranking, counts(case), case.budget, case.constraints
    )
    assert again == cut


def test_rows_say_whether_size_or_a_better_set_kept_them_out() -> None:
    packing = OptimalPacker().pack(
        ranking_of([0.9, 0.885, 0.885, 0.88]), np.array([100, 50, 50, 101]), 100
    )
    assert kept_rows(packing) == {1, 2}
    assert packing.excluded[0].code is ExclusionCode.NOT_IN_BEST_SET
    assert packing.excluded[0].reason == (
        "not_in_best_set (worth 1.000000, needed 100, had 0 beside a set that is worth more)"
    )
    assert packing.kept[0][1].reason == (
        "rank 2 of what competed (composite score 0.885000, worth 0.594604)"
    )
    assert packing.excluded[3].reason == "exceeded_remaining_budget (needed 101, had 100)"
    assert packing.skipped_for_size == (3,)


def test_a_set_that_fits_whole_needs_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy._core", None)
    ranking = ranking_of([0.5, 0.4])
    assert kept_rows(OptimalPacker().pack(ranking, np.array([3, 4]), 7)) == {0, 1}
    capped = Constraints(max_per_source=1)
    with pytest.raises(MissingExtraError, match="highspy"):
        OptimalPacker().pack(ranking, np.array([3, 4]), 7, capped)


def test_a_process_with_another_hash_seed_packs_the_same_and_prints_nothing_else(
    root: Path,
) -> None:
    program = (
        "import sys; sys.path.insert(0, '.')\n"
        "from tests.packing.test_optimal import *\n"
        "case = large(300)\n"
        "packing = OptimalPacker().pack("
        "case.ranking, counts(case), case.budget, case.constraints)\n"
        "print(sorted(kept_rows(packing)))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=root,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    case = large(300)
    packing = OptimalPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
    assert outputs == {f"{sorted(kept_rows(packing))}\n"}


def test_a_process_that_solves_with_more_threads_gets_the_same_set(root: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, '.')\n"
        "from highspy._core import _Highs\n"
        "from tests.packing.test_optimal import *\n"
        "for _ in range(2):\n"
        "    other = _Highs()\n"
        "    other.setOptionValue('output_flag', False)\n"
        "    other.setOptionValue('threads', 3)\n"
        "    other.addVar(0, 1)\n"
        "    assert other.run().name == 'kOk'\n"
        "    case = large(300)\n"
        "    packing = OptimalPacker().pack("
        "case.ranking, counts(case), case.budget, case.constraints)\n"
        "    print(sorted(kept_rows(packing)), packing.note)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, check=True, text=True
    )
    case = large(300)
    packing = OptimalPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
    assert run.stdout == f"{sorted(kept_rows(packing))} \n" * 2


def test_a_solver_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(_Highs):
        def run(self) -> HighsStatus:
            return HighsStatus.kError

    monkeypatch.setattr(solver, "_highs", lambda _limit: Broken())
    case = large(40)
    with pytest.raises(PackhorseError, match="HiGHS failed"):
        OptimalPacker().pack(case.ranking, counts(case), case.budget, case.constraints)


def test_the_order_of_constraints_decides_nothing() -> None:
    case = large(260)
    rules = case.constraints
    turned = replace(
        rules,
        exclusive=tuple((b, a) for a, b in reversed(rules.exclusive)),
        linked=tuple(tuple(reversed(group)) for group in reversed(rules.linked)),
    )
    one = OptimalPacker().pack(case.ranking, counts(case), case.budget, rules)
    other = OptimalPacker().pack(case.ranking, counts(case), case.budget, turned)
    assert one == other

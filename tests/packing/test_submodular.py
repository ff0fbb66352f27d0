"""Coverage and diversity: the objective, its guarantee and its bound, against brute force."""

import math
from dataclasses import replace

import numpy as np
import pytest

from packhorse.packing.representation import Representation
from packhorse.packing.submodular import SubmodularPacker
from packhorse.testing.packer import ranking_of
from packhorse.types.constraints import Constraints
from tests.packing.instances import (
    Instance,
    allowed_sets,
    counts,
    drawn_in,
    instance,
    kept_rows,
    topics_covered,
    worth_of,
)

GUARANTEE = 1 - 1 / math.sqrt(math.e)


def with_vectors(case: Instance, seed: int) -> Instance:
    """Directions in three dimensions; one instance in four has none."""
    chance = np.random.default_rng(seed + MANY)
    vectors = chance.standard_normal((len(case.tokens), 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ranking = case.ranking
    given = None if seed % 4 == 0 else vectors.astype(np.float32)
    return replace(case, ranking=replace(ranking, pool=replace(ranking.pool, vectors=given)))


MANY = 1_000_000
"""Millionths a whole, and far from any seed."""


def worth(case: Instance, rows: frozenset[int]) -> float:
    """The objective, written out."""
    ranking = case.ranking
    vectors = ranking.pool.vectors
    covered = 0.0
    for candidate in ranking.order:
        nearest = 0.0
        for row in rows:
            if row == candidate:
                similar = 1.0
            elif vectors is None:
                similar = 0.0
            else:
                cosine = float(vectors[candidate].astype(float) @ vectors[row].astype(float))
                similar = round(min(1.0, max(0.0, cosine)), 6)
            nearest = max(nearest, similar)
        covered += worth_of(case, candidate) / MANY * nearest
    per_source: dict[str, float] = {}
    for row in rows:
        source = ranking.pool.chunks[row].source_id
        per_source[source] = per_source.get(source, 0.0) + worth_of(case, row) / MANY
    return covered + sum(map(math.sqrt, per_source.values()))


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_budget_and_links_alone_keep_the_guarantee(first: int) -> None:
    for seed in range(first, first + 100):
        case = with_vectors(instance(seed, max_rows=10, free=True), seed)
        packing = SubmodularPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
        rows = kept_rows(packing)
        start = worth(case, case.required | drawn_in(case)[0])
        best = max(worth(case, each) for each in allowed_sets(case))
        assert worth(case, rows) - start >= GUARANTEE * (best - start) - 1e-9, seed


@pytest.mark.parametrize("free", [True, False])
def test_value_is_the_objective_and_the_bound_is_above_every_allowed_set(free: bool) -> None:
    for seed in range(250):
        case = with_vectors(instance(seed, max_rows=9, free=free), seed)
        packing = SubmodularPacker().pack(case.ranking, counts(case), case.budget, case.constraints)
        sets, before = allowed_sets(case), worth(case, case.required)
        assert kept_rows(packing) in sets, seed
        value = worth(case, kept_rows(packing)) - before
        assert packing.quality.value == pytest.approx(value, abs=2e-6), seed
        best = max(worth(case, each) for each in sets) - before
        assert packing.quality.upper_bound >= best - 1e-9, seed


def test_gains_are_differences_and_never_rise() -> None:
    for seed in range(60):
        case = with_vectors(instance(seed, max_rows=9), seed)
        state = Representation.of(case.ranking)
        rows = list(range(len(case.tokens)))
        earlier = state.gains([(row,) for row in rows])
        for row in rows:
            before, gain = state.worth, state.gain((row,))
            state.add((row,))
            assert state.worth - before == pytest.approx(gain, abs=1e-9)
            gains = state.gains([(other,) for other in rows])
            assert (gains <= earlier + 1e-9).all()
            earlier = gains


def test_the_best_row_alone_is_packed_where_it_is_worth_more_than_the_greedy_set() -> None:
    # A crumb has the higher gain per token, and then the chunk does not fit any more.
    ranking = ranking_of([0.9, 0.83])
    packing = SubmodularPacker().pack(ranking, np.array([100, 1]), 100)
    assert kept_rows(packing) == {0}


def test_a_copy_of_what_is_in_gives_way_to_something_else() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    ranking = ranking_of([0.9, 0.9, 0.88], vectors=vectors)
    assert kept_rows(SubmodularPacker().pack(ranking, np.array([10, 10, 10]), 20)) == {0, 2}


def test_a_second_source_is_worth_more_than_a_second_chunk_of_the_first() -> None:
    ranking = ranking_of([0.9, 0.88, 0.88], sources=["a", "a", "b"])
    assert kept_rows(SubmodularPacker().pack(ranking, np.array([10, 10, 10]), 20)) == {0, 2}


def test_open_topics_come_first() -> None:
    tags = [(), (), (("forms", 1.0),)]
    ranking = ranking_of([0.9, 0.8, 0.1], topic_tags=tags)
    packing = SubmodularPacker().pack(
        ranking, np.array([10, 10, 10]), 20, Constraints(topics=("forms",))
    )
    assert kept_rows(packing) == {0, 2}
    assert topics_covered(
        Instance(
            ranking=ranking,
            tokens=(10, 10, 10),
            budget=20,
            constraints=Constraints(topics=("forms",)),
        ),
        kept_rows(packing),
    )

"""The search finds what adds up, and hands back the base where the gain may be luck."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.evaluate.tuning.search import Search, moved
from packhorse.evaluate.tuning.space import Axis, Point
from packhorse.types.arrays import FloatArray

AXES = (
    Axis(name="a", options=((("a", 1),), (("a", 2),))),
    Axis(name="b", options=((("b", None),), (("b", 0.5),))),
    Axis(name="mix", options=((("x", 0.2), ("y", 0.8)), (("x", 0.8), ("y", 0.2)))),
)
N = 60
EVERYTHING = np.arange(N)


class Scores:
    """Effects that add up, each on its own share of the questions."""

    def __init__(self, effects: dict[object, float], noise: float = 0.0, seed: int = 0) -> None:
        self.effects, self.noise, self.seed = effects, noise, seed
        self.asked: list[Point] = []

    def __call__(self, point: Point) -> FloatArray:
        self.asked.append(point)
        gain = sum(self.effects.get(pair, 0.0) for pair in point)
        chance = np.random.default_rng([self.seed, *repr(point).encode()])
        scores: FloatArray = 0.5 + gain + self.noise * chance.standard_normal((N, 2))
        return scores


def test_what_helps_alone_is_stacked() -> None:
    scores = Scores({("a", 2): 0.1, ("a", 1): 0.05, ("b", None): 0.1, ("x", 0.2): -0.1})
    chosen = Search(scores, AXES, evaluations=50).on(EVERYTHING)
    assert chosen.point == chosen.best == (("a", 2), ("b", None))
    assert (chosen.gain, chosen.best_gain) == (0.2, 0.2)


def test_nothing_that_helps_leaves_the_base() -> None:
    chosen = Search(Scores({("a", 1): -0.1}), AXES, evaluations=50).on(EVERYTHING)
    assert (chosen.point, chosen.best, chosen.gain) == ((), (), 0.0)


def test_of_noise_alone_the_base_is_nearly_always_what_is_left() -> None:
    bases = 0
    for seed in range(30):
        search = Search(Scores({}, noise=0.2, seed=seed), AXES, evaluations=50)
        bases += search.on(EVERYTHING).point == ()
    assert bases >= 10


@pytest.mark.parametrize("seed", range(8))
def test_a_point_is_left_for_the_nearest_to_the_base_within_one_standard_error(seed: int) -> None:
    scores = Scores({("a", 1): 0.04, ("b", 0.5): 0.01}, noise=0.1, seed=seed)
    search = Search(scores, AXES, evaluations=50)
    chosen = search.on(EVERYTHING)
    assert chosen.best_gain >= chosen.gain
    near = []
    for point in scores.asked:
        behind = (search.of(chosen.best) - search.of(point)).mean(axis=1)
        assert behind.mean() >= -1e-9
        if behind.mean() <= behind.std(ddof=1) / math.sqrt(N) + 1e-9:
            near.append(point)
    keys = {"a": "a", "b": "b", "x": "mix", "y": "mix"}
    moves = {point: len({keys[key] for key, _ in point}) for point in near}
    assert chosen.point in near
    assert moves[chosen.point] == min(moves.values())


@pytest.mark.parametrize("most", [1, 2, 5, 9])
def test_no_search_looks_at_more_points_than_it_may(most: int) -> None:
    scores = Scores({("a", 2): 0.1, ("b", 0.5): 0.1})
    n_told = 0

    def told() -> None:
        nonlocal n_told
        n_told += 1

    chosen = Search(scores, AXES, evaluations=most, advance=told).on(EVERYTHING)
    assert chosen.tried == n_told == len(scores.asked) == most


def test_searches_share_what_was_measured() -> None:
    scores = Scores({("a", 2): 0.1})
    search = Search(scores, AXES, evaluations=50)
    first = search.on(EVERYTHING[:30])
    second = search.on(EVERYTHING[30:])
    assert first == second
    assert len(scores.asked) == len(set(scores.asked)) == search.n_measured == first.tried


@given(st.lists(st.sampled_from([option for axis in AXES for option in axis.options]), max_size=6))
def test_an_axis_has_one_value_at_a_time(options: list[Point]) -> None:
    point: Point = ()
    for option in options:
        axis = next(each for each in AXES if option in each.options)
        point = moved(point, axis, option)
        assert set(option) <= set(point)
        assert len({key for key, _ in point}) == len(point)
        assert list(point) == sorted(point, key=lambda pair: pair[0])
    for axis in AXES:
        point = moved(point, axis, ())
    assert point == ()

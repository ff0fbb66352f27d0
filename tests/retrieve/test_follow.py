"""The second pass hands relevance from the best candidates to what they mention."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import RetrievalConfig
from packhorse.protocols import Reference
from packhorse.retrieve.follow import SEEDS, gains, no_gains, seeds, strongest, weight_of_mentions
from packhorse.types.candidate import Mention

IDS = "abcdef"
ROW_OF = {name: row for row, name in enumerate(IDS)}


def to(chunk_id: str, strength: float, name: str = "N") -> Reference:
    return Reference(chunk_id=chunk_id, name=name, strength=strength)


def test_what_the_best_mentions_gains_the_weight_times_the_strength() -> None:
    first = np.array([0.8, 0.1, 0.1, 0.4, 0.0, 0.0])
    found = gains(
        first,
        {"a": [to("b", 0.5, "Bee")], "d": [to("c", 0.5, "Sea")]},
        ROW_OF,
        weight=0.4,
        limit=1.0,
    )
    assert found.values.tolist() == [0, 0.2, 0.1, 0, 0, 0]
    assert found.mentions[1] == Mention(chunk_id="a", name="Bee")
    assert found.mentions[2] == Mention(chunk_id="d", name="Sea")
    assert found.mentions[0] is None


def test_what_is_mentioned_stays_behind_where_it_is_mentioned() -> None:
    first = np.array([0.5, 0.4, 0.49, 0, 0, 0])
    found = gains(first, {"a": [to("b", 1.0), to("c", 1.0)]}, ROW_OF, weight=0.65, limit=0.9)
    assert found.values.tolist() == [0, 0.05, 0, 0, 0, 0]
    # It gains nothing, being above the limit already; that it is mentioned is known.
    assert found.mentions[2] is not None


def test_of_several_mentions_the_highest_gain_counts_and_the_better_seed_at_a_tie() -> None:
    first = np.array([0.5, 0.5, 0.1, 0, 0, 0])
    one, other = [to("c", 0.5, "from a")], [to("c", 0.5, "from b"), to("c", 0.2, "weaker")]
    found = gains(first, {"a": one, "b": other}, ROW_OF, weight=0.2, limit=1.0)
    assert (found.values[2], found.mentions[2]) == (0.1, Mention(chunk_id="a", name="from a"))
    stronger = [to("c", 0.6, "from b")]
    found = gains(first, {"a": one, "b": stronger}, ROW_OF, weight=0.2, limit=1.0)
    assert (found.values[2], found.mentions[2]) == (0.12, Mention(chunk_id="b", name="from b"))


def test_a_chunk_gains_nothing_from_itself_or_without_a_finite_score() -> None:
    first = np.array([0.5, np.nan, 0, 0, 0, 0])
    found = gains(
        first, {"a": [to("a", 1.0), to("b", 1.0), to("gone", 1.0)]}, ROW_OF, weight=1, limit=1
    )
    assert found.values.tolist() == [0] * 6
    assert no_gains(2).mentions == (None, None)


@given(
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
    st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS), st.floats(0.01, 1)), max_size=9),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_gains_are_those_of_trying_every_mention(
    first: list[float], mentions: list[tuple[str, str, float]], weight: float, limit: float
) -> None:
    column = np.array(first)
    best = [IDS[row] for row in seeds(column, np.ones(6, dtype=np.bool_))]
    told = {seed: [to(t, s) for source, t, s in mentions if source == seed] for seed in best}
    found = gains(column, told, ROW_OF, weight=weight, limit=limit)
    for row, name in enumerate(IDS):
        own = first[row]
        lifted = [
            min(own + weight * strength * of_seed / max(first), limit * of_seed)
            for seed, target, strength in mentions
            if seed in best and target == name != seed
            for of_seed in [first[ROW_OF[seed]]]
        ]
        assert found.values[row] == pytest.approx(max([0.0, *(x - own for x in lifted)]), abs=1e-6)
        assert (found.mentions[row] is not None) == bool(lifted)


def test_the_best_few_hand_on_and_none_without_relevance() -> None:
    first = np.array([0.1, 0.5, 0.5, 0.3, 0.2, 0.4, np.nan])
    every = np.ones(7, dtype=np.bool_)
    assert seeds(first, every) == [1, 2, 5, 3]
    assert len(seeds(first, every)) == SEEDS
    every[[1, 3]] = False
    assert seeds(first, every) == [2, 5, 4, 0]
    assert seeds(np.array([0.0, -0.1]), np.ones(2, dtype=np.bool_)) == []


def test_the_strongest_reference_to_a_chunk_stands_for_all() -> None:
    found = strongest([to("b", 0.2, "z"), to("a", 0.1), to("b", 0.7, "y"), to("b", 0.7, "x")])
    assert list(found) == ["a", "b"]
    assert (found["b"].strength, found["b"].name) == (0.7, "x")


def test_mentions_count_for_less_where_the_question_names_nothing() -> None:
    config = RetrievalConfig(mention_weight=0.6, unnamed_share=0.25)
    assert weight_of_mentions(config, {}) == pytest.approx(0.15)
    assert weight_of_mentions(config, {"a": to("a", 0.25)}) == pytest.approx(0.375)
    assert weight_of_mentions(config, {"a": to("a", 0.5), "b": to("b", 0.1)}) == 0.6

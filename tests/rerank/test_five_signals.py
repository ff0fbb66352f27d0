"""The whole reranker against a slow reference, and the promises it makes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import RerankConfig, Weights
from packhorse.rerank import greedy
from packhorse.types.candidate import CandidatePool
from packhorse.types.decision import ExclusionCode, InclusionCode
from packhorse.types.ranking import Ranking
from tests.rerank.making import made_chunk, made_pool, order_of, out_of, reranked, row_of
from tests.strategies import pools

TOPICS = ("eligibility", "forms", "limits")
PLAIN = RerankConfig(dedup_threshold=None)


def slow_order(pool: CandidatePool, config: RerankConfig, reserved: Sequence[str]) -> list[str]:
    """Plain greedy, every candidate against everything chosen at every step."""
    half_life, w, as_of = config.freshness_half_life_days, config.weights, AS_OF_SECONDS
    chunks = {chunk.chunk_id: (row, chunk) for row, chunk in enumerate(pool.chunks)}

    def similarity(a: str, b: str) -> float:
        if pool.vectors is None:
            return 0.0
        left, right = (pool.vectors[chunks[name][0]].astype(np.float64) for name in (a, b))
        return float(np.rint(min(1.0, max(0.0, float(left @ right))) * 1e6))

    def fixed(name: str) -> float:
        row, chunk = chunks[name]
        trust = 0.5 if chunk.trust_score is None else round(chunk.trust_score, 6)
        fresh = 0.5
        if chunk.timestamp is not None:
            age = max(0.0, (as_of - chunk.timestamp.timestamp()) / 86_400)
            fresh = round(0.5 ** (age / half_life), 6)
        relevance = round(float(pool.relevance[row]), 6)
        return (w.relevance * relevance + w.trust * trust + w.freshness * fresh) * 1e6

    def value(name: str, chosen: list[str]) -> float:
        similar = max((similarity(name, other) for other in chosen), default=0.0)
        added = 0.0
        for topic in TOPICS:
            best = max((dict(chunks[o][1].topic_tags).get(topic, 0.0) for o in chosen), default=0.0)
            added += max(0.0, dict(chunks[name][1].topic_tags).get(topic, 0.0) - best)
        coverage = np.rint(round(added / len(TOPICS), 6) * 1e6)
        score = np.rint(fixed(name) + w.coverage * coverage + w.deduplication * similar)
        return float(np.rint(config.mmr_lambda * score - (1.0 - config.mmr_lambda) * similar))

    chosen, order = list(reserved), list[str]()
    left = sorted(set(chunks) - set(reserved))
    sources = [chunks[name][1].source_id for name in chosen]
    while left:
        cap = config.max_per_source
        left = [n for n in left if cap is None or sources.count(chunks[n][1].source_id) < cap]
        if not left:
            break
        best = max(left, key=lambda name: (value(name, chosen), [-ord(c) for c in name]))
        ties = [name for name in left if value(name, chosen) == value(best, chosen)]
        best = min(ties)
        chosen.append(best)
        order.append(best)
        sources.append(chunks[best][1].source_id)
        left.remove(best)
    return order


AS_OF_SECONDS = 1_780_272_000.0
"""The day that the pools of `making` are ranked on."""

configs = st.builds(
    RerankConfig,
    mmr_lambda=st.sampled_from((0.0, 0.5, 0.7, 1.0)),
    dedup_threshold=st.none(),
    max_per_source=st.sampled_from((None, 1, 2)),
    weights=st.sampled_from((Weights(), Weights(coverage=0.4, deduplication=-0.5))),
)


@given(pool=pools(max_size=9), config=configs, data=st.data())
def test_order_is_that_of_plain_greedy(
    pool: CandidatePool, config: RerankConfig, data: st.DataObject
) -> None:
    names = [chunk.chunk_id for chunk in pool.chunks]
    chosen = data.draw(st.lists(st.sampled_from(names), max_size=2, unique=True)) if names else []
    reserved = dict.fromkeys(chosen, InclusionCode.PINNED)
    ranking = reranked(pool, config, reserved=reserved, topics=TOPICS)
    assert order_of(ranking) == slow_order(pool, config, chosen)


@given(pool=pools(min_size=6, max_size=12), config=configs)
def test_small_windows_give_the_order_of_one_window(
    pool: CandidatePool, config: RerankConfig
) -> None:
    whole = reranked(pool, config, topics=TOPICS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy, "_WINDOW", 2)
        patch.setattr(greedy, "_SLICE", 1)
        small = reranked(pool, config, topics=TOPICS)
    assert order_of(small) == order_of(whole)
    assert out_of(small) == out_of(whole)
    for name in ("coverage", "deduplication", "score"):
        assert np.array_equal(getattr(small.signals, name), getattr(whole.signals, name))


@given(
    pool=pools(),
    top_k=st.one_of(st.none(), st.integers(1, 6)),
    depth=st.integers(0, 6),
    max_per_source=st.sampled_from((None, 1, 2)),
    data=st.data(),
)
def test_every_row_is_once_in_reserved_order_or_excluded(
    pool: CandidatePool,
    top_k: int | None,
    depth: int,
    max_per_source: int | None,
    data: st.DataObject,
) -> None:
    names = [chunk.chunk_id for chunk in pool.chunks]
    chosen = data.draw(st.lists(st.sampled_from(names), max_size=2, unique=True)) if names else []
    config = RerankConfig(
        top_k=top_k, max_per_source=max_per_source, min_trust=0.3, max_age_days=900
    )
    reserved = dict.fromkeys(chosen, InclusionCode.MANDATORY)
    ranking = reranked(pool, config, reserved=reserved, topics=TOPICS, depth=depth)
    rows = [*(row for row, _ in ranking.reserved), *ranking.order, *ranking.excluded]
    assert sorted(rows) == list(range(len(pool)))
    assert [pool.chunks[row].chunk_id for row, _ in ranking.reserved] == chosen
    assert len(ranking.order) <= (top_k or len(pool))
    for signal in ("trust", "freshness", "coverage", "deduplication"):
        column = getattr(ranking.signals, signal)
        assert ((column >= 0) & (column <= 1)).all()
        assert np.array_equal(column, np.round(column, 6))


@given(pool=pools(), depth=st.integers(0, 12), data=st.data())
def test_a_shuffled_pool_gives_the_same_ranking(
    pool: CandidatePool, depth: int, data: st.DataObject
) -> None:
    rows = data.draw(st.permutations(range(len(pool))))
    shuffled = CandidatePool(
        chunks=tuple(pool.chunks[row] for row in rows),
        relevance=pool.relevance[list(rows)],
        vectors=None if pool.vectors is None else pool.vectors[list(rows)],
    )
    config = RerankConfig(max_per_source=2, min_trust=0.2)
    first = reranked(pool, config, topics=TOPICS, depth=depth)
    second = reranked(shuffled, config, topics=TOPICS, depth=depth)
    assert order_of(first) == order_of(second)
    assert out_of(first) == out_of(second)
    assert scores_of(first) == scores_of(second)


def scores_of(ranking: Ranking) -> dict[str, float]:
    chunks = ranking.pool.chunks
    return {chunk.chunk_id: float(ranking.signals.score[r]) for r, chunk in enumerate(chunks)}


def test_default_weights_make_the_composite_score() -> None:
    pool = made_pool([made_chunk("a", trust=0.9, age_days=365)], [0.8])
    ranking = reranked(pool)
    assert ranking.signals.score[0] == pytest.approx(0.5 * 0.8 + 0.2 * 0.9 + 0.15 * 0.5)


def test_score_is_that_of_the_moment_a_chunk_was_ranked() -> None:
    chunks = [made_chunk("a", topics={"x": 1.0}), made_chunk("b", topics={"x": 1.0, "y": 0.5})]
    pool = made_pool(chunks, [0.9, 0.1], [[1.0, 0.0], [0.6, 0.8]])
    ranking = reranked(pool, topics=("x", "y"))
    signals = ranking.signals
    assert order_of(ranking) == ["a", "b"]
    assert signals.coverage.tolist() == [0.5, 0.25]
    assert signals.deduplication.tolist() == [0.0, 0.6]
    fixed = 0.5 * 0.1 + 0.2 * 0.5 + 0.15 * 0.5
    assert signals.score[1] == pytest.approx(fixed + 0.1 * 0.25 - 0.05 * 0.6)


def test_lambda_1_is_the_order_of_composite_scores() -> None:
    pool = made_pool([made_chunk(n) for n in "abc"], [0.9, 0.8, 0.1], [[1, 0], [1, 0], [0, 1]])
    weights = Weights(deduplication=0.0)
    assert order_of(reranked(pool, RerankConfig(mmr_lambda=1.0, weights=weights))) == list("abc")
    assert order_of(reranked(pool, RerankConfig(mmr_lambda=0.5, weights=weights))) == list("acb")


def test_without_vectors_nothing_is_similar() -> None:
    ranking = reranked(made_pool([made_chunk("a"), made_chunk("b")], [0.9, 0.8]))
    assert ranking.signals.deduplication.tolist() == [0.0, 0.0]


def test_required_chunks_count_as_chosen_from_the_start() -> None:
    chunks = [made_chunk("pin", topics={"x": 1.0}), made_chunk("near"), made_chunk("far")]
    pool = made_pool(chunks, [0.1, 0.9, 0.8], [[1, 0], [1, 0], [0, 1]])
    ranking = reranked(pool, reserved={"pin": InclusionCode.PINNED}, topics=("x",))
    assert order_of(ranking) == ["far", "near"]
    assert ranking.signals.coverage.tolist() == [1.0, 0.0, 0.0]


def test_required_chunks_are_reserved_in_the_order_of_their_codes() -> None:
    pool = made_pool([made_chunk(n) for n in "abcd"], [0.5, 0.4, 0.3, 0.2])
    reserved = {
        "b": InclusionCode.ATTACHED,
        "d": InclusionCode.PINNED,
        "a": InclusionCode.MANDATORY,
        "c": InclusionCode.PINNED,
    }
    ranking = reranked(pool, reserved=reserved)
    assert [pool.chunks[row].chunk_id for row, _ in ranking.reserved] == ["a", "d", "c", "b"]


def test_top_k_cuts_with_the_rank() -> None:
    pool = made_pool([made_chunk(n) for n in "abcd"], [0.2, 0.9, 0.5, 0.4])
    ranking = reranked(pool, RerankConfig(top_k=2))
    assert order_of(ranking) == ["b", "c"]
    assert out_of(ranking) == {
        "d": "not_selected_by_mmr (rank 3, top_k 2)",
        "a": "not_selected_by_mmr (rank 4, top_k 2)",
    }


def test_source_cap_passes_over_a_full_source_in_favour_of_others() -> None:
    chunks = [made_chunk(n, source=s) for n, s in zip("abcd", "mmno", strict=True)]
    ranking = reranked(made_pool(chunks, [0.9, 0.8, 0.2, 0.1]), RerankConfig(max_per_source=1))
    assert order_of(ranking) == ["a", "c", "d"]
    assert out_of(ranking) == {"b": "source_cap (m has 1 chunks ranked or required before it)"}


def test_required_chunks_count_towards_the_source_cap() -> None:
    chunks = [made_chunk("pin", source="m"), made_chunk("a", source="m"), made_chunk("b")]
    ranking = reranked(
        made_pool(chunks, [0.1, 0.9, 0.2]),
        RerankConfig(max_per_source=1),
        reserved={"pin": InclusionCode.PINNED},
    )
    assert order_of(ranking) == ["b"]
    assert ranking.excluded[row_of(ranking, "a")].code is ExclusionCode.SOURCE_CAP


def test_the_cap_holds_beyond_the_depth_of_the_walk() -> None:
    chunks = [made_chunk(n, source=s) for n, s in zip("abcde", "mnnmo", strict=True)]
    pool = made_pool(chunks, [0.9, 0.8, 0.7, 0.6, 0.5])
    ranking = reranked(pool, RerankConfig(max_per_source=1, top_k=3), depth=1)
    assert order_of(ranking) == ["a", "b", "e"]
    assert {ranking.pool.chunks[row].chunk_id for row in ranking.excluded} == {"c", "d"}


def test_beyond_the_depth_rows_follow_by_value_against_required_chunks_alone() -> None:
    pool = made_pool([made_chunk(n) for n in "abc"], [0.9, 0.8, 0.7], [[1, 0], [1, 0], [0, 1]])
    diverse = RerankConfig(dedup_threshold=None, mmr_lambda=0.95)
    assert order_of(reranked(pool, diverse)) == ["a", "c", "b"]
    ranking = reranked(pool, diverse, depth=1)
    assert order_of(ranking) == ["a", "b", "c"]
    assert ranking.signals.deduplication.tolist() == [0.0, 0.0, 0.0]


def test_survivor_is_the_more_trusted_then_newer_then_more_relevant_then_first_by_id() -> None:
    text = "the very same words in every copy"

    def survivor(**differing: Sequence[float | None]) -> str:
        trust = differing.get("trust", (0.5, 0.5))
        age = differing.get("age", (9.0, 9.0))
        chunks = [
            made_chunk(name, text, trust=trust[n], age_days=age[n]) for n, name in enumerate("ab")
        ]
        relevance = [r or 0.0 for r in differing.get("relevance", (0.5, 0.5))]
        (only,) = order_of(reranked(made_pool(chunks, relevance)))
        return only

    assert survivor() == "a"
    assert survivor(relevance=(0.4, 0.5)) == "b"
    assert survivor(relevance=(0.9, 0.1), age=(9.0, 8.0)) == "b"
    assert survivor(relevance=(0.9, 0.1), age=(None, 8_000.0)) == "b"
    assert survivor(relevance=(0.9, 0.1), age=(1.0, 8.0), trust=(0.5, 0.6)) == "b"
    assert survivor(trust=(None, 0.4)) == "a"


def test_a_required_copy_survives_and_the_better_copy_goes() -> None:
    chunks = [made_chunk("a", "same words here", trust=0.9), made_chunk("b", "same words here")]
    ranking = reranked(made_pool(chunks, [0.9, 0.1]), reserved={"b": InclusionCode.PINNED})
    assert order_of(ranking) == []
    why = ranking.excluded[row_of(ranking, "a")]
    assert why.reason == "duplicate of b (overlap 1.00)"
    assert why.duplicate_of == "b"


def test_a_filtered_copy_drops_nobody() -> None:
    chunks = [
        made_chunk("old", "same words here", trust=0.9, age_days=900),
        made_chunk("new", "same words here", trust=0.5, age_days=1),
    ]
    ranking = reranked(made_pool(chunks, [0.9, 0.1]), RerankConfig(max_age_days=100))
    assert order_of(ranking) == ["new"]


def test_the_same_rule_for_two_years_is_no_duplicate() -> None:
    rule = "For {} the standard mileage rate for the business use of a car is {} cents a mile."
    chunks = [made_chunk("a", rule.format(2023, 65)), made_chunk("b", rule.format(2024, 67))]
    assert sorted(order_of(reranked(made_pool(chunks, [0.9, 0.8])))) == ["a", "b"]


def test_an_empty_pool_is_ranked_as_empty() -> None:
    ranking = reranked(made_pool([], []))
    assert (ranking.order, ranking.reserved, dict(ranking.excluded)) == ((), (), {})


def test_large_pools_are_ranked_like_plain_greedy() -> None:
    steps = np.arange(1_000)
    angles = steps * 0.7
    rows = np.stack((np.cos(angles), np.sin(angles), np.cos(3 * angles)), axis=1)
    chunks = [made_chunk(f"c{n:04d}") for n in steps]
    pool = made_pool(chunks, np.round(1 - steps / 1_500, 6).tolist(), rows.tolist())
    found = order_of(reranked(pool, PLAIN))[:40]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(greedy, "_WINDOW", 10_000)
        assert order_of(reranked(pool, PLAIN))[:40] == found

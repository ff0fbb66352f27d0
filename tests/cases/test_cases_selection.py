"""Practice cases of reranking, packing and ordering."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
import toktok

from packhorse.config import KnowledgeBasePolicy, RerankConfig
from packhorse.errors import BudgetExceededError, ConfigError, InvalidBudgetError
from packhorse.order.registry import orderer
from packhorse.packing.ranked import RankedPacker
from packhorse.packing.small import pack_parts, pack_ranked
from packhorse.rerank.five_signals import FiveSignalReranker
from packhorse.rerank.mmr import mmr
from packhorse.rerank.scales import scaled
from packhorse.testing.packer import ranking_of
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.decision import ExclusionCode, InclusionCode
from packhorse.types.query import Query
from packhorse.types.ranking import Ranking

AS_OF = datetime(2026, 6, 1, tzinfo=UTC)


def reranked(
    chunks: list[Chunk],
    relevance: list[float],
    config: RerankConfig | None = None,
    vectors: list[list[float]] | None = None,
) -> Ranking:
    pool = CandidatePool(
        chunks=tuple(chunks),
        relevance=np.array(relevance),
        vectors=None if vectors is None else np.array(vectors, dtype=np.float32),
    )
    reranker = FiveSignalReranker(config or RerankConfig(), KnowledgeBasePolicy(name="kb"))
    return reranker.rerank(Query(text="q", as_of=AS_OF), pool, {})


def ids(ranking: Ranking) -> list[str]:
    return [ranking.pool.chunks[row].chunk_id for row in ranking.order]


def test_case_02_headers_and_separators_are_charged_to_the_budget() -> None:
    text = "The return window is 30 days for unopened goods."
    rendered = [f"[{n}] source=handbook\n{text}\n\n" for n in range(1, 11)]

    def count(part: str) -> int:
        return int(toktok.batch_count([part], "cl100k_base", threads=1)[0])

    def tokens_of(n: int) -> int:
        return count("".join(rendered[:n]).removesuffix("\n\n"))

    # The separator belongs to the block before it; the last one is not rendered.
    costs = np.array([tokens_of(n + 1) - tokens_of(n) if n else tokens_of(1) for n in range(10)])
    assert (tokens_of(6), tokens_of(7)) == (120, 140)
    ranking = ranking_of([1.0 - n / 100 for n in range(10)])
    packing = RankedPacker().pack(ranking, costs, 120)
    assert len(packing.kept) == 6
    assert packing.used_tokens == 120
    assert packing.excluded[6].reason == "exceeded_remaining_budget (needed 20, had 0)"
    assert len(RankedPacker().pack(ranking, costs, 119).kept) == 5
    block_costs = dict(zip(rendered, costs.tolist(), strict=True))
    assert pack_ranked(rendered, 120, block_costs.__getitem__) == (rendered[:6], 120)


def test_case_09_skip_and_continue_with_the_sum_of_each_decision() -> None:
    ranking = ranking_of([0.9, 0.8, 0.7, 0.6], ids=["a", "b", "c", "d"])
    packing = RankedPacker().pack(ranking, np.array([60, 70, 30, 10]), 100)
    kept = [ranking.pool.chunks[row].chunk_id for row, _ in packing.kept]
    assert (kept, packing.used_tokens) == (["a", "c", "d"], 100)
    assert packing.excluded[1].reason == "exceeded_remaining_budget (needed 70, had 40)"


def test_case_10_pinned_content_is_never_dropped_in_silence() -> None:
    ranking = ranking_of(
        [0.1, 0.1], ids=["p1", "p2"], reserved=dict.fromkeys((0, 1), InclusionCode.PINNED)
    )
    with pytest.raises(BudgetExceededError) as caught:
        RankedPacker().pack(ranking, np.array([2500, 900]), 4000 - 1000)
    assert caught.value.parts == (("p1", 2500), ("p2", 900))
    assert caught.value.available == 3000
    assert "p1 2500 + p2 900" in caught.value.message


def test_case_11_zero_budget_is_allowed_and_explained() -> None:
    packing = RankedPacker().pack(ranking_of([0.5]), np.array([10]), 0)
    assert packing.kept == ()
    assert packing.excluded[0].reason == "exceeded_remaining_budget (needed 10, had 0)"
    assert pack_parts([{"id": "a", "tokens": 10}], 0).dropped == ["a"]


@pytest.mark.parametrize("budget", [-5, "12", 1.5])
def test_case_11_negative_text_and_fractional_budgets_are_refused_by_name(budget: object) -> None:
    with pytest.raises(InvalidBudgetError, match="budget is"):
        RankedPacker().pack(ranking_of([0.5]), np.array([10]), budget)  # type: ignore[arg-type]  # the point
    with pytest.raises(InvalidBudgetError, match="budget is"):
        pack_parts([], budget)  # type: ignore[arg-type]  # the point


def test_case_12_scores_are_mixed_on_their_declared_scale() -> None:
    raw = [7.2, 0.3, -2.1, -8.3]
    found = scaled(raw, "logit")
    assert np.round(found.relevance, 4).tolist() == [0.9993, 0.5744, 0.1091, 0.0002]
    assert found.raw.tolist() == raw
    chunks = [Chunk(chunk_id=name, source_id=name, text=f"text of {name}") for name in "abcd"]
    ranking = reranked(chunks, found.relevance.tolist(), RerankConfig(min_relevance=0.5))
    assert ids(ranking) == ["a", "b"]
    codes = [ranking.excluded[row].code for row in (2, 3)]
    assert codes == [ExclusionCode.BELOW_RELEVANCE] * 2


def test_case_14_unscored_values_come_after_the_scored_by_id() -> None:
    scores = {"a": 0.4, "b": math.nan, "c": 0.9, "d": math.nan, "e": math.inf}
    chunks = [Chunk(chunk_id=name, source_id=name, text=f"text of {name}") for name in "edcba"]
    ranking = reranked(chunks, [scores[name] for name in "edcba"])
    out = [(ranking.pool.chunks[row].chunk_id, why.code) for row, why in ranking.excluded.items()]
    assert ids(ranking) == ["c", "a"]
    assert out == [(name, ExclusionCode.UNSCORED) for name in "bde"]
    json.dumps(ranking.signals.score.tolist(), allow_nan=False)


def test_case_16_lambda_1_is_pure_relevance_and_0_pure_diversity() -> None:
    vectors = [[1.0, 0.0], [0.999, 0.045], [0.6, 0.8]]
    assert mmr(vectors, [1.0, 0.0], 2, lambda_=1.0) == [0, 1]
    assert mmr(vectors, [1.0, 0.0], 2, lambda_=0.0) == [0, 2]
    for outside in (-0.1, 1.1):
        with pytest.raises(ConfigError):
            mmr(vectors, [1.0, 0.0], 2, lambda_=outside)
        with pytest.raises(ConfigError):
            RerankConfig(mmr_lambda=outside)


# Ten sentences of twenty words, as a splitter with overlap cuts them.
SENTENCES = [
    " ".join(f"{stem}{letter}" for letter in "abcdefghijklmnopqrst").capitalize() + "."
    for stem in ("al", "be", "cu", "do", "ex", "fa", "gi", "ho", "in", "ju")
]


def test_case_17_overlapping_chunks_are_near_duplicates_with_the_measured_overlap() -> None:
    spans = {"s1-s5": (0, 5), "s2-s6": (1, 6), "s3-s7": (2, 7), "s8-s10": (7, 10)}
    chunks = [
        Chunk(chunk_id=name, source_id="doc", text=" ".join(SENTENCES[start:end]))
        for name, (start, end) in spans.items()
    ]
    ranking = reranked(chunks, [0.8, 0.9, 0.7, 0.2])
    assert ids(ranking) == ["s2-s6", "s8-s10"]
    assert ranking.excluded[0].reason == "duplicate of s2-s6 (overlap 0.80)"
    assert ranking.excluded[2].duplicate_of == "s2-s6"


def test_case_18_the_more_trusted_copy_survives() -> None:
    forum = Chunk(
        chunk_id="forum-1",
        source_id="forum",
        text="identical",
        trust_score=0.3,
        timestamp=datetime(2026, 5, 1, tzinfo=UTC),
    )
    policy = Chunk(
        chunk_id="policy-1",
        source_id="policy",
        text="identical",
        trust_score=0.9,
        timestamp=datetime(2026, 4, 1, tzinfo=UTC),
    )
    ranking = reranked([forum, policy], [0.9, 0.8])
    assert ids(ranking) == ["policy-1"]
    assert ranking.excluded[0].reason == "duplicate of policy-1 (overlap 1.00)"


@pytest.mark.parametrize(
    ("n", "sandwich", "edges"),
    [
        (1, "1", "1"),
        (2, "12", "12"),
        (3, "132", "132"),
        (4, "1342", "1342"),
        (5, "13452", "13542"),
        (6, "134562", "135642"),
    ],
)
def test_case_19_sandwich_and_edges_for_odd_and_even(n: int, sandwich: str, edges: str) -> None:
    ranked = [Chunk(chunk_id=str(k + 1), source_id="s", text="t") for k in range(n)]
    before = list(ranked)
    for name, expected in (("sandwich", sandwich), ("edges", edges)):
        places = orderer(name).order(ranked)
        assert "".join(ranked[place].chunk_id for place in places) == expected
    assert ranked == before


def test_case_20_ties_are_decided_by_chunk_id() -> None:
    names = "hcagbfde"
    chunks = [Chunk(chunk_id=name, source_id="s", text=f"text {name}") for name in names]
    vectors = [[1.0, 0.0]] * len(names)
    ranking = reranked(chunks, [0.5] * len(names), RerankConfig(top_k=3), vectors)
    assert ids(ranking) == ["a", "b", "c"]


def test_case_25_a_zero_vector_is_similar_to_nothing() -> None:
    vectors = [[1.0, 0.0], [0.5, 0.5], [0.0, 0.0]]
    assert mmr(vectors, [1.0, 0.0], 2, lambda_=1.0) == [0, 1]
    assert mmr(vectors, [0.0, 0.0], 3, lambda_=1.0) == [0, 1, 2]
    chunks = [Chunk(chunk_id=f"d{n}", source_id="s", text=f"text {n}") for n in range(3)]
    unit = [[1.0, 0.0], [math.sqrt(0.5), math.sqrt(0.5)], [0.0, 0.0]]
    diverse = RerankConfig(mmr_lambda=0.95)
    ranking = reranked(chunks, [0.9, 0.8, 0.7], diverse, vectors=unit)
    assert ids(ranking) == ["d0", "d2", "d1"]
    assert ranking.signals.deduplication.tolist() == [0.0, 0.707107, 0.0]


def test_case_36_five_spellings_of_one_instant_are_equally_fresh() -> None:
    day = datetime(2026, 5, 2, tzinfo=UTC)
    spellings = [
        day,
        datetime.fromisoformat("2026-05-02"),
        datetime(2026, 5, 2, 2, tzinfo=timezone(timedelta(hours=2))),
        datetime.fromtimestamp(1_777_680_000, tz=UTC),
        datetime.fromisoformat("2026-05-02T00:00:00"),
    ]
    chunks = [
        Chunk(chunk_id=name, source_id="s", text=f"text of {name}", timestamp=when)
        for name, when in zip("abcde", spellings, strict=True)
    ]
    config = RerankConfig(freshness_half_life_days=30.0)
    ranking = reranked(chunks, [0.5] * 5, config)
    assert ranking.signals.freshness.tolist() == [0.5] * 5

"""Filters: what may not be packed, with the numbers."""

import math

import pytest

from packhorse.config import KnowledgeBasePolicy, RerankConfig
from packhorse.errors import ConfigError
from packhorse.types.decision import ExclusionCode, InclusionCode
from tests.rerank.making import made_chunk, made_pool, order_of, out_of, reranked, row_of


def test_reasons_carry_code_and_numbers() -> None:
    policy = KnowledgeBasePolicy(name="kb", blocked_sources=("spam_*",))
    config = RerankConfig(min_trust=0.4, max_age_days=730, min_relevance=0.2)
    chunks = [
        made_chunk("unscored"),
        made_chunk("blocked", source="spam_blog"),
        made_chunk("distrusted", trust=0.3),
        made_chunk("stale", age_days=800),
        made_chunk("irrelevant"),
        made_chunk("in", trust=0.4, age_days=730),
    ]
    ranking = reranked(
        made_pool(chunks, [math.nan, 0.9, 0.8, 0.7, 0.1, 0.2]), config, policy=policy
    )
    assert out_of(ranking) == {
        "unscored": "unscored (relevance is not a finite number)",
        "blocked": "blocked_source (spam_blog is blocked by spam_*)",
        "distrusted": "below_trust_threshold (trust 0.3, needs 0.4)",
        "stale": "stale (age 800 days, limit 730)",
        "irrelevant": "below_relevance_threshold (relevance 0.1, needs 0.2)",
    }
    assert order_of(ranking) == ["in"]


def test_the_first_reason_that_applies_is_given() -> None:
    policy = KnowledgeBasePolicy(name="kb", blocked_sources=("bad",))
    config = RerankConfig(min_trust=0.4, max_age_days=10, min_relevance=0.5)
    worst = {"source": "bad", "trust": 0.1, "age_days": 99.0}
    chunks = [
        made_chunk("a", **worst),  # type: ignore[arg-type]  # keywords of mixed types
        made_chunk("b", **worst),  # type: ignore[arg-type]  # keywords of mixed types
        made_chunk("c", trust=0.1, age_days=99),
        made_chunk("d", age_days=99),
    ]
    ranking = reranked(made_pool(chunks, [math.inf, 0.0, 0.0, 0.0]), config, policy=policy)
    codes = {ranking.pool.chunks[row].chunk_id: why.code for row, why in ranking.excluded.items()}
    assert codes == {
        "a": ExclusionCode.UNSCORED,
        "b": ExclusionCode.BLOCKED_SOURCE,
        "c": ExclusionCode.BELOW_TRUST,
        "d": ExclusionCode.STALE,
    }


def test_an_age_just_over_the_limit_does_not_read_like_the_limit() -> None:
    pool = made_pool([made_chunk("a", age_days=730.01)], [0.5])
    assert out_of(reranked(pool, RerankConfig(max_age_days=730))) == {
        "a": "stale (age 730.1 days, limit 730)"
    }


def test_the_stricter_of_profile_and_policy_holds() -> None:
    chunks = [made_chunk("a", trust=0.5, age_days=50), made_chunk("b", trust=0.7, age_days=20)]
    pool = made_pool(chunks, [0.5, 0.5])
    strict = KnowledgeBasePolicy(name="kb", min_trust=0.6)
    assert list(out_of(reranked(pool, RerankConfig(min_trust=0.1), policy=strict))) == ["a"]
    assert list(out_of(reranked(pool, RerankConfig(min_trust=0.6)))) == ["a"]
    recent = KnowledgeBasePolicy(name="kb", max_age_days=30)
    assert list(out_of(reranked(pool, RerankConfig(max_age_days=99), policy=recent))) == ["a"]
    assert list(out_of(reranked(pool, RerankConfig(max_age_days=30), policy=recent))) == ["a"]


def test_unknown_trust_is_not_below_and_an_unknown_date_not_stale() -> None:
    ranking = reranked(
        made_pool([made_chunk("a")], [0.5]), RerankConfig(min_trust=0.9, max_age_days=1)
    )
    assert order_of(ranking) == ["a"]


def test_required_chunks_pass_every_filter() -> None:
    chunk = made_chunk("a", trust=0.0, age_days=9_999)
    config = RerankConfig(min_trust=0.9, max_age_days=1, min_relevance=0.9)
    ranking = reranked(
        made_pool([chunk], [math.nan]), config, reserved={"a": InclusionCode.MANDATORY}
    )
    assert ranking.reserved == ((0, InclusionCode.MANDATORY),)
    assert not ranking.excluded
    assert math.isfinite(ranking.signals.score[row_of(ranking, "a")])


@pytest.mark.parametrize("code", list(InclusionCode)[:3])
def test_a_required_chunk_of_a_blocked_source_is_a_configuration_error(
    code: InclusionCode,
) -> None:
    policy = KnowledgeBasePolicy(name="tax", blocked_sources=("spam_*",))
    pool = made_pool([made_chunk("a", source="spam_blog")], [0.5])
    with pytest.raises(ConfigError, match=rf"Chunk 'a' is {code.value}.*'spam_blog'.*'spam_\*'"):
        reranked(pool, policy=policy, reserved={"a": code})


def test_a_required_chunk_that_nobody_retrieved_is_an_error() -> None:
    with pytest.raises(ConfigError, match="ghost"):
        reranked(made_pool([made_chunk("a")], [0.5]), reserved={"ghost": InclusionCode.PINNED})

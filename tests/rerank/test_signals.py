"""The signals one by one."""

from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.rerank.coverage import added_coverage, topic_strengths
from packhorse.rerank.deduplication import highest_similarity, similarities
from packhorse.rerank.freshness import ages_in_days, freshness_signal
from packhorse.rerank.relevance import relevance_signal, unscored
from packhorse.rerank.trust import stated_trust, trust_signal
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.topics import TopicMention
from tests.rerank.making import AS_OF, made_chunk, made_pool


def test_relevance_has_six_decimals_and_nan_for_what_is_not_finite() -> None:
    chunks = [made_chunk(name) for name in "abcd"]
    signal = relevance_signal(made_pool(chunks, [0.12345678, np.nan, np.inf, 0.0]))
    assert signal[0] == 0.123457
    assert unscored(signal).tolist() == [False, True, True, False]


def test_trust_nobody_stated_is_neutral() -> None:
    stated = stated_trust([made_chunk("a", trust=0.0), made_chunk("b"), made_chunk("c", trust=1.0)])
    assert trust_signal(stated).tolist() == [0.0, 0.5, 1.0]


def test_freshness_halves_with_every_half_life() -> None:
    ages = np.array([0.0, 30.0, 60.0, 90.0])
    assert freshness_signal(ages, 30.0).tolist() == [1.0, 0.5, 0.25, 0.125]


def test_future_dates_are_as_fresh_as_today_and_unknown_ones_neutral() -> None:
    chunks = [made_chunk("future", age_days=-400), made_chunk("unknown")]
    ages = ages_in_days(chunks, AS_OF)
    assert ages[0] == -400
    assert freshness_signal(ages, 30.0).tolist() == [1.0, 0.5]


def test_age_does_not_depend_on_how_a_zone_is_written() -> None:
    instant = AS_OF - timedelta(days=30)
    spellings = [
        instant,
        instant.astimezone(timezone(timedelta(hours=2))),
        instant.replace(tzinfo=None),
    ]
    chunks = [
        Chunk(chunk_id=str(n), source_id="s", text="t", timestamp=when)
        for n, when in enumerate(spellings)
    ]
    assert ages_in_days(chunks, AS_OF).tolist() == [30.0, 30.0, 30.0]
    naive_as_of = datetime(2026, 6, 1)  # noqa: DTZ001 - a date without a zone is what is tested
    assert ages_in_days(chunks, naive_as_of).tolist() == [30.0, 30.0, 30.0]


def pool_of(chunks: list[Chunk], **mentions: tuple[TopicMention, ...]) -> CandidatePool:
    relevance = np.zeros(len(chunks))
    return CandidatePool(chunks=tuple(chunks), relevance=relevance, mentions=mentions)


def test_a_text_counts_for_a_chunk_without_tags_alone() -> None:
    said = (TopicMention(topic="x", strength=0.5), TopicMention(topic="other", strength=0.8))
    pool = pool_of([made_chunk("a"), made_chunk("b", topics={"y": 1.0})], a=said, b=said)
    assert topic_strengths(pool, ("x", "y")).tolist() == [[0.5, 0.0], [0.0, 1.0]]


def test_a_topic_is_known_by_its_words_however_it_is_written() -> None:
    tags = {"Home Office": 0.4, "home-office": 0.9}
    pool = pool_of([made_chunk("a", topics=tags), made_chunk("b", topics={"office": 1.0})])
    assert topic_strengths(pool, ("HOME_OFFICE", "home office")).tolist() == [[0.9, 0.9], [0, 0]]


def test_coverage_is_the_share_of_all_topics_that_a_chunk_would_add() -> None:
    chunks = [made_chunk("a", topics={"x": 1.0, "z": 1.0}), made_chunk("b", topics={"y": 0.5})]
    strengths = topic_strengths(pool_of(chunks), ("x", "y", "w"))
    assert added_coverage(strengths, np.zeros(3)).tolist() == [0.333333, 0.166667]


def test_a_topic_half_covered_can_only_be_raised_by_the_other_half() -> None:
    strengths = topic_strengths(pool_of([made_chunk("a", topics={"x": 0.8})]), ("x",))
    assert added_coverage(strengths, np.array([0.5])).tolist() == [0.3]
    assert added_coverage(strengths, np.array([0.9])).tolist() == [0.0]


def test_coverage_is_nothing_when_nothing_is_required() -> None:
    strengths = topic_strengths(pool_of([made_chunk("a", topics={"x": 0.8})]), ())
    assert added_coverage(strengths, np.zeros(0)).tolist() == [0.0]


def test_similarity_is_a_cosine_from_0_to_1_in_millionths() -> None:
    right = np.array([[1.0, 0.0]], dtype=np.float32)
    left = np.array([[1.0, 0.0], [-1.0, 0.0], [0.6, 0.8], [0.0, 0.0]], dtype=np.float32)
    assert similarities(left, right)[:, 0].tolist() == [1e6, 0.0, 6e5, 0.0]


def test_similarity_to_nothing_is_nothing() -> None:
    rows = np.ones((3, 2), dtype=np.float32)
    assert highest_similarity(rows, np.zeros((0, 2))).tolist() == [0.0, 0.0, 0.0]
    assert highest_similarity(rows[:0], rows).tolist() == []
    assert highest_similarity(np.zeros((3, 0)), np.zeros((2, 0))).tolist() == [0.0, 0.0, 0.0]


def test_blocks_do_not_change_the_highest_similarity() -> None:
    angles = np.linspace(0.0, 3.0, 1_100)
    rows = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    assert highest_similarity(rows, rows[:2]).tolist() == (
        similarities(rows, rows[:2]).max(axis=1).tolist()
    )


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=8))
def test_trust_stays_in_0_to_1(trusts: list[float | None]) -> None:
    chunks = [made_chunk(str(n), trust=trust) for n, trust in enumerate(trusts)]
    signal = trust_signal(stated_trust(chunks))
    assert ((signal >= 0) & (signal <= 1)).all()


@pytest.mark.parametrize("half_life", [0.5, 30.0, 1e9])
@given(age=st.floats(-1e6, 1e6))
def test_freshness_stays_in_0_to_1_and_never_rises_with_age(half_life: float, age: float) -> None:
    younger, older = freshness_signal(np.array([age, age + 1.0]), half_life)
    assert 0.0 <= older <= younger <= 1.0

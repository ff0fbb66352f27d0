"""Coverage says which topics are there, how strongly, and in which chunk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import CoverageConfig, TopicConfig
from packhorse.text.topics import mentions_of
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query
from packhorse.types.verdict import Coverage, FoundBy, Status
from packhorse.verify.coverage import coverage_check, measure_coverage
from tests.strategies import AS_OF, chunk_lists

CONFIG = CoverageConfig()
TOPICS = ("deduction_definition", "eligibility", "calculation")


def chunk(chunk_id: str, text: str = "", **tags: float) -> Chunk:
    return Chunk(
        chunk_id=chunk_id, source_id="s", text=text, topic_tags=tuple(sorted(tags.items()))
    )


def measure(packed: list[Chunk], topics: tuple[str, ...], *, in_domain: bool = True) -> Coverage:
    pool = CandidatePool(
        chunks=tuple(packed),
        relevance=np.zeros(len(packed)),
        in_domain=in_domain,
        mentions=mentions_of(packed, sorted(topics), {}),
    )
    query = Query(text="q", as_of=AS_OF, query_type="tax", required_topics=topics)
    return measure_coverage(query, pool, packed, CONFIG)


def test_two_of_three_topics_score_two_thirds() -> None:
    coverage = measure([chunk("a", deduction_definition=1.0), chunk("b", eligibility=1.0)], TOPICS)
    assert coverage.score == 0.666667
    assert coverage.covered == ("deduction_definition", "eligibility")
    assert coverage.missing == ("calculation",)
    check = coverage_check(coverage, CONFIG)
    assert check.status is Status.WARN
    assert check.detail == "0.67 (2/3 required topics present; missing: calculation)"


def test_a_topic_that_nobody_has_is_told_with_the_nearest_one() -> None:
    packed = [chunk("a", home_office=1.0), chunk("b", eligibility=1.0)]
    pool = CandidatePool(chunks=tuple(packed), relevance=np.zeros(2))
    config = CoverageConfig(topics=(TopicConfig(name="record_keeping", terms=("logs",)),))
    coverage = measure(packed, ("Home-Offce", "calculation", "record keepings"))
    assert coverage_check(coverage, config, pool).detail == (
        "0.00 (0/3 required topics present"
        "; no topic is called Home-Offce: did you mean home_office?"
        "; no topic is called record keepings: did you mean record_keeping?)"
    )


def test_a_topic_that_a_candidate_has_is_no_slip() -> None:
    packed, out = [chunk("a", fees=1.0)], chunk("b", fee=1.0)
    pool = CandidatePool(chunks=(*packed, out), relevance=np.zeros(2))
    check = coverage_check(measure(packed, ("fee", "fees")), CONFIG, pool)
    assert check.detail == "0.50 (1/2 required topics present; missing: fee)"


def test_a_weak_topic_is_partial_and_the_score_is_the_mean_strength() -> None:
    packed = [chunk("a", one=1.0, two=1.0), chunk("b", three=1.0), chunk("c", four=0.72)]
    coverage = measure(packed, ("one", "two", "three", "four"))
    assert coverage.partial == ("four",)
    assert coverage.score == 0.93
    check = coverage_check(coverage, CONFIG)
    assert check.status is Status.PASS
    assert check.detail == "0.93 (4/4 required topics present, 1 partial)"


def test_the_strongest_chunk_is_the_evidence_and_ties_go_to_the_smaller_id() -> None:
    packed = [chunk("c", t=0.9), chunk("b", t=0.9), chunk("a", t=0.2)]
    coverage = measure(packed, ("t",))
    assert coverage.evidence == (("t", "b"),)
    assert coverage.strengths == (("t", 0.9),)


def test_nothing_required_is_full_coverage() -> None:
    coverage = measure([], ())
    assert coverage.score == 1.0
    assert coverage_check(coverage, CONFIG) == coverage_check(coverage, CoverageConfig(min_score=1))
    assert coverage_check(coverage, CONFIG).status is Status.PASS


def test_a_query_outside_the_corpus_is_covered_by_nothing() -> None:
    coverage = measure([chunk("a", one=1.0)], ("one", "two"), in_domain=False)
    assert coverage.score == 0.0
    assert coverage.missing == ("one", "two")
    assert coverage.evidence == ()
    assert not coverage.in_domain
    check = coverage_check(coverage, CONFIG)
    assert check.status is Status.WARN
    assert check.detail == "0.00 (0/2 required topics present)"


def test_nothing_packed_covers_nothing() -> None:
    assert measure([], TOPICS).score == 0.0


def test_one_missing_topic_warns_however_high_the_score() -> None:
    packed = [chunk(f"c{n}", "", **{f"t{n}": 1.0}) for n in range(19)]
    coverage = measure(packed, tuple(f"t{n}" for n in range(20)))
    assert coverage.score == 0.95
    assert coverage_check(coverage, CONFIG).status is Status.WARN


def test_topics_are_one_whatever_joins_their_words() -> None:
    tagged = Chunk(chunk_id="a", source_id="s", text="", topic_tags=(("Home-Office rules", 1.0),))
    assert measure([tagged], ("home_office_rules",)).covered == ("home_office_rules",)


def test_without_tags_words_give_half_strength_and_are_named() -> None:
    packed = [chunk("a", "The deductions are limited."), chunk("b", "Eligible people file.")]
    coverage = measure(packed, ("deduction_limits", "eligibility", "art"))
    assert coverage.strengths == (
        ("art", 0.0),
        ("deduction_limits", 0.5),
        ("eligibility", 0.5),
    )
    assert dict(coverage.found_by)["deduction_limits"] == FoundBy(
        by="text", words=("deduction", "limits")
    )
    assert "deduction_limits: only the words deduction, limits in a" in (
        coverage_check(coverage, CONFIG).detail
    )


def test_a_chunk_goes_by_its_tags_where_it_has_any_and_by_its_text_where_not() -> None:
    tagged = chunk("b", "All about limits.", other=1.0)
    coverage = measure([chunk("a", "All about eligibility."), tagged], ("eligibility", "limits"))
    assert coverage.strengths == (("eligibility", 0.5), ("limits", 0.0))
    both = measure([chunk("a", "Eligibility."), chunk("b", eligibility=0.4)], ("eligibility",))
    assert both.found_by == (("eligibility", FoundBy(by="text", words=("eligibility",))),)
    stronger = measure([chunk("a", "Eligibility."), chunk("b", eligibility=0.6)], ("eligibility",))
    assert stronger.found_by == (("eligibility", FoundBy(by="tags")),)


def test_a_header_says_what_a_chunk_is_about() -> None:
    headed = Chunk(chunk_id="a", source_id="s", text="Read on.", header="Eligibility")
    assert measure([headed], ("eligibility",)).strengths == (("eligibility", 0.8),)


def test_a_topic_of_small_words_alone_is_missing() -> None:
    assert measure([chunk("a", "of the")], ("of the",)).missing == ("of the",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The frame is not covered by it.", 0.5),
        ("The frame is covered by it.", 0.0),
        ("It does not apply. The frame is covered.", 0.0),
        ("It isn't covered.", 0.5),
    ],
)
def test_a_negated_topic_needs_the_negation_in_the_same_sentence(
    text: str, expected: float
) -> None:
    assert measure([chunk("a", text)], ("not covered",)).strengths[0][1] == expected


@given(
    chunk_lists(),
    st.lists(st.sampled_from(("eligibility", "limits", "forms", "records")), unique=True),
    st.booleans(),
)
def test_every_topic_is_covered_partial_or_missing(
    packed: list[Chunk], topics: list[str], in_domain: bool
) -> None:
    coverage = measure(packed, tuple(topics), in_domain=in_domain)
    parts = (*coverage.covered, *coverage.partial, *coverage.missing)
    assert sorted(parts) == sorted(topics)
    assert 0.0 <= coverage.score <= 1.0
    assert [topic for topic, _ in coverage.strengths] == sorted(topics)
    assert {topic for topic, _ in coverage.evidence} == {*coverage.covered, *coverage.partial}

"""A question is inside when something that was found is close to it."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from packhorse.config import KnowledgeBasePolicy, RetrievalConfig
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.retrieve.domain import MINILM, DomainThresholds, domain_of, thresholds
from packhorse.retrieve.hybrid import HybridRetriever
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query, TypeReason

MANY = 100
"""Chunks from which on the thresholds hold as they are."""
CONFIG = RetrievalConfig(min_domain_closeness=0.3, min_domain_share=0.2, sure_domain_cosine=0.55)


@pytest.mark.parametrize(
    ("shares", "cosines", "is_inside"),
    [
        ([0.6, 0.0], [0.0, 0.1], True),
        ([0.0, 0.0], [0.6, 0.1], True),
        ([0.3, 0.1], [0.3, 0.2], True),
        ([0.5, 0.0], [0.0, 0.5], False),
        ([0.0, 0.0], [0.55, 0.1], True),
        ([0.0, 0.0], [0.54, 0.1], False),
        ([np.nan, 0.0], [0.9, 0.1], False),
        ([0.2, 0.0], None, True),
        ([0.19, 0.1], None, False),
    ],
)
def test_one_chunk_has_to_be_close_by_words_and_direction_together(
    shares: list[float], cosines: list[float] | None, is_inside: bool
) -> None:
    found = np.array([True, True])
    directions = None if cosines is None else np.array(cosines)
    assert (
        domain_of(np.array(shares), directions, found, CONFIG, n_chunks=MANY).is_inside is is_inside
    )


@pytest.mark.parametrize(
    ("embedder", "shares", "cosines", "is_inside"),
    [
        (MiniLmEmbedder.fingerprint, [0.0], [0.45], True),
        (MiniLmEmbedder.fingerprint, [0.16], [0.4], True),
        (MiniLmEmbedder.fingerprint, [0.15], [0.4], False),
        ("another model", [0.15], [0.9], False),
        ("another model", [0.2], [0.1], True),
    ],
)
def test_cosines_are_judged_where_those_of_the_embedder_were_measured(
    embedder: str, shares: list[float], cosines: list[float], is_inside: bool
) -> None:
    found = np.array([True])
    told = domain_of(
        np.array(shares),
        np.array(cosines),
        found,
        RetrievalConfig(),
        n_chunks=MANY,
        embedder=embedder,
    )
    assert told.is_inside is is_inside


def test_a_profile_says_what_the_cosines_of_another_embedder_mean() -> None:
    assert thresholds(RetrievalConfig(), "another model") is None
    said = RetrievalConfig(min_domain_closeness=0.5)
    assert thresholds(said, "another model") == DomainThresholds(closeness=0.5, sure_cosine=1.0)
    assert thresholds(said, MiniLmEmbedder.fingerprint) == replace(MINILM, closeness=0.5)


def test_what_was_not_found_says_nothing_of_the_question() -> None:
    shares, found = np.array([1.0, 0.1]), np.array([False, True])
    told = domain_of(shares, np.array([1.0, 0.2]), found, CONFIG, n_chunks=MANY)
    assert not told.is_inside
    assert told.evidence == (
        ("closeness", 0.15),
        ("lexical_share", 0.1),
        ("max_similarity", 0.2),
        ("min_domain_closeness", 0.3),
    )


def test_a_sure_cosine_is_said_where_it_decides() -> None:
    found = np.array([True])
    told = domain_of(np.array([0.0]), np.array([0.58]), found, CONFIG, n_chunks=MANY)
    assert told.is_inside
    assert told.evidence[-2:] == (("min_domain_closeness", 0.3), ("sure_domain_cosine", 0.55))
    told = domain_of(np.array([0.5]), np.array([0.58]), found, CONFIG, n_chunks=MANY)
    assert told.evidence[-1] == ("min_domain_closeness", 0.3)


def test_nothing_found_is_outside() -> None:
    nothing = np.zeros(0)
    told = domain_of(nothing, None, nothing.astype(bool), CONFIG, n_chunks=MANY)
    assert (told.is_inside, dict(told.evidence)["lexical_share"]) == (False, 0.0)


@pytest.mark.parametrize(
    ("by", "share", "is_inside"),
    [
        ("example", 0.01, True),
        ("example", 0.0, False),
        ("keywords", 0.01, False),
    ],
)
def test_a_question_like_an_example_is_inside_when_anything_was_found(
    by: str, share: float, is_inside: bool
) -> None:
    asked = TypeReason(by=by, example="What does a visa cost?", similarity=0.8)
    shares, found = np.array([share]), np.array([True])
    for directions in (None, np.array([share])):
        told = domain_of(shares, directions, found, CONFIG, n_chunks=MANY, asked=asked)
        assert told.is_inside is is_inside
        assert (("example", 0.8) in told.evidence) is (by == "example")
        assert list(told.evidence) == sorted(told.evidence)


def test_a_share_of_words_is_measured_against_what_a_small_corpus_can_reach() -> None:
    shares, found = np.array([0.07]), np.array([True])
    told = domain_of(shares, None, found, CONFIG, n_chunks=3)
    assert told.is_inside
    assert told.evidence == (
        ("chunks", 3.0),
        ("lexical_share", 0.233037),
        ("min_domain_share", 0.2),
        ("reachable_share", 0.300381),
    )
    assert domain_of(shares, np.array([0.4]), found, CONFIG, n_chunks=3).is_inside
    for n_chunks in (50, MANY):
        assert not domain_of(shares, None, found, CONFIG, n_chunks=n_chunks).is_inside
    strict = RetrievalConfig(domain_chunks=1)
    assert domain_of(shares, None, found, strict, n_chunks=1).evidence[0] == ("lexical_share", 0.07)


DOCUMENT = (
    "Employees have 30 days of paid leave a year. Leave is requested from the team lead.",
    "Days of illness during a holiday are given back against a certificate of a doctor.",
    "The summer party takes place at the lake, and partners are welcome.",
    "Travel is booked by the office. Trains are preferred to flights within the country.",
    "A laptop is replaced every four years, a phone every three.",
)


@pytest.mark.parametrize("n_chunks", [1, 2, 3, 5])
def test_an_honest_question_is_inside_a_corpus_of_few_chunks(n_chunks: int) -> None:
    chunks = [
        Chunk(chunk_id=str(at), source_id="handbook", text=text)
        for at, text in enumerate(DOCUMENT[:n_chunks])
    ]
    retriever = HybridRetriever(
        MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name="handbook")), RetrievalConfig()
    )
    honest = ("How many days of leave do I get?", "Who do I have to ask for paid leave?")
    strangers = ("What is the capital of France?", "How does quantum computing work?")
    inside = [
        retriever.retrieve(Query(text=text, as_of=datetime(2026, 1, 1, tzinfo=UTC))).in_domain
        for text in (*honest, *strangers)
    ]
    assert inside == [True, True, False, False]

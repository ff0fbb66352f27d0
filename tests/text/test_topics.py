"""What a text offers of a topic is on a declared scale, and says by which words."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.profiles.profile import load_profile
from packhorse.text.topics import mentions_of, topic_key
from packhorse.types.chunk import Chunk
from tests.strategies import chunk_lists

FIXTURES = Path(__file__).parents[2] / "fixtures"
TERMS = ("receipt", "canceled check", "receipts", "?!", "records")


def offered(
    text: str, header: str = "", *, topic: str = "written_records", listed: Sequence[str] = TERMS
) -> tuple[float, tuple[str, ...]]:
    chunk = Chunk(chunk_id="a", source_id="s", text=text, header=header)
    found = mentions_of([chunk], [topic], {topic_key(topic): listed})
    return (found["a"][0].strength, found["a"][0].words) if found else (0.0, ())


@pytest.mark.parametrize(
    ("text", "header", "strength", "words"),
    [
        ("Nothing of it.", "", 0.0, ()),
        ("A receipt will do.", "", 0.5, ("receipt",)),
        ("Receipts, receipts and one receipt.", "", 0.5, ("receipt",)),
        ("A receipt or a canceled check.", "", 0.75, ("receipt", "canceled check")),
        ("The check was canceled.", "", 0.0, ()),
        ("Records in writing.", "", 0.625, ("records",)),
        ("Written records: a receipt.", "", 0.875, ("written", "records", "receipt")),
        ("Read on.", "Receipts", 0.8, ("receipt",)),
        ("Read on.", "Written records", 0.96, ("written", "records")),
        ("A receipt.", "Receipts", 0.8, ("receipt",)),
    ],
)
def test_each_piece_of_evidence_takes_its_share_of_the_doubt(
    text: str, header: str, strength: float, words: tuple[str, ...]
) -> None:
    assert offered(text, header) == (strength, words)


def test_the_name_alone_is_enough_and_as_a_term_counts_once() -> None:
    assert offered("Home office.", topic="home_office", listed=()) == (0.5, ("home", "office"))
    assert offered("Home office.", topic="home_office", listed=("Home-Office",))[0] == 0.5


def test_tagged_chunks_are_not_read() -> None:
    chunk = Chunk(chunk_id="a", source_id="s", text="receipt", topic_tags=(("x", 1.0),))
    assert mentions_of([chunk], ["receipt"], {}) == {}


@given(chunk_lists(), st.lists(st.sampled_from(("one", "two words", "not it")), unique=True))
def test_strengths_are_shares_and_more_terms_never_weaken_one(
    chunks: list[Chunk], topics: list[str]
) -> None:
    bare = mentions_of(chunks, topics, {})
    rich = mentions_of(chunks, topics, {topic: ["a", "the"] for topic in topics})
    assert mentions_of(reversed(chunks), topics, {}) == bare
    for chunk_id, mentions in bare.items():
        more = {each.topic: each.strength for each in rich[chunk_id]}
        for each in mentions:
            assert 0 < each.strength <= more[each.topic] <= 1
            assert each.words


@pytest.mark.parametrize(("kb", "least"), [("tax_kb", 0.8), ("medical_kb", 0.65)])
def test_without_their_tags_sample_chunks_are_still_told_apart(kb: str, least: float) -> None:
    """How often a chunk that was tagged with a topic is above one that was not, ties half."""
    config = load_profile(FIXTURES / kb / "profile.yaml").coverage
    lines = (FIXTURES / kb / "chunks.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    chunks = [
        Chunk(chunk_id=r["chunk_id"], source_id="s", text=r["text"], header=r.get("header", ""))
        for r in records
    ]
    tagged = {topic for record in records for topic in record["topic_tags"]}
    topics = sorted({t for each in config.query_types for t in each.required_topics} & tagged)
    listed = {topic_key(each.name): each.terms for each in config.topics}
    found = mentions_of(chunks, topics, listed)
    right = pairs = 0.0
    for topic in topics:
        strengths = {
            record["chunk_id"]: next(
                (m.strength for m in found.get(record["chunk_id"], ()) if m.topic == topic), 0.0
            )
            for record in records
        }
        inside = [strengths[r["chunk_id"]] for r in records if topic in r["topic_tags"]]
        others = [strengths[r["chunk_id"]] for r in records if topic not in r["topic_tags"]]
        pairs += len(inside) * len(others)
        right += sum((a > b) + (a == b) / 2 for a in inside for b in others)
    assert right / pairs >= least

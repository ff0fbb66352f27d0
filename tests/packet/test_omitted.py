"""Which candidates a packet counts as left out for want of room, and which of them as relevant."""

from typing import Any

from packhorse.packet.omitted import omitted_entries, relevant_among


def entry(name: str, relevance: float | None, rank: int | None = 1) -> dict[str, Any]:
    return {
        "chunk_id": name,
        "relevance_score": relevance,
        "rank": rank,
        "reason_code": "exceeded_remaining_budget",
        "tokens": 10,
    }


def document(*excluded: dict[str, Any], in_domain: bool = True) -> dict[str, Any]:
    return {
        "packed_chunks": [],
        "excluded_chunks": list(excluded),
        "coverage": {"in_domain": in_domain},
        "packing": {"room": 5},
    }


def names(entries: Any) -> list[str]:
    return [each["chunk_id"] for each in entries]


def test_relevant_is_from_half_of_the_best_that_was_ranked() -> None:
    found = document(
        entry("best", 0.8), entry("half", 0.4), entry("less", 0.399999), entry("out", 1.0, None)
    )
    assert names(omitted_entries(found, relevant=True)) == ["best", "half", "out"]
    assert names(omitted_entries(found)) == ["best", "half", "less", "out"]


def test_without_a_relevance_nothing_is_relevant_however_low_the_floor_is() -> None:
    found = document(entry("none", None), entry("zero", 0.0))
    assert names(relevant_among(found, found["excluded_chunks"])) == ["zero"]
    assert names(omitted_entries(document(entry("none", None)), relevant=True)) == []


def test_outside_the_corpus_nothing_is_relevant() -> None:
    assert names(omitted_entries(document(entry("a", 0.9), in_domain=False), relevant=True)) == []

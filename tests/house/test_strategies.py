"""The shared strategies keep what they promise, and reach what they are for."""

from hypothesis import Phase, find, given, settings

from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from tests.strategies import chunk_lists, pools, raw_texts, texts

# Looks for an example and does not try to make it smaller, which would take minutes.
SEARCH = settings(max_examples=2_000, database=None, phases=[Phase.generate])


@given(texts())
def test_texts_are_as_after_ingestion(text: str) -> None:
    text.encode("utf-8")
    assert "\r" not in text


@given(chunk_lists())
def test_chunk_ids_are_unique_and_never_empty(chunks: list[Chunk]) -> None:
    ids = [chunk.chunk_id for chunk in chunks]
    assert all(ids)
    assert len(set(ids)) == len(ids)


@given(pools())
def test_pools_are_best_first_with_ties_by_id(pool: CandidatePool) -> None:
    keys = [
        (-score, chunk.chunk_id) for score, chunk in zip(pool.relevance, pool.chunks, strict=True)
    ]
    assert keys == sorted(keys)
    assert pool.vectors is None or len(pool.vectors) == len(pool)


def test_raw_texts_hold_lone_surrogates() -> None:
    found = find(
        raw_texts(), lambda text: any(0xD800 <= ord(c) < 0xE000 for c in text), settings=SEARCH
    )
    assert found


def test_pools_hold_ties() -> None:
    tied = find(
        pools(min_size=2),
        lambda pool: len(set(pool.relevance.tolist())) < len(pool),
        settings=SEARCH,
    )
    assert len(tied) >= 2

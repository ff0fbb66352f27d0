"""Diversity counts sources that say something of their own."""

import pytest
from hypothesis import given

from packhorse.config import VerifyConfig
from packhorse.types.chunk import Chunk
from packhorse.types.verdict import Check, Status
from packhorse.verify.diversity import diversity_check, measure_diversity
from tests.strategies import chunk_lists


def chunks(*pairs: tuple[str, str]) -> list[Chunk]:
    return [
        Chunk(chunk_id=f"c{n}", source_id=source, text=text)
        for n, (source, text) in enumerate(pairs)
    ]


def check(packed: list[Chunk], share: float | None = 1.0) -> Check:
    return diversity_check(packed, measure_diversity(packed), VerifyConfig(max_source_share=share))


def test_three_sources_pass() -> None:
    result = check(chunks(("a", "1"), ("b", "2"), ("c", "3")))
    assert (result.status, result.detail) == (Status.PASS, "3 unique sources")


def test_all_from_one_source_warns() -> None:
    result = check(chunks(("a", "1"), ("a", "2")))
    assert result.status is Status.WARN
    assert result.detail == "1 unique source (all 2 chunks come from a)"


def test_switched_off_it_counts_and_warns_of_nothing() -> None:
    result = check(chunks(("a", "1"), ("a", "2")), share=None)
    assert (result.status, result.detail) == (Status.PASS, "1 unique source")


def test_one_chunk_passes() -> None:
    assert check(chunks(("a", "1"))).status is Status.PASS


def test_two_copies_of_one_text_are_one_source() -> None:
    packed = chunks(("a", "The same  text."), ("b", "the same text."))
    assert measure_diversity(packed).unique_sources == 1
    assert check(packed).detail == "1 unique source (all 2 chunks repeat the text of a)"


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("a", "x"), ("b", "x"), ("b", "y")], 1),
        ([("b", "x"), ("a", "x"), ("b", "y")], 1),
        ([("a", "x"), ("b", "x"), ("c", "y")], 2),
        ([("a", "x"), ("b", "x"), ("b", "y"), ("c", "y")], 2),
    ],
)
def test_a_copy_is_counted_for_a_source_that_stands_on_its_own(
    pairs: list[tuple[str, str]], expected: int
) -> None:
    assert measure_diversity(chunks(*pairs)).unique_sources == expected


def test_the_configured_share_warns_earlier() -> None:
    packed = chunks(("a", "1"), ("a", "2"), ("a", "3"), ("b", "4"))
    assert check(packed).status is Status.PASS
    result = check(packed, 0.75)
    assert result.status is Status.WARN
    assert result.detail == "2 unique sources (a holds 3 of 4 chunks)"


def test_nothing_packed_has_no_sources() -> None:
    measured = measure_diversity([])
    assert (measured.unique_sources, measured.largest_share) == (0, 0.0)
    assert check([]).status is Status.PASS


@given(chunk_lists())
def test_never_more_sources_than_ids_and_never_none_for_some_chunk(packed: list[Chunk]) -> None:
    measured = measure_diversity(packed)
    assert bool(packed) <= measured.unique_sources <= len({c.source_id for c in packed})
    assert measure_diversity(packed[::-1]) == measured

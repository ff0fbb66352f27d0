"""A query gets the type whose words it uses most."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import CoverageConfig, QueryTypeConfig
from packhorse.types.query import TypeReason
from packhorse.verify.query_type import query_type_of

TAX = QueryTypeConfig(name="tax", keywords=("deduct", "home office"), required_topics=("limits",))
DRUG = QueryTypeConfig(name="drug", keywords=("interaction", "dose", "deduct"))
OTHER = QueryTypeConfig(name="other", required_topics=("any",))
COVERAGE = CoverageConfig(query_types=(TAX, DRUG, OTHER), default_query_type="other")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Can I deduct home office expenses?", TAX),
        ("DEDUCTIONS for a dose", DRUG),
        ("deducting", DRUG),
        ("interactions of two drugs", DRUG),
        ("the office at home", OTHER),
        ("doses", DRUG),
        ("overdosed", OTHER),
        ("", OTHER),
    ],
)
def test_the_type_with_the_most_keywords_wins(text: str, expected: QueryTypeConfig) -> None:
    assert query_type_of(text, COVERAGE).query_type == expected


def test_ties_go_to_the_smaller_name_in_any_order() -> None:
    swapped = CoverageConfig(query_types=(DRUG, TAX))
    found = query_type_of("deduct", COVERAGE)
    assert found == query_type_of("deduct", swapped)
    assert found.query_type == DRUG
    assert found.reason == TypeReason(by="keywords", keywords=("deduct",), tied_with=("tax",))


def test_keywords_of_one_stem_count_once() -> None:
    many = QueryTypeConfig(name="z", keywords=("deduct", "deducting", "deducted"))
    coverage = CoverageConfig(query_types=(many, TAX))
    assert query_type_of("deduct the home office", coverage).query_type == TAX


def test_an_undefined_default_requires_nothing() -> None:
    found = query_type_of("hello", CoverageConfig())
    assert found.query_type == QueryTypeConfig(name="default")
    assert found.reason == TypeReason(by="default")


def test_a_blank_keyword_never_matches() -> None:
    blank = QueryTypeConfig(name="a", keywords=("?!",))
    assert query_type_of("?!", CoverageConfig(query_types=(blank,))).query_type.name == "default"


ASKED = "How much room may I write off?"
ROOMS = QueryTypeConfig(name="rooms", examples=("How much room may I write off for work?",))
CARS = QueryTypeConfig(name="cars", examples=("May I write off my car?", "Is a lorry a car?"))
BY_EXAMPLE = CoverageConfig(query_types=(ROOMS, CARS), default_query_type="cars")


def test_without_a_keyword_the_likest_example_decides() -> None:
    found = query_type_of(ASKED, BY_EXAMPLE)
    assert found.query_type == ROOMS
    # much, room, may, write, off of six, and work besides: 5 / sqrt(5 * 6)
    assert found.reason == TypeReason(by="example", example=ROOMS.examples[0], similarity=0.912871)
    assert str(found.reason) == f"example {ROOMS.examples[0]!r} (0.91)"


def test_an_example_below_the_threshold_decides_nothing() -> None:
    strict = CoverageConfig(query_types=(ROOMS,), min_example_similarity=0.92)
    assert query_type_of(ASKED, strict).reason.by == "default"


def test_an_example_without_a_word_in_common_is_like_nothing_at_any_threshold() -> None:
    lax = CoverageConfig(query_types=(ROOMS,), min_example_similarity=0.0)
    assert query_type_of("zebra", lax).reason.by == "default"


def test_direction_counts_as_much_as_words() -> None:
    asked: list[str] = []

    def cosines(texts: Sequence[str]) -> list[float]:
        asked.extend(texts)
        return [1.0 if "lorry" in text else 0.0 for text in texts]

    found = query_type_of("Can trucks be deducted?", BY_EXAMPLE, cosines)
    assert (found.query_type, found.reason.example) == (CARS, "Is a lorry a car?")
    assert found.reason.similarity == 0.5
    assert asked == sorted((*ROOMS.examples, *CARS.examples))


def test_a_keyword_decides_before_any_example_and_asks_no_embedder() -> None:
    keyed = QueryTypeConfig(name="keyed", keywords=("zebra",))
    coverage = CoverageConfig(query_types=(ROOMS, keyed))

    def never(_texts: Sequence[str]) -> None:
        raise AssertionError("an embedder was asked")

    found = query_type_of(f"{ROOMS.examples[0]} zebra", coverage, never)
    assert (found.query_type, found.reason.keywords) == (keyed, ("zebra",))


def test_examples_tell_types_apart_that_are_equal_by_keywords() -> None:
    one = QueryTypeConfig(name="a", keywords=("room",), examples=("Which room is larger?",))
    two = QueryTypeConfig(name="b", keywords=("write off",), examples=(ASKED,))
    found = query_type_of(ASKED, CoverageConfig(query_types=(one, two)))
    assert found.query_type == two
    assert found.reason == TypeReason(
        by="keywords", keywords=("write off",), example=ASKED, similarity=1.0
    )


def test_equal_examples_are_a_tie_that_the_name_decides() -> None:
    same = CoverageConfig(
        query_types=tuple(QueryTypeConfig(name=name, examples=(ASKED,)) for name in "cab")
    )
    found = query_type_of(ASKED, same)
    assert (found.query_type.name, found.reason.tied_with) == ("a", ("b", "c"))
    assert str(found.reason).endswith("(1.00); equal to b, c")


def test_what_a_user_writes_is_never_a_pattern() -> None:
    odd = QueryTypeConfig(name="odd", keywords=("(ab+)+$", "C++"))
    coverage = CoverageConfig(query_types=(odd,))
    assert (
        query_type_of("abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb!", coverage).query_type.name == "default"
    )
    assert query_type_of(".* [a-z]+ (?:x)", coverage).query_type.name == "default"
    assert query_type_of("Why is C++ fast?", coverage).reason.keywords == ("C++",)


@given(st.permutations((TAX, DRUG, OTHER, ROOMS, CARS)), st.text(max_size=40))
def test_the_order_of_types_changes_nothing(types: list[QueryTypeConfig], text: str) -> None:
    first = query_type_of(text, CoverageConfig(query_types=(TAX, DRUG, OTHER, ROOMS, CARS)))
    assert query_type_of(text, CoverageConfig(query_types=tuple(types))) == first

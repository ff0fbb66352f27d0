"""A query gets the type whose words it uses most."""

import pytest

from packhorse.config import CoverageConfig, QueryTypeConfig
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
    assert query_type_of(text, COVERAGE) == expected


def test_ties_go_to_the_smaller_name_in_any_order() -> None:
    swapped = CoverageConfig(query_types=(DRUG, TAX))
    assert query_type_of("deduct", swapped) == query_type_of("deduct", COVERAGE) == DRUG


def test_keywords_of_one_stem_count_once() -> None:
    many = QueryTypeConfig(name="z", keywords=("deduct", "deducting", "deducted"))
    coverage = CoverageConfig(query_types=(many, TAX))
    assert query_type_of("deduct the home office", coverage) == TAX


def test_an_undefined_default_requires_nothing() -> None:
    assert query_type_of("hello", CoverageConfig()) == QueryTypeConfig(name="default")


def test_a_blank_keyword_never_matches() -> None:
    blank = QueryTypeConfig(name="a", keywords=("?!",))
    assert query_type_of("?!", CoverageConfig(query_types=(blank,))).name == "default"

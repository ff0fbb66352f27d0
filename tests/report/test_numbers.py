"""Numbers as they are written."""

import pytest

from packhorse.report import numbers


@pytest.mark.parametrize(
    ("part", "written"),
    [
        (0, "0.0%"),
        (0.0001, "<0.1%"),
        (0.5, "50.0%"),
        (0.978929, "97.9%"),
        (0.99999, "99.9%"),
        (1, "100.0%"),
    ],
)
def test_a_share_is_all_or_nothing_only_when_it_is(part: float, written: str) -> None:
    assert numbers.percent(part) == written


def test_what_is_not_there_is_a_dash() -> None:
    assert numbers.score(None) == numbers.decimals(None) == numbers.share(1, 0) == "–"
    assert numbers.day(None) == "no date"


def test_numbers_are_written_out() -> None:
    assert numbers.integer(128000) == "128,000"
    assert numbers.counted(1, "chunk") == "1 chunk"
    assert numbers.counted(2000, "chunk") == "2,000 chunks"
    assert numbers.counted(2, "query", "queries") == "2 queries"
    assert numbers.score(0.5) == "0.500"
    assert numbers.decimals(-0.0333) == "-0.033300"
    assert numbers.day("2026-01-15T00:00:00Z") == "2026-01-15"
    assert numbers.share(1, 4) == "25.0%"

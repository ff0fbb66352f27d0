"""Values are found with their offsets, and differ only where both cannot hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.verify.consistency import quantities as module
from packhorse.verify.consistency.quantities import Quantity, differ, quantities
from tests.strategies import texts


def one(text: str) -> Quantity:
    (found,) = quantities(text)
    return found


@pytest.mark.parametrize(
    ("text", "value", "kind", "amount"),
    [
        ("The window is 30 days.", "30 days", "duration", 30),
        ("a five-year loan", "five-year", "duration", 5 * 365.25),
        ("It costs $1,234.50 now", "$1,234.50", "money", 1234.5),
        ("about $1.5 million", "$1.5 million", "money", 1_500_000),
        ("pay 20 euros", "20 euros", "money", 20),
        ("a rate of 37.5 %", "37.5 %", "percentage", 37.5),
        ("ten percent of it", "ten percent", "percentage", 10),
        ("born on March 3, 2007", "March 3, 2007", "date", 2007),
        ("on 3rd of March 2007", "3rd of March 2007", "date", 2007),
        ("due 2024-04-15", "2024-04-15", "date", 2024),
        ("in June 2010", "June 2010", "date", 2010),
        ("since 1999", "1999", "date", 1999),
        ("had 3,559 people", "3,559", "number", 3559),
        ("two hundred people", "two hundred", "number", 200),
        ("take 12 mg", "12 mg", "number", 12),
    ],
)
def test_values_are_read_as_written(text: str, value: str, kind: str, amount: float) -> None:
    found = one(text)
    assert text[found.start : found.end] == value
    assert (found.kind, found.amount) == (kind, amount)


@pytest.mark.parametrize(
    "text",
    [
        "Section 12 applies",
        "see Form 1040",
        "as shown [13]",
        "it may be so",
        "version3 of abc123",
        "at 10:30",
        "on Windows 11",
        "no one came",
        "1/2 of it",
    ],
)
def test_labels_and_names_are_no_values(text: str) -> None:
    assert quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("is 30 days", "exact"),
        ("up to 30 days", "max"),
        ("within 30 days", "max"),
        ("no more than 30 days", "max"),
        ("at least 30 days", "min"),
        ("30 days or more", "min"),
        ("about 30 days", "about"),
    ],
)
def test_bounds_are_read_from_the_words_around(text: str, bound: str) -> None:
    assert one(text).bound == bound


@pytest.mark.parametrize(
    "text", ["9 to 12 months", "$5\u2013$7", "between 5 and 6 km", "3 of 10 people", "two to 4 mg"]
)
def test_both_ends_of_a_range_are_a_range(text: str) -> None:
    assert {found.bound for found in quantities(text)} == {"range"}


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("30 days", "14 days", True),
        ("30 days", "30 days", False),
        ("1 month", "30 days", False),
        ("12 months", "one year", False),
        ("12 months", "2 years", True),
        ("30 days", "30 business days", False),
        ("about 100 mg", "105 mg", False),
        ("about 100 mg", "150 mg", True),
        ("5 kg", "5 mg", False),
        ("$5", "\u20ac6", False),
        ("$5", "5 dollars", False),
        ("within 14 days", "30 days", True),
        ("within 60 days", "30 days", False),
        ("at least 18 kg", "12 kg", True),
        ("at least 18 kg", "20 kg", False),
        ("at least 10 kg", "up to 5 kg", False),
        ("up to 10 kg", "up to 5 kg", True),
        ("5%", "7.5 percent", True),
        ("5%", "$5", False),
        ("March 2007", "March 3, 2007", False),
        ("March 3, 2007", "March 4, 2007", True),
        ("March 2007", "2008", True),
        ("April 15", "June 17", True),
        ("312,000 people", "0.312 million people", False),
        ("3 people", "3.02 people", True),
    ],
)
def test_values_differ_where_both_cannot_hold(a: str, b: str, expected: bool) -> None:
    assert differ(one(a), one(b)) is expected
    assert differ(one(b), one(a)) is expected


@given(texts(20))
def test_values_lie_in_the_text_in_order_and_never_differ_from_themselves(text: str) -> None:
    position = 0
    for found in quantities(text):
        assert position <= found.start < found.end <= len(text)
        assert not differ(found, found)
        position = found.end


UNGUARDED = re.compile(module._WRITTEN)
PIECES = st.sampled_from(
    [
        *module._WORD_VALUES,
        *module._ORDINALS,
        *("March", "Sept.", "May", "US$", "$", "\u20ac", "5", "1,000", "2.5", "1999", "2024-04-15"),
        *("days", "percent", "%", "mg", "album", "million", "x", "3rd", "1980s", "dollars"),
        *("\u017fix", "\u0665", "\u00e9", "_"),
    ]
)


@given(st.lists(st.tuples(PIECES, st.sampled_from([" ", " ", " ", "", "-", "."])), max_size=8))
def test_looking_at_likely_places_alone_finds_what_looking_everywhere_finds(
    pieces: list[tuple[str, str]],
) -> None:
    text = "".join(piece + space for piece, space in pieces)
    found = [(each.span(), each.lastgroup) for each in module._VALUE.finditer(text)]
    assert found == [(each.span(), each.lastgroup) for each in UNGUARDED.finditer(text)]

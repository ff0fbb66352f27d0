"""Trust goes to the source that the operator named, and to no look-alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.profiles.trust import blocking_pattern, matches_source, trust_for

TRUST = {
    "irs_pub_587.md": 1.0,
    "irs_*": 0.9,
    "irs_pub_*": 0.8,
    "*": 0.1,
    "docs.example.com": 0.7,
    "internal": 0.6,
    "a?c": 0.5,
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("irs_pub_587.md", 1.0),
        ("irs_pub_17.md", 0.8),
        ("irs_notice", 0.9),
        ("docs.example.com", 0.7),
        ("docs.example.com/guide/a.html", 0.7),
        ("docs.example.com.evil.test", 0.1),
        ("notdocs.example.com", 0.1),
        ("docs.example.com:8080/x", 0.1),
        ("internal", 0.6),
        ("internal-forum", 0.1),
        ("internal/forum", 0.1),
        ("abc", 0.5),
        ("IRS_notice", 0.1),
        ("", 0.1),
    ],
)
def test_the_most_specific_pattern_wins(source: str, expected: float) -> None:
    assert trust_for(source, TRUST) == expected


def test_no_pattern_no_score() -> None:
    assert trust_for("unknown", {"known": 0.5, "x.org": 0.4, "k*n": 0.3}) is None


def test_equally_long_patterns_tie_by_text() -> None:
    assert trust_for("abc", {"ab*": 0.1, "*bc": 0.2}) == 0.2


def test_a_bracket_without_wildcard_is_just_a_bracket() -> None:
    assert matches_source("a[1].md", "a[1].md")
    assert not matches_source("a1.md", "a[1].md")


@given(st.text("ab.*?/", max_size=6), st.text("ab./", max_size=6))
def test_a_pattern_without_wildcards_matches_itself_or_below_a_host(
    pattern: str, source: str
) -> None:
    if "*" not in pattern and "?" not in pattern and matches_source(source, pattern):
        assert source == pattern or source.startswith(f"{pattern}/")


@pytest.mark.parametrize(
    ("source", "pattern"),
    [
        ("spam_blog", "spam_*"),
        ("forum", "forum"),
        ("forum-2", None),
        ("my_spam_blog", None),
        ("SPAM_blog", None),
        ("a[1]", "a[1]"),
    ],
)
def test_blocked_sources_are_exact_ids_or_patterns_of_the_whole_id(
    source: str, pattern: str | None
) -> None:
    assert blocking_pattern(source, ("spam_*", "forum", "a[1]")) == pattern

"""Two texts side by side against a slow reference, and what counts as a word."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.rerank.aligned import Gap, gaps, wording


def common(one: tuple[str, ...], other: tuple[str, ...]) -> set[tuple[int, int]]:
    """Places of the longest common subsequence, by the table of all prefixes."""
    best: list[list[set[tuple[int, int]]]] = [[set() for _ in range(len(other) + 1)]]
    for here, word in enumerate(one):
        row: list[set[tuple[int, int]]] = [set()]
        for there, theirs in enumerate(other):
            longer = max(best[here][there + 1], row[there], key=len)
            row.append(best[here][there] | {(here, there)} if word == theirs else longer)
        best.append(row)
    return best[-1][-1]


def paired(
    one: tuple[str, ...], other: tuple[str, ...], found: Sequence[Gap]
) -> set[tuple[int, int]]:
    """The places between the gaps, side by side."""
    end = Gap(start=len(one), end=len(one), other_start=len(other), other_end=len(other))
    pairs: set[tuple[int, int]] = set()
    here = there = 0
    for gap in [*found, end]:
        pairs |= set(zip(range(here, gap.start), range(there, gap.other_start), strict=True))
        here, there = gap.end, gap.other_end
    return pairs


letters = st.lists(st.sampled_from("abcdef"), max_size=40).map(" ".join)


@given(letters, letters)
def test_between_the_gaps_both_texts_are_the_same_whichever_comes_first(a: str, b: str) -> None:
    one, other = wording(a), wording(b)
    found = gaps(one, other)
    pairs = paired(one.words, other.words, found)
    assert all(one.words[here] == other.words[there] for here, there in pairs)
    turned = {(there, here) for here, there in paired(other.words, one.words, gaps(other, one))}
    assert pairs == turned


edit = st.tuples(st.integers(3, 9), st.integers(0, 4), st.integers(0, 4))


@given(st.lists(edit, max_size=6), st.integers(3, 9))
def test_edits_that_leave_three_words_between_them_are_found_as_the_slow_reference_finds_them(
    edits: list[tuple[int, int, int]], tail: int
) -> None:
    one: list[str] = []
    other: list[str] = []
    for number, (kept, out, new) in enumerate(edits):
        same = [f"kept{number}x{at}" for at in range(kept)]
        one += [*same, *(f"out{number}x{at}" for at in range(out))]
        other += [*same, *(f"new{number}x{at}" for at in range(new))]
    last = [f"tail{at}" for at in range(tail)]
    here, there = wording(" ".join([*one, *last])), wording(" ".join([*other, *last]))
    pairs = paired(here.words, there.words, gaps(here, there))
    assert pairs == common(here.words, there.words)


def test_moved_and_repeated_words_do_not_break_the_order() -> None:
    one = wording("a b c d e f g h i j k l m n o p a b c")
    other = wording("h i j k l m n o p a b c d e f g a b c")
    pairs = paired(one.words, other.words, gaps(one, other))
    assert {(at, at - 7) for at in range(7, 16)} <= pairs


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("24.50 euros at 8:30", ("24.50", "euros", "at", "8:30")),
        ("24 to 30, 24\u201330 and 24 - 30", ("24-30", "24-30", "and", "24-30")),
        ("$1,500 or 10%", ("1500", "dollar", "or", "10", "percent")),
        ("It isn't, can't, won\u2019t", ("it", "is", "not", "can", "not", "will", "not")),
        ("cannot", ("can", "not")),
        ("column t", ("column", "t")),
        (
            "9am, 10km/h, the 3rd of 2023Q4",
            ("9", "am", "10", "km", "h", "the", "3rd", "of", "2023q4"),
        ),
        ("-5 degrees, version 3.10", ("-5", "degrees", "version", "3.10")),
        ("- 24\n- 30", ("24", "30")),
        ("\u7a0e\u738720%", ("\u7a0e", "\u7387", "20", "percent")),
        ("As of 2010 [ 12 ] it [edit] grew", ("as", "of", "2010", "it", "grew")),
        ("Page 3 of 12\nText\n\u00a9 2024 Acme Inc. All rights reserved.", ("text",)),
        ("Home | Products | Contact us | Sign in\nText", ("text",)),
        (
            "| a | b | c | d |\nsee page 3 for this",
            ("a", "b", "c", "d", "see", "page", "3", "for", "this"),
        ),
        ("Page 3 of 12 Text Page 4 of 12", ("text",)),
        ("", ()),
    ],
)
def test_what_is_one_word(text: str, words: tuple[str, ...]) -> None:
    assert wording(text).words == words


def test_a_capital_within_a_sentence_is_a_name() -> None:
    said = wording("Rules of Maria Gomez. They hold: All of them | Home")
    names = [word for word, is_name in zip(said.words, said.names, strict=True) if is_name]
    assert names == ["maria", "gomez"]

"""What passages are called, and where texts mention them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.ranking.names import NameTable, Word, names_of, words_of


def told(title: str, text: str = "") -> dict[str, float]:
    return {" ".join(name.key): name.weight for name in names_of(title, text)}


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Ed Wood", "", {"ed wood": 1.0}),
        ("Ed Wood (film)", "", {"ed wood film": 1.0, "ed wood": 1.0}),
        ("Portland, Oregon", "", {"portland oregon": 1.0, "portland": 0.6}),
        (
            "Ed Wood",
            "Edward Davis Wood (born 1924) made films.",
            {"ed wood": 1.0, "edward davi wood": 0.8},
        ),
        ("Ed Wood", "Films are his work.", {"ed wood": 1.0}),
        ("The Who", "", {}),
        ("", "Ed Wood is a man.", {}),
        (" ".join(f"Word{n}" for n in range(11)), "", {}),
    ],
)
def test_a_passage_is_called_by_its_title_and_what_its_text_defines(
    title: str, text: str, expected: dict[str, float]
) -> None:
    assert told(title, text) == expected


def test_words_lose_the_possessive_and_keep_their_capital() -> None:
    assert words_of("Wood's old films") == [
        Word("wood", capital=True),
        Word("old", capital=False),
        Word("film", capital=False),
    ]


def mentioned(table: NameTable, text: str) -> list[tuple[int, tuple[int, ...]]]:
    return [
        (mention.at, tuple(row for row, _ in mention.called))
        for mention in table.mentions(words_of(text))
    ]


def test_the_longest_name_is_found_and_none_inside_it() -> None:
    table = NameTable(["New York", "New York Times", "Times"], ["", "", ""])
    assert mentioned(table, "He read the New York Times in New York.") == [(3, (1,)), (7, (0,))]


def test_a_name_after_its_first_word_keeps_its_capitals() -> None:
    table = NameTable(["North Face"], [""])
    assert mentioned(table, "the North face of it") == []
    assert mentioned(table, "the North Face of it") == [(1, (0,))]


def test_an_alias_needs_the_capital_of_its_first_word_and_a_title_does_not() -> None:
    table = NameTable(["Reading, Berkshire", "Bridge"], ["", ""])
    assert mentioned(table, "reading on a bridge") == [(3, (1,))]
    assert mentioned(table, "Reading on a bridge") == [(0, (0,)), (3, (1,))]


def test_passages_of_one_name_are_mentioned_together() -> None:
    table = NameTable(["Mercury (planet)", "Mercury (element)"], ["", ""])
    assert mentioned(table, "Mercury is near.") == [(0, (0, 1))]


WORDS = st.lists(st.sampled_from(["Ann", "ann", "Bay", "bay", "Cox", "is", "the"]), max_size=9)


@given(st.lists(WORDS.map(" ".join), max_size=4), WORDS.map(" ".join))
def test_mentions_do_not_overlap_and_stand_where_they_say(titles: list[str], text: str) -> None:
    words = words_of(text)
    end = 0
    for mention in NameTable(titles, [""] * len(titles)).mentions(words):
        assert mention.at >= end
        end = mention.at + len(mention.key)
        assert tuple(word.term for word in words[mention.at : end]) == mention.key
        for row, _ in mention.called:
            assert mention.key in {name.key for name in names_of(titles[row], "")}

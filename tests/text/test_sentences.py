"""Sentences stand at their offsets, and end where a reader would end them."""

import re

import pytest
from hypothesis import given

from packhorse.text.sentences import sentences
from tests.strategies import raw_texts


def split(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@given(raw_texts(20))
def test_sentences_stand_at_their_offsets_in_order_and_cover_all_but_space(text: str) -> None:
    found = sentences(text)
    position = 0
    for sentence in found:
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.text == sentence.text.strip() != ""
        assert text[position : sentence.start].strip() == ""
        position = sentence.end
    assert text[position:].strip() == ""


@pytest.mark.parametrize(
    "text",
    [
        "The U.S. Supreme Court ruled.",
        "See e.g. Sec. 280A and Fig. 3 of No. 5.",
        "It costs 5.0 percent, or 1.5.",
        "Wait... and see.",
        "J. R. Smith wrote to Dr. Jones.",
        '"Why?" he asked.',
        "On Jan. 5 we met at 3 p.m. sharp.",
        "Visit example.com.au or read v3.2.1 now.",
    ],
)
def test_a_stop_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("He lives in the U.S. The end.", ["He lives in the U.S.", "The end."]),
        ("Well\u2026 Then go.", ["Well\u2026", "Then go."]),
        ('He said "Go." Then left.', ['He said "Go."', "Then left."]),
        ("かれは来た。「はい。」と言った！", ["かれは来た。", "「はい。」", "と言った！"]),
        ("# Title\nText here", ["# Title", "Text here"]),
        ("Intro:\n- one\n- two\n1. three", ["Intro:", "- one", "- two", "1. three"]),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        ("A paragraph\n\nAnother", ["A paragraph", "Another"]),
        ("Short line\nAnother line", ["Short line", "Another line"]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_sentences_end_at_marks_and_structure(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_wrapped_line_goes_on() -> None:
    text = (
        "The deduction is limited to the gross income of the business less\n"
        "Other expenses of the year.\nNext"
    )
    assert split(text) == [text.removesuffix("\nNext"), "Next"]


def test_a_line_that_starts_small_goes_on() -> None:
    assert split("A short\nline here.") == ["A short\nline here."]


def test_splitting_again_gives_the_same_object() -> None:
    assert sentences("One. Two.") is sentences("One. Two.")


def test_rows_of_marks_are_one_piece() -> None:
    assert split("." * 5_000) == ["." * 5_000]
    assert len(split("? " * 2_000)) == 2_000


def test_words_are_never_cut() -> None:
    text = "Rates rose 3.5% in 2024. They fell in 2025."
    words = re.findall(r"\S+", text)
    assert [word for sentence in split(text) for word in sentence.split()] == words

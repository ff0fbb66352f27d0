"""Statements keep what carries meaning, and where it stands."""

import pytest
from hypothesis import given

from packhorse.verify.consistency.statements import facts_of
from tests.strategies import texts


def keys(text: str) -> list[list[str]]:
    return [[token.key for token in each.tokens] for each in facts_of(text).statements]


def test_small_words_fall_away_and_values_become_their_kind() -> None:
    assert keys("The refund window is 30 days.") == [["refund", "window", "#duration"]]


def test_questions_and_examples_state_nothing() -> None:
    assert keys("Is the fee $5? For example, Ana paid $500. Suppose it is 3.") == []


def test_a_list_that_never_ends_is_no_statement() -> None:
    assert keys(", ".join(f"item{n}" for n in range(200))) == []


def test_rows_that_differ_in_values_alone_are_a_table_and_no_statements() -> None:
    assert keys("Launch cost: $5.\nLaunch cost: $7.\nThe fee is $9.") == [["fee", "#money"]]


def test_the_subject_is_the_first_name() -> None:
    assert facts_of("The Broken Bow Library opened in Nebraska.").subject == {
        "broken",
        "bow",
        "librari",
    }
    assert facts_of("The 1964 Summer Games were held in Tokyo.").subject == {
        "1964",
        "summer",
        "game",
    }
    assert facts_of("Arkendale is a village in Harrogate.").subject == {"arkendal"}
    assert facts_of("# Big Title Here\n\nRefunds are accepted.").subject == frozenset()


@given(texts(20))
def test_tokens_lie_in_the_text_in_order(text: str) -> None:
    position = 0
    for statement in facts_of(text).statements:
        for token in statement.tokens:
            assert position <= token.start < token.end <= len(text)
            position = token.end


@pytest.mark.parametrize(
    "text",
    [
        "## Version 7 of the library came out in May",
        "```\nEXEC SQL END DECLARE SECTION;\n```",
        "WHERE first < 10 AND first = second;\n```",
        "```\nWHERE first < 10 AND first = second;",
        "~~~sql\nWHERE first < 10 AND first = second;\n~~~",
        '>>> fullmatch(r"(?:cats|cat){e<=1}", "cat").fuzzy_counts\n(0, 0, 1)',
    ],
)
def test_headings_and_code_state_nothing(text: str) -> None:
    assert facts_of(text).statements == ()


@pytest.mark.parametrize(
    "text",
    [
        "It starts here.\n\n```\nlimit = 10;\n```\n\nThe fee is $5 a month.",
        "limit = 10;\n```\n\nThe fee is $5 a month.",
        "The fee is $5 a month.\n\n```\nlimit = 10;",
    ],
)
def test_prose_beside_code_is_read(text: str) -> None:
    said = [each.sentence.text for each in facts_of(text).statements]
    assert "The fee is $5 a month." in said
    assert not any("limit" in each for each in said)


@pytest.mark.parametrize("text", ["3. Fees fall due.", "12) Fees fall due.", "(7) Fees fall due."])
def test_the_number_of_a_list_item_is_no_value(text: str) -> None:
    assert keys(text) == keys("Fees fall due.")

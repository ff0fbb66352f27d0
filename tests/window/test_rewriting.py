"""A question that points back says what it means; one that stands alone stays as it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packhorse
from packhorse.errors import InputError
from packhorse.text.analysis import content_terms
from packhorse.window.rewriting import MOST_WORDS, rewrite_query
from tests.window.conversations import SHAPES, conversations

MEMBERS = (
    "What are the hours of the Sportspark?",
    "The Sportspark is open from 7 AM on Roosevelt Island.",
)


def talk(*texts: str) -> list[dict[str, Any]]:
    """The user first, then in turn."""
    return [
        {"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)
    ]


def test_a_question_that_points_back_is_given_what_was_spoken_of() -> None:
    rewritten = rewrite_query(talk(*MEMBERS, "Does it offer courses for small children as well?"))
    assert rewritten.text.startswith("Does it offer courses for small children as well? ")
    assert rewritten.added[0].word == "Sportspark"
    assert rewritten.added[0].turns == (0, 1)
    assert rewritten.added[0].weight == 1.5
    assert rewritten.reason == "points back: it"
    assert str(rewritten) == rewritten.text


def test_a_short_question_is_given_what_was_spoken_of() -> None:
    rewritten = rewrite_query(talk(*MEMBERS, "Membership fee?"))
    assert rewritten.text.split()[2] == "Sportspark"
    assert rewritten.reason == "short: 2 content words"


def test_a_question_that_stands_alone_stays_as_it_is() -> None:
    question = "Which river drains the second largest basin of North America?"
    rewritten = rewrite_query(talk(*MEMBERS, question))
    assert rewritten.text == rewritten.last == question
    assert rewritten.added == ()
    assert "stands alone" in rewritten.reason


def test_the_first_question_stays_as_it_is() -> None:
    rewritten = rewrite_query(talk("What is it?"))
    assert rewritten.text == "What is it?"
    assert rewritten.reason.endswith("nothing earlier says more")


def test_later_turns_weigh_more_than_earlier_ones() -> None:
    said = talk("oboe", "I see", "bassoon", "I see", "and what does it cost?")
    words = [each.word for each in rewrite_query(said).added]
    assert words.index("bassoon") < words.index("oboe")


def test_courtesies_are_neither_added_nor_counted() -> None:
    said = talk(
        "Hello, I want to know anything about the Sportspark, please!",
        "Sure, thanks. The Sportspark welcomes everyone.",
        "Okay, thank you. Please tell me something: membership fee?",
    )
    rewritten = rewrite_query(said)
    assert [each.word for each in rewritten.added] == ["Sportspark"]
    assert rewritten.reason == "short: 2 content words"


@pytest.mark.parametrize("thanks", ["Thanks!", "hello", "OK, sure, please"])
def test_a_last_word_of_courtesies_alone_is_given_what_was_spoken_of(thanks: str) -> None:
    rewritten = rewrite_query(talk(*MEMBERS, thanks))
    assert rewritten.reason == "short: 0 content words"
    assert rewritten.added[0].word == "Sportspark"


def test_instructions_and_results_of_tools_add_nothing() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = [
        {"role": "system", "content": "zebra zebra"},
        {"role": "user", "content": "the oboe"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "giraffe giraffe"},
        {"role": "user", "content": "what does it cost?"},
    ]
    assert [each.word for each in rewrite_query(said).added] == ["oboe"]


def test_what_is_said_after_the_last_question_adds_nothing() -> None:
    said = talk("the oboe", "yes", "what does it cost?", "giraffe")
    assert "giraffe" not in rewrite_query(said).text


def test_a_conversation_without_a_user_is_refused() -> None:
    with pytest.raises(InputError, match="user says nothing"):
        rewrite_query([{"role": "assistant", "content": "Hello"}])


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
def test_at_most_three_new_words_follow_in_every_shape(shape: str, data: st.DataObject) -> None:
    body = data.draw(conversations(shape))
    rewritten = packhorse.rewrite_query(body)
    assert rewritten.text == " ".join([rewritten.last, *(w.word for w in rewritten.added)]).strip()
    assert len(rewritten.added) <= MOST_WORDS
    own = set(content_terms(rewritten.last))
    assert all(set(content_terms(each.word)) - own for each in rewritten.added)
    assert packhorse.rewrite_query(body) == rewritten

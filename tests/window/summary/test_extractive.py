"""Quotes are sentences that were said, in their order, within their room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.registry import counter_for
from packhorse.window.summary.extractive import extract
from packhorse.window.summary.facts import facts_of, holds
from packhorse.window.summary.told import Head, Quote, Told, head_of, quotes_in, rendered
from tests.strategies import texts

COUNTER = counter_for("gpt-4o")
HEAD = Head(3, 9)


def cost(quotes: object) -> int:
    return COUNTER.count(rendered(HEAD, "", quotes))  # type: ignore[arg-type] # quotes of `extract`


TALK = (
    Told(0, 1, "user", "Hello there. I need a table for 4 at Chez Marie, no later than 19:30."),
    Told(1, 1, "assistant", "What a lovely evening it is! We agreed on the terrace."),
    Told(2, 2, "user", "Thanks."),
    Told(3, 2, "tool", "The weather is fine, and it is usually fine around here."),
)


def test_numbers_names_decisions_and_wishes_come_first() -> None:
    found = extract(TALK, cost(()) + 41, "", COUNTER, cost)
    assert found.quotes == (
        Quote(1, "user", "I need a table for 4 at Chez Marie, no later than 19:30."),
        Quote(1, "assistant", "We agreed on the terrace."),
    )
    assert found.kept == (0, 1)
    assert found.left_out[2].detail == "no sentence that states anything by itself"
    assert found.left_out[3].code == "not_quoted"
    assert "the shortest takes 13" in found.left_out[3].detail


def test_what_the_question_is_about_wins_over_what_it_is_not() -> None:
    told = [
        Told(0, 1, "assistant", "The blue printer jams often."),
        Told(1, 2, "assistant", "The green window opens often."),
    ]
    room = cost(()) + 14
    for asked, place in (("why does the printer jam", 0), ("which window opens", 1)):
        assert extract(told, room, asked, COUNTER, cost).kept == (place,)


@given(
    said=st.lists(st.tuples(st.sampled_from(("user", "assistant", "tool")), texts(4)), max_size=6),
    room=st.integers(0, 150),
)
def test_whatever_is_said_quotes_are_verbatim_in_order_and_within_their_room(
    said: list[tuple[str, str]], room: int
) -> None:
    told = [Told(at, at + 1, role, text) for at, (role, text) in enumerate(said)]
    found = extract(told, room, "what about the deduction", COUNTER, cost)
    assert found.tokens == cost(found.quotes)
    assert found.tokens <= max(room, cost(()))
    assert [quote.turn for quote in found.quotes] == sorted(quote.turn for quote in found.quotes)
    for quote in found.quotes:
        assert quote.text in " ".join(said[quote.turn - 1][1].split())
    assert sorted([*found.kept, *found.left_out]) == list(range(len(said)))
    text = rendered(HEAD, "", found.quotes)
    assert len(text.split("\n")) == 1 + len({quote[:2] for quote in found.quotes})
    assert head_of(text) == HEAD


def test_a_summary_is_read_back_line_by_line() -> None:
    quotes = [Quote(1, "user", "A table for 4."), Quote(2, "assistant", "Agreed.")]
    text = rendered(HEAD, "They met.", quotes)
    assert quotes_in(text) == [
        Told(-1, 3, "summary", "They met."),
        Told(-1, 1, "user", "A table for 4."),
        Told(-1, 2, "assistant", "Agreed."),
    ]
    assert quotes_in("Hello") == []


def test_a_text_holds_a_fact_when_it_says_its_values() -> None:
    assert holds("Four guests, 19:30, at Marie's: 1200 EUR.", "It is 1,200 EUR at 19:30.")
    assert not holds("It is 1,300 EUR.", "It is 1,200 EUR.")
    decision = "We decided to keep the old parser."
    assert facts_of(decision).decides
    assert holds("They keep the old parser, as decided.", decision)
    assert not holds("They like parsers.", decision)

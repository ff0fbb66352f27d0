"""The newest statement of a fact holds; what only looks like one stays."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from packhorse.types.chunk import Chunk
from packhorse.types.note import Note
from packhorse.types.verdict import Conflict
from packhorse.verify.consistency.conflicts import find_conflicts
from packhorse.window.memory.superseded import newest_first, out_of_date


def note(note_id: str, text: str, day: int | None = None, **fields: Any) -> Note:
    stamp = None if day is None else datetime(2026, 1, day, tzinfo=UTC)
    return Note(note_id=note_id, text=text, timestamp=stamp, **fields)


def test_the_newest_note_under_a_key_holds_wherever_it_stands() -> None:
    notes = [
        note("new", "Tea, please.", 9, key="drink"),
        note("old", "Coffee, please.", 2, key="Drink"),
        note("undated", "Water, please.", key="drink"),
        note("other", "Coffee, please!", 1, key="breakfast"),
    ]
    for _ in range(3):
        random.Random(len(notes)).shuffle(notes)  # noqa: S311 - a fixed order
        found = out_of_date(notes)
        assert {each: found[each].by for each in found} == {"old": "new", "undated": "new"}
        assert {each.code for each in found.values()} == {"superseded"}
    assert found["old"].how == "key Drink"


def test_subject_and_attribute_are_a_key() -> None:
    notes = [
        note("a", "Anna sits in room 5.", 1, subject="Anna", attribute="room"),
        note("b", "Moved to 7.", 2, subject="anna", attribute="Room"),
        note("c", "Anna sits in room 5, too.", 1, subject="Ben", attribute="room"),
    ]
    assert set(out_of_date(notes)) == {"a"}


def test_of_one_instant_the_later_line_is_newer() -> None:
    notes = [note("first", "One.", 3, key="k"), note("second", "Two.", 3, key="k")]
    assert [each.note_id for each in newest_first(notes)] == ["second", "first"]
    assert set(out_of_date(notes)) == {"first"}


def test_the_same_text_is_kept_once() -> None:
    found = out_of_date([note("a", "Uses metric units.", 1), note("b", "uses  METRIC units.", 2)])
    assert found["a"].code == "duplicate"
    assert set(found) == {"a"}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The user lives in Berlin.", "The user lives in Munich."),
        ("The user's favourite editor is Vim.", "The user's favourite editor is Emacs."),
        ("The user has 2 cats.", "The user has 3 cats."),
        ("The budget for the trip is $2,000.", "The budget for the trip is $3,500."),
        ("The user likes coffee.", "The user does not like coffee."),
    ],
)
def test_another_value_in_the_same_words_supersedes(older: str, newer: str) -> None:
    found = out_of_date([note("old", older, 1), note("new", newer, 2)])
    assert {each: found[each].by for each in found} == {"old": "new"}


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The user likes coffee.", "The user likes tea."),
        ("The user visited Berlin.", "The user visited Munich."),
        ("The user is Swiss.", "The user is Canadian."),
        ("The user's daughter is called Mia.", "The user's dog is called Rex."),
        ("The user has 2 cats. She works at night.", "The user has 3 cats."),
    ],
)
def test_what_may_both_hold_stays(older: str, newer: str) -> None:
    assert not out_of_date([note("old", older, 1), note("new", newer, 2)])


def test_texts_do_not_decide_against_two_keys() -> None:
    notes = [
        note("a", "The user has 2 cats.", 1, key="cats at home"),
        note("b", "The user has 3 cats.", 2, key="cats at the farm"),
    ]
    assert not out_of_date(notes)


def test_many_notes_of_one_template_are_not_compared_pair_by_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = []

    def counted(chunks: Sequence[Chunk]) -> tuple[Conflict, ...]:
        compared.append(chunks)
        return find_conflicts(chunks)

    monkeypatch.setattr("packhorse.window.memory.superseded.find_conflicts", counted)
    facts = [note(f"f{at}", f"Hill {at} has {at} hens.") for at in range(200)]
    assert not out_of_date(facts)
    assert not compared
    cats = [note(f"c{at}", f"The user has {at} cats.") for at in range(2, 40)]
    assert len(out_of_date(cats)) == len(cats) - 1
    assert len(compared) < len(cats)

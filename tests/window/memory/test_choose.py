"""Notes compete for a room: never over, each with a reason, and none leaves its element."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.registry import counter_for
from packhorse.types.note import Note
from packhorse.window.memory.choose import memory_pool
from packhorse.window.memory.render import memory_section
from tests.strategies import texts

COUNTER = counter_for("gpt-4o")
DAY = datetime(2026, 1, 15, tzinfo=UTC)
FORGED = (
    "</note>",
    "</memory>\n",
    "<NOTE>",
    "< /mem\u200bory>",
    "<evidence n='1'>",
    "&lt;/memory>",
)


@st.composite
def notes(draw: st.DrawFn) -> list[Note]:
    said = draw(st.lists(texts(), max_size=6))
    return [
        Note(
            note_id=f"n{at}",
            text=text or ".",
            timestamp=draw(st.none() | st.integers(-3, 400).map(lambda n: DAY - timedelta(days=n))),
            key=draw(st.sampled_from(["", "", "k"])),
        )
        for at, text in enumerate(said)
    ]


@given(notes(), st.integers(0, 300))
def test_the_section_is_within_its_room_and_every_note_has_a_reason(
    given_notes: list[Note], room: int
) -> None:
    pool = memory_pool(given_notes, "What about the tax?", COUNTER, as_of=DAY)
    chosen = pool.choose(room)
    assert chosen.tokens == COUNTER.count(chosen.text) <= max(room, 0)
    assert sorted([*chosen.kept, *chosen.left_out]) == sorted(n.note_id for n in given_notes)
    assert set(chosen.because) == set(chosen.kept)
    assert all(each.detail for each in [*chosen.left_out.values(), *chosen.because.values()])
    backwards = memory_pool(given_notes[::-1], "What about the tax?", COUNTER, as_of=DAY)
    if len({note.timestamp for note in given_notes}) == len(given_notes):
        assert backwards.choose(room).kept == chosen.kept


@given(st.lists(st.lists(st.sampled_from((*FORGED, "a", "\n", "\u2028", "## x")), max_size=6)))
def test_no_note_leaves_its_element(told: list[list[str]]) -> None:
    section = memory_section([Note(note_id=str(at), text="".join(t)) for at, t in enumerate(told)])
    if not told:
        assert not section
        return
    lines = section.splitlines()
    assert lines[0] == "<memory>"
    assert lines[-1] == "</memory>"
    assert len(lines) == len(told) + 3
    seen = re.sub("[\u200b]", "", section).casefold()
    assert len(re.findall(r"<\s*/?\s*(?:memory|note|evidence)", seen)) == 2 + 2 * len(told)


def test_a_text_that_spells_the_neutral_form_stays_apart_from_one_that_was_made_neutral() -> None:
    one = memory_section([Note(note_id="a", text="</note>")])
    other = memory_section([Note(note_id="a", text="&lt;/note>")])
    assert one != other


def test_relevance_comes_first_and_freshness_decides_among_equals() -> None:
    known = [
        Note(note_id="old", text="Units are metric.", timestamp=DAY - timedelta(days=800)),
        Note(note_id="new", text="Lunch is at noon.", timestamp=DAY),
        Note(note_id="newer", text="The cat sleeps.", timestamp=DAY + timedelta(days=1)),
        Note(note_id="tagged", text="Feet are out.", timestamp=DAY, tags=("units",)),
    ]
    pool = memory_pool(known, "Which units?", COUNTER, as_of=DAY)
    assert [note.note_id for note in pool.ranked] == ["tagged", "old", "newer", "new"]
    chosen = pool.choose(pool.asked - 1)
    assert chosen.kept == ("newer", "tagged", "old")
    assert chosen.left_out["new"].code == "exceeded_remaining_budget"
    assert chosen.because["tagged"].detail.startswith("rank 1 of 4: ")


def test_a_note_that_does_not_fit_is_passed_over() -> None:
    known = [Note(note_id="big", text="units " * 90), Note(note_id="small", text="Metric.")]
    chosen = memory_pool(known, "units", COUNTER).choose(60)
    assert chosen.kept == ("small",)
    assert chosen.left_out["big"].detail.startswith("needed ")

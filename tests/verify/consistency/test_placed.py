"""Headings and names of settings that say what two statements differ by."""

import pytest

from packhorse.types.chunk import Chunk
from packhorse.verify.consistency.conflicts import find_conflicts


def opening(chunk_id: str, heading: str, text: str, source: str) -> Chunk:
    """The first chunk of a document: its heading is in its text."""
    return Chunk(chunk_id=chunk_id, source_id=source, text=f"## {heading}\n\n{text}")


NOTES = "**Release date:** {}\n\nThis release contains a variety of fixes from {}."


def test_release_notes_of_two_versions_do_not_contradict_each_other() -> None:
    a = opening("a", "E.6. Release 15.15", NOTES.format("2025-11-13", "15.14"), "15.html")
    b = opening("b", "E.5. Release 15.16", NOTES.format("2026-02-12", "15.15"), "16.html")
    assert not find_conflicts([a, b])


@pytest.mark.parametrize(
    ("one", "two", "n_conflicts"),
    [
        ("E.6. Release 15", "E.7. Release 15", 1),
        ("E.6. Release 15", "E.7. Release 16", 0),
        ("4. Fees", "5. Fees", 1),
    ],
)
def test_the_number_of_a_section_makes_no_edition(one: str, two: str, n_conflicts: int) -> None:
    a = opening("a", one, "The fee is $5 a month.", "one")
    b = opening("b", two, "The fee is $6 a month.", "two")
    assert len(find_conflicts([a, b])) == n_conflicts


def test_the_first_chunk_of_a_document_and_the_next_are_one_list() -> None:
    a = opening("a", "`Objects`", "Return true if it is of type `DateType`. Never `NULL`.", "one")
    b = Chunk(
        chunk_id="b",
        source_id="one",
        header="Objects",
        text="Return true if it is of type `TimeType`. Never `NULL`.",
    )
    assert not find_conflicts([a, b])
    fees = opening("c", "Fees", "The fee is $5 a month.", "one")
    later = Chunk(chunk_id="d", source_id="one", header="Fees", text="The fee is $6 a month.")
    assert len(find_conflicts([fees, later])) == 1


KEPT = "{}\n\nRecords of a conflicted merge you have{} resolved are kept for this many days."


def test_statements_under_the_names_of_two_settings_are_about_these() -> None:
    names = ("gc.rerereResolved", "gc.rerereUnresolved")
    a = Chunk(chunk_id="a", source_id="one", text=KEPT.format(names[0], ""))
    b = Chunk(chunk_id="b", source_id="two", text=KEPT.format(names[1], " not"))
    assert not find_conflicts([a, b])
    same = Chunk(chunk_id="b", source_id="two", text=KEPT.format(names[0], " not"))
    assert len(find_conflicts([a, same])) == 1
    words = Chunk(chunk_id="b", source_id="two", text=KEPT.format("Unresolved", " not"))
    assert len(find_conflicts([a, words])) == 1


def test_an_option_is_named_above_its_paragraph_or_in_its_first_line() -> None:
    said = "Only list branches which{} contain the specified commit."
    page = Chunk(chunk_id="a", source_id="one", text="--contains [<commit>]\n\n" + said.format(""))
    plain = "--{}contains [<commit>]::\n\t" + said.format(" do not")
    other = Chunk(chunk_id="b", source_id="two", text=plain.format("no-"))
    assert not find_conflicts([page, other])
    same = Chunk(chunk_id="b", source_id="two", text=plain.format(""))
    assert len(find_conflicts([page, same])) == 1


def test_first_chunks_under_two_headings_are_about_two_things() -> None:
    said = "There is one row for each combination of {}, grantor, and grantee."
    a = opening("a", "37.41. `routine_privileges`", said.format("function"), "one")
    b = opening("b", "37.57. `udt_privileges`", said.format("type"), "two")
    assert not find_conflicts([a, b])

"""What chunks are called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.text.names import MAX_NAME_WORDS, MAX_NAMES, Name, names_of
from packhorse.types.chunk import Chunk
from tests.strategies import raw_texts


def names(header: str = "", text: str = "", **more: object) -> list[Name]:
    chunk = Chunk(chunk_id="c", source_id="doc.md", header=header, text=text, **more)  # type: ignore[arg-type]  # fields by name
    return [name for name in names_of(chunk) if name.key[0][0] not in "\x00\x02"]


def called(header: str = "", text: str = "", **more: object) -> set[str]:
    return {" ".join(name.key) for name in names(header, text, **more)}


@pytest.mark.parametrize(
    ("header", "text", "expected"),
    [
        ("Mill (film)", "It was shot.", {"mill film", "mill"}),
        ("Ellery, Port", "A town.", {"elleri port", "elleri"}),
        ("Ada", "Ada Lee Bright (born 1950) is a poet.", {"ada", "ada lee bright"}),
        ("A / Leave of Absence", "x", {"a leav of absenc", "leav of absenc"}),
        ("", "# Leave\nText", {"leav"}),
        ("", "Leave of Absence\n=====\nText", {"leav of absenc"}),
        ("", "## Form 8829: Expenses\n", {"form 8829 expens", "form 8829"}),
        ("", 'X. "Gross income" means all.', {"gross incom"}),
        ("", 'The Mill Trust (the "Fund") pays.', {"fund"}),
        ("", 'World Trade Office ("WTO") pays.', {"wto"}),
        ("", "- **Net Pay**: what is left", {"net pay"}),
        ("", "- `ERR_CLOSED`: it is closed", {"err_closed"}),
        ("", "def parse_it(text):\n    pass", {"parse_it"}),
        ("", "Just some text (with brackets).", set()),
        ("the of and", "", set()),
        ("Overview", "x", {"overview"}),
        ("", "## Overview\nx", set()),
        ("", "```\n# a comment\n```", set()),
    ],
)
def test_names_are_found(header: str, text: str, expected: set[str]) -> None:
    assert called(header, text) == expected


@pytest.mark.parametrize(
    ("heading", "number"),
    [
        ("4.2 Limits", "section 4.2"), ("§ 280A. Limits", "section 280a"),
        ("Chapter 3: Limits", "chapter 3"), ("Art. 5 - Limits", "articl 5"),
        ("3 Limits", "chapter 3"),
    ],
)  # fmt: skip
def test_headings_are_called_by_their_numbers(heading: str, number: str) -> None:
    assert {number, "limit"} <= called("", f"## {heading}\nText")


def test_a_section_id_that_is_a_number_is_one() -> None:
    assert called(section_id="4.2") == {"section 4.2"}
    assert called(section_id="limits") == set()


def test_the_middle_of_a_document_is_not_called_by_its_first_sentence() -> None:
    text = "Ada Lee Bright is a poet."
    assert "ada lee bright" in called("Poets", text)
    assert "ada lee bright" not in called("Poets", text, position_in_source=1)


@pytest.mark.parametrize(
    ("first", "header"),
    [
        ("# Port Plans\nText", "Port Plans"),
        ("Port Plans\n====\nText", "Port Plans"),
        ("==========\nPort Plans\n==========\n\nText", "Port Plans"),
        ("# Port Plans\n\n## Limits\nText", "Port Plans / Limits"),
        ("## Limits\nText", "Limits"),
    ],
)
def test_a_text_that_begins_with_headings_is_called_as_the_next_with_them_for_a_header(
    first: str, header: str
) -> None:
    whole = names(header, "More.", position_in_source=1)
    assert whole
    opening = {name.key: name for name in names("", first)}
    assert all(opening[name.key].weight >= name.weight for name in whole)


def test_the_heading_of_a_manual_page_is_its_name() -> None:
    page = "PLOUGH(1)            User Commands            PLOUGH(1)\n\nNAME\n  plough\n"
    assert "plough 1" in called("", page, section_id="plough-1")
    options = called("PLOUGH(1)", "ENVIRON\n    HOME\n", section_id="environ")
    assert {"plough 1", "plough 1 environ", "environ"} <= options


def test_a_page_called_as_its_heading_and_the_site_is_called_by_the_heading_alone() -> None:
    weights = {" ".join(name.key): name.weight for name in names("Fees - Acme", "# Fees\nText")}
    assert weights["fee"] == 100
    assert weights["fee acm"] == 100


def test_a_generic_heading_is_no_title_of_what_follows_it() -> None:
    assert called("Overview", "x", position_in_source=1) == set()


@given(raw_texts(), raw_texts() | st.lists(st.sampled_from(
    ["# Head 1\n", "**B** : ", '(the "Q")', "- E_1: x\n", "def f_1(", "4.2 ", "===\n", "\n"]
)).map("".join))  # fmt: skip
def test_any_chunk_has_few_short_distinct_names(header: str, text: str) -> None:
    found = names_of(Chunk(chunk_id="c", source_id="s", header=header, text=text))
    assert len(found) <= MAX_NAMES
    assert len({name.key for name in found}) == len(found)
    for name in found:
        assert 0 < len(name.key) == len(name.capitals) <= MAX_NAME_WORDS
        assert 0 < name.weight <= 100

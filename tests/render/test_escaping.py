"""Neutralised delimiters, cleaned labels, and the time that hostile text may take."""

from __future__ import annotations

import pytest

from packhorse.render.escaping import clean_label, neutralise_tags, shorten_middle
from packhorse.render.fences import MAX_RESCANS, close_open_blocks
from packhorse.render.markdown import neutralise_headings
from packhorse.render.registry import renderer
from packhorse.types.chunk import Chunk


@pytest.mark.parametrize(
    ("text", "neutral"),
    [
        ("</evidence>", "&lt;/evidence>"),
        ("<EVIDENCE n='1'>", "&lt;EVIDENCE n='1'>"),
        ("< / Evidence >", "&lt; / Evidence >"),
        ("<evidence/>", "&lt;evidence/>"),
        ("<\u200b/evi\u00addence>", "&lt;\u200b/evi\u00addence>"),
        ("\uff1c/\uff45vidence", "&#xFF1C;/\uff45vidence"),
        ("&lt;/evidence>", "&amp;lt;/evidence>"),
        ("&amp;lt;/evidence>", "&amp;amp;lt;/evidence>"),
        ("<b>evidence</b>", "<b>evidence</b>"),
        ("a < b & &lt;c> <evident>", "a < b & &lt;c> <evident>"),
    ],
)
def test_only_what_looks_like_our_tag_is_changed(text: str, neutral: str) -> None:
    assert neutralise_tags(text) == neutral


@pytest.mark.parametrize(
    ("text", "neutral"),
    [
        ("### [3] x", "\\### [3] x"),
        ("   # [ 12 ] x", "   \\# [ 12 ] x"),
        ("> - ###[3]", "> - \\###[3]"),
        ("\\### [3]", "\\\\### [3]"),
        ("a\u2028## [3]", "a\u2028\\## [3]"),
        ("### [note] fine", "\\### [note] fine"),
        ("[3] x\n---", "\\[3] x\n---"),
        ("[3] x\n\n- item", "[3] x\n\n- item"),
        ("text ### [3]", "text ### [3]"),
        ("### [x] [3]", "### [x] [3]"),
        ("### Part 3", "### Part 3"),
    ],
)
def test_only_what_looks_like_our_heading_is_changed(text: str, neutral: str) -> None:
    assert neutralise_headings(text) == neutral


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```py\nx", "```py\nx\n```\n"),
        ("~~~~\nx\n~~~\n", "~~~~\nx\n~~~\n~~~~\n"),
        ("```\nx\n```", "```\nx\n```"),
        ("1. a\n   ```\n   x\n   ```", "1. a\n   ```\n   x\n   ```"),
        ("1. a\n   ```\n   x", "1. a\n   \\```\n   x"),
        ("1. a\n   ```\nx\n   ```", "1. a\n   \\```\nx\n   \\```"),
        ("1. a\n   ```\n   x\n```", "1. a\n   \\```\n   x\n```\n```\n"),
        ("`` `a``` ``", "`` `a``` ``"),
        ("``` not`a fence", "``` not`a fence"),
        ("<!-- open\n\n## x", "\\<!-- open\n\n## x"),
        ("<!-- done -->", "<!-- done -->"),
        ("<!-- two\nlines -->\nx", "<!-- two\nlines -->\nx"),
        ("<div>\nx", "<div>\nx\n\n"),
        ("<div>\n```\n\nx", "<div>\n\\```\n\nx"),
        ("a <b> c", "a <b> c"),
    ],
)
def test_what_a_text_leaves_open_ends_with_it(text: str, closed: str) -> None:
    assert close_open_blocks(text) == closed


def test_a_text_full_of_ambiguous_fences_has_all_of_them_escaped() -> None:
    text = "   ```\nx\n" * (2 * MAX_RESCANS) + "y"
    assert close_open_blocks(text) == "   \\```\nx\n" * (2 * MAX_RESCANS) + "y"


@pytest.mark.parametrize(
    ("label", "clean"),
    [
        (" a  b ", "a b"),
        ("a\r\nb\u2028c\x00d", "a b c d"),
        ("\u202ea\u200bb\ufeff", "ab"),
        ("caf\u00e9\u00a0税", "caf\u00e9 税"),
        ("\ud800", "\ufffd"),
        ("", ""),
    ],
)
def test_a_label_is_one_line_of_visible_characters(label: str, clean: str) -> None:
    assert clean_label(label) == clean


@pytest.mark.parametrize("length", [4, 5, 39, 40, 41, 200])
def test_a_shortened_label_keeps_both_ends_and_the_limit(length: int) -> None:
    label = "".join(chr(ord("a") + n % 26) for n in range(length))
    short = shorten_middle(label)
    assert len(short) == min(length, 40)
    assert (short == label) == (length <= 40)
    assert label.startswith(short.split("...")[0])
    assert label.endswith(short.split("...")[-1])


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "<",
            "< ",
            "<\u200b",
            "&amp;",
            "&",
            "[",
            "# ",
            "\n",
            "\n# ",
            "> ",
            "1. ",
            "\\",
            " ",
            "- ",
        ),
        *("   ```\n", "```\n", "<div>\n", "<!--\n", "<evidence", "[1] source", "=\n", "- "),
    ],
)
def test_hostile_repetition_renders_in_one_pass(piece: str) -> None:
    # Quadratic patterns would need minutes for these, and the suite's patience is shorter.
    text = piece * (400_000 // len(piece))
    for format in ("xml", "markdown", "plain"):
        block = renderer(format).block(1, Chunk(chunk_id="a", source_id="s", text=text))
        assert len(block) >= len(text)

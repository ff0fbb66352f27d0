"""What counts as text that a reader could see."""

import pytest

from packhorse.ingest.visible import has_visible_text


@pytest.mark.parametrize(
    "text", ["a", "7", "漢", "!!!", "→", "😀", " \u200bx", "\u3164a", "e\u0301"]
)
def test_letters_digits_marks_and_signs_are_visible(text: str) -> None:
    assert has_visible_text(text)


@pytest.mark.parametrize(
    "text",
    ["", " \n\t", "\u00a0\u3000\u2028", "\u200b\u200d\u2060\ufeff", "\x00\x1b", "\u202e\u2066",
     "\u3164", "\u2800", "\ufe0f", "\u0301"],
)  # fmt: skip
def test_blanks_controls_and_fillers_are_not(text: str) -> None:
    assert not has_visible_text(text)

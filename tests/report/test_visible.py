"""What hides in a text is spelled out; everything else stays as it is."""

import pytest
from hypothesis import given

from packhorse.report.visible import visible
from tests.strategies import raw_texts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\nof two lines", "plain\ttext\nof two lines"),
        ("a\r\nb\rc", "a\nb\\rc"),
        ("\x00\x1b\x7f\x9b", "\\x00\\x1b\\x7f\\x9b"),
        ("a\u202eb\u2066c\u200fd\u061c", "a\\u202eb\\u2066c\\u200fd\\u061c"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\ud800x\udfff", "\\ud800x\\udfff"),
        ("\U000e0041\U0010ffff\ufffe", "\\U000e0041\\U0010ffff\\ufffe"),
        (
            "family \U0001f468\u200d\U0001f469, می\u200cخواهم, é, \ufffd",
            "family \U0001f468\u200d\U0001f469, می\u200cخواهم, é, \ufffd",
        ),
    ],
)
def test_hidden_characters_are_spelled(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(raw_texts())
def test_what_is_visible_stays_so_and_can_be_written(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    shown.encode("utf-8")

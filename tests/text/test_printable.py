"""What stands in documents is shown, never acted on."""

import pytest

from packhorse.text.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tax-kb-0151", "tax-kb-0151"),
        ("äö 語", "äö 語"),
        ("a\n[PASS] b", "a\\n[PASS] b"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("x\u202ey", "x\\u202ey"),
    ],
)
def test_what_a_terminal_would_act_on_is_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown

"""The headings that a text begins with."""

import pytest

from packhorse.text.opening import opening_headings


@pytest.mark.parametrize(
    ("text", "section", "expected"),
    [
        ("# A\n## B\ntext\n### C", "", ["A", "B"]),
        ("\n\n# A `b` #\n\n# C\n", "", ["A b"]),
        ("## A\n# B\n", "", ["A"]),
        ("Words.\n# A\n", "", []),
        ("A\n===\n\nB\n---\n", "", ["A", "B"]),
        ("*****\nA\n*****\ntext", "", ["A"]),
        ("# \ntext", "", []),
        ("LS(1)     User Commands     LS(1)\n", "ls-1", ["LS(1)"]),
        ("EXIT STATUS\n    0\n", "exit-status", ["EXIT STATUS"]),
        ("Exit with this\n", "other", []),
        ("", "other", []),
        ("#!/bin/sh\n", "", []),
    ],
)
def test_they_are_found_in_order(text: str, section: str, expected: list[str]) -> None:
    assert opening_headings(text, section) == expected

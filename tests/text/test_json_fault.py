"""What is wrong with a JSON text, in a person's words."""

import json

import pytest

from packhorse.text.json_fault import json_fault


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("[" * 100_000, "it is nested too deep"),
        ('{"a": 1}\n{"a": 2}\n', "it is JSON Lines, with one document a line, and one alone is"),
        ("1" * 5000, "a number has too many digits"),
        ('{"a": 1} x', "Extra data: "),
        ("[1", "Expecting ',' delimiter: "),
    ],
)
def test_the_fault_is_named(text: str, said: str) -> None:
    with pytest.raises((ValueError, RecursionError)) as caught:
        json.loads(text)
    assert json_fault(caught.value, text).startswith(said)

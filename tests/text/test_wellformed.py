"""Text becomes what UTF-8 can hold, and nothing else about it changes."""

import pytest
from hypothesis import given

from packhorse.text.wellformed import well_formed
from tests.strategies import raw_texts, texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("税 👍🏽 \ufeff", "税 👍🏽 \ufeff"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
    ],
)
def test_pairs_are_joined_and_lone_surrogates_replaced(text: str, expected: str) -> None:
    assert well_formed(text) == expected


@given(text=raw_texts())
def test_the_result_can_be_encoded_and_stays_as_it_is(text: str) -> None:
    result = well_formed(text)
    assert result.encode("utf-8").decode("utf-8") == result
    assert well_formed(result) == result


@given(text=texts())
def test_well_formed_text_comes_back_unchanged(text: str) -> None:
    assert well_formed(text) is text

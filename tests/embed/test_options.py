"""Options behind the name of a model: read as they were written, or refused with the place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.embed.options import read_options, whole_number
from packhorse.errors import ConfigError

KNOWN = ("dimensions", "question", "passage")


def test_values_are_plain_or_in_quotes() -> None:
    text = 'dimensions=256,question="search_query: ",passage=a:b c'
    assert read_options(text, KNOWN) == {
        "dimensions": "256",
        "question": "search_query: ",
        "passage": "a:b c",
    }
    assert read_options("", KNOWN) == {}
    assert read_options('question=""', KNOWN) == {"question": ""}
    assert read_options(r'question="Find, please:\nQuery: \"x\" "', KNOWN) == {
        "question": 'Find, please:\nQuery: "x" '
    }


@given(st.dictionaries(st.sampled_from(KNOWN), st.text()))
def test_what_is_quoted_as_json_comes_back(values: dict[str, str]) -> None:
    text = ",".join(f"{name}={json.dumps(value)}" for name, value in values.items())
    assert read_options(text, KNOWN) == values


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("quest=x", "Unknown option 'quest' at character 1"),
        ("dimensions=1,quest=x", "Unknown option 'quest' at character 14"),
        ("question", "No `name=` at character 1"),
        ("dimensions=1,", "No `name=` at character 14"),
        (",dimensions=1", "No `name=` at character 1"),
        ("dimensions=1,dimensions=2", "Another dimensions at character 14"),
        ("question=", "A value that needs quotes, '', at character 10"),
        ("question=query: ,passage=x", "A value that needs quotes, 'query: '"),
        ("question= x", "A value that needs quotes, ' x'"),
        ('question=a"b"', "A value that needs quotes, 'a', at character 10"),
        ('question="a', "A quoted value that cannot be read at character 10"),
        ('question="a\n"', "A quoted value that cannot be read"),
        (r'question="\x"', "A quoted value that cannot be read"),
        (r'question="\ud800"', "Half of a surrogate pair"),
        ('question="a"b', "Something after a closing quote at character 13"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place_and_a_hint(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_options(text, KNOWN)
    assert told in caught.value.message
    assert caught.value.hint


@given(st.text(alphabet='adimensoq=",\\ \n:1'))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read_options(text, KNOWN)
    except ConfigError:
        return
    assert set(found) <= set(KNOWN)


def test_numbers_are_above_zero() -> None:
    assert whole_number("length", "512", "length=512") == 512
    for value in ("0", "-1", "1.5", "many", "", "٣"):
        with pytest.raises(ConfigError, match="no number from 1 to 999999999"):
            whole_number("length", value, "length=512")

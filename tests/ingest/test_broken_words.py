"""Words that line breaks cut: one piece again where the document says how they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.ingest.broken_words import joined_words


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("gunzip can cur\u2010\n       rently decompress", "gunzip can currently decompress"),
        ("sup\u00ad\nported", "supported"),
        # The keyboard's hyphen goes, or stays without its break, where the text writes it so.
        ("infor-\nmation, that is: information", "information, that is: information"),
        ("a read\u2010\nonly file is read-only", "a read-only file is read-only"),
        ("a read-\n only file is Read\u2010only", "a read-only file is Read\u2010only"),
        ("pre- and post-\nprocessing", "pre- and post-\nprocessing"),
        ("- one\n- two", "- one\n- two"),
        ("1990-\n1999", "1990-\n1999"),
        ("the end -\nof it", "the end -\nof it"),
        ("a line -----\nbelow", "a line -----\nbelow"),
        ("na\u2010\nt\u00fcrlich", "nat\u00fcrlich"),
        ("", ""),
    ],
)
def test_a_word_is_joined_as_the_document_writes_it(text: str, joined: str) -> None:
    assert joined_words(text) == joined


@given(st.text(alphabet="ab1-\u2010\u00ad .\n", max_size=60))
def test_nothing_but_hyphens_and_white_space_is_lost(text: str) -> None:
    gone = str.maketrans("", "", "-\u2010\u00ad \n")
    once = joined_words(text)
    assert once.translate(gone) == text.translate(gone)
    assert len(once) <= len(text)

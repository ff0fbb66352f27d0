"""What is searched of a chunk, and how long that is."""

from hypothesis import given

from packhorse.kb.searchable import searchable_length, searchable_text
from packhorse.types.chunk import Chunk
from tests.strategies import texts


@given(texts(), texts())
def test_the_length_is_that_of_the_searchable_text(header: str, text: str) -> None:
    for each in (header, ""):
        chunk = Chunk(chunk_id="a", source_id="s", header=each, text=text)
        assert searchable_length(chunk) == len(searchable_text(chunk))

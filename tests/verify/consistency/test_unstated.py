"""Commands, code, cells and notes state nothing; prose of the same words does."""

import pytest

from packhorse.types.chunk import Chunk
from packhorse.verify.consistency import find_conflicts
from packhorse.verify.consistency.statements import facts_of


def stated(text: str) -> list[str]:
    return [each.sentence.text for each in facts_of(text).statements]


@pytest.mark.parametrize(
    "text",
    [
        "curl --retry 7 https://example.com",
        "       curl --retry 5 --retry-all-errors https://example.com",
        "$ ship deploy 3 replicas",
        "tar -czf backup.tar.gz files",
        "[introduced in grep 3.5]",
        "[bug present since the first release of grep 2.7].",
        "Added in curl 7.66.",
        "New in release 3.8.",
        "* Noteworthy changes in release 3.3 (2018-12-20) [stable]",
        "HHsed v1.5:     4000 bytes",
        "sed lines   4000 bytes   50 files",
        "name\t40 characters",
        "    retry count forty 7",
        "\tretry count forty 7",
        "retries = load(7);",
        "The default is 7 characters.",
        "Default value is 30 seconds.",
    ],
)
def test_what_is_no_prose_states_nothing(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Use --depth 3 if you need the last commits.",
        "The option -x is for 3 files.",
        "       Curl makes 7 attempts in 30 seconds.",
        "    - retry count 7",
        "    2) retry count 7",
        "Port: 8080",
        "The  limit  is  10  requests.",
        "The default timeout is 30 seconds.",
        "The default is 30 days for refunds of customers.",
        "Introduced in 2015, the bridge carries 30,000 vehicles each day over the river.",
        "The city (introduced in law 3.5) has 7 parks.",
        "Parks are few; streets are many; 3 remain.",
        "The year 2019 -- the third one -- had 7 storms.",
    ],
)
def test_prose_and_items_of_lists_state_something(text: str) -> None:
    assert stated(text)


SED = "Lines at once:\n\n      HHsed v1.5:     {}\n      sed v1.6:       [pending]\n"
CURL = "Example:\n\n       curl --retry {} https://example.com\n\n       See also.\n"
NEWS = "  grep no longer loops with an empty pattern.\n  [introduced in grep {}]\n"


@pytest.mark.parametrize(
    ("text", "a", "b"),
    [(SED, "4000 bytes", "10"), (CURL, "5", "7"), (NEWS, "3.5", "2.7")],
)
def test_examples_cells_and_notes_of_two_chunks_do_not_conflict(text: str, a: str, b: str) -> None:
    chunks = [
        Chunk(chunk_id=f"c{at}", source_id="doc.txt", text=text.format(value))
        for at, value in enumerate((a, b))
    ]
    assert find_conflicts(chunks) == ()

"""Links beside a text come back into it for whoever looks for names; anything else is no link."""

import pytest

from packhorse.text.links import ANCHORS, LINKS, MAX_LINKS, anchors_of, linked_text
from packhorse.types.chunk import Chunk


def chunk(**metadata: object) -> Chunk:
    return Chunk(chunk_id="c", source_id="a.html", text="See this now.", metadata=metadata)


def test_links_stand_before_their_words_in_the_form_of_markdown() -> None:
    links = [[4, "x.html"], [4, "#y"], [9, "z.html#w"]]
    assert linked_text(chunk(**{LINKS: links})) == (
        "See  ](<x.html>  ](<#y> this  ](<z.html#w> now."
    )
    assert linked_text(chunk()) == "See this now."


@pytest.mark.parametrize(
    "said",
    [
        "x.html", 7, None, {"a": 1}, ["x.html"], [[4]], [["4", "x"]], [[True, "x"]], [[-1, "x"]],
        [[99, "x"]], [[4, 5]], [[4, "a b"]], [[4, "a>b"]], [[4, ""]], [[4, "a\nb"]],
    ],
)  # fmt: skip
def test_a_field_of_somebody_elses_is_no_link(said: object) -> None:
    assert linked_text(chunk(**{LINKS: said})) == "See this now."


def test_a_chunk_has_only_so_many() -> None:
    text = linked_text(chunk(**{LINKS: [[0, f"{n}"] for n in range(MAX_LINKS + 9)]}))
    assert text.count("](<") == MAX_LINKS
    assert len(anchors_of(chunk(**{ANCHORS: ["a"] * (MAX_LINKS + 9)}))) == MAX_LINKS
    assert anchors_of(chunk(**{ANCHORS: ["a", 3, "b c"]})) == ("a",)

"""What a knowledge base that knows what stands around a chunk must do: inherit, and say `make`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.protocols import HasNeighbours
from packhorse.types.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import Embedder, KnowledgeBase

__all__ = ["NeighboursContract"]

NOTHING = ((), ())


def piece(chunk_id: str, source_id: str, position: int = 0, section_id: str = "") -> Chunk:
    """A chunk of which only the place matters."""
    return Chunk(
        chunk_id=chunk_id,
        source_id=source_id,
        text=f"text of {chunk_id}",
        position_in_source=position,
        section_id=section_id,
    )


# Ids do not follow the positions, and positions have a gap.
BOOK = (
    piece("e", "book", 0, "intro"),
    piece("a", "book", 1, "intro"),
    piece("d", "book", 2, "use"),
    piece("b", "book", 5, "use"),
    piece("c", "book", 6, "intro"),
)
OTHERS = (
    piece("p", "plain", 0),
    piece("o", "plain", 1),
    piece("q", "records", 0),
    piece("r", "records", 0),
    piece("s", "named", 0, "one"),
    piece("t", "named", 0, "two"),
    piece("u", "named", 0, "one"),
)


class NeighboursContract:
    """Tests of one implementation of `packhorse.protocols.HasNeighbours`."""

    def make(self, chunks: Sequence[Chunk], embedder: Embedder | None) -> KnowledgeBase:
        """A knowledge base of these chunks; without an embedder it has no vectors."""
        raise NotImplementedError

    def _kb(self) -> tuple[KnowledgeBase, HasNeighbours]:
        kb = self.make((*BOOK, *OTHERS), None)
        assert isinstance(kb, HasNeighbours)
        return kb, kb

    def test_neighbours_follow_positions_and_not_ids(self) -> None:
        kb, beside = self._kb()
        assert beside.neighbours("d", 1) == (("a",), ("b",))
        assert beside.neighbours("d", 9) == (("e", "a"), ("b", "c"))
        assert beside.neighbours("e", 2) == ((), ("a", "d"))
        assert beside.neighbours("c", 1) == (("b",), ())
        assert beside.neighbours("d", 0) == NOTHING
        kb.close()

    def test_neighbours_are_of_one_source(self) -> None:
        kb, beside = self._kb()
        assert beside.neighbours("p", 9) == ((), ("o",))
        assert beside.neighbours("o", 9) == (("p",), ())
        kb.close()

    def test_a_section_is_what_follows_each_other_under_one_name(self) -> None:
        kb, beside = self._kb()
        assert beside.section("a", 9) == (("e",), ())
        assert beside.section("d", 9) == ((), ("b",))
        assert beside.section("c", 9) == NOTHING
        assert beside.section("a", 0) == NOTHING
        kb.close()

    def test_a_source_without_sections_is_one(self) -> None:
        kb, beside = self._kb()
        assert beside.section("o", 9) == (("p",), ())
        kb.close()

    def test_chunks_of_one_position_have_no_neighbours_and_named_sections_alone(self) -> None:
        kb, beside = self._kb()
        assert beside.neighbours("q", 3) == NOTHING
        assert beside.section("q", 3) == NOTHING
        assert beside.neighbours("s", 3) == NOTHING
        assert beside.section("u", 3) == (("s",), ())
        assert beside.section("t", 3) == NOTHING
        kb.close()

    def test_an_unknown_chunk_has_nothing_around_it(self) -> None:
        kb, beside = self._kb()
        assert beside.neighbours("nobody", 1) == NOTHING
        assert beside.section("nobody", 1) == NOTHING
        kb.close()

"""A damaged search index is a clear error, never a panic of the library below."""

from pathlib import Path

import pytest

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import StoreError
from packhorse.kb.damage import damage_named
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.writer import IndexWriter
from packhorse.types.chunk import Chunk


class PanicException(BaseException):
    """Looks like what pyo3 raises."""


def test_a_panic_names_what_is_damaged_and_the_next_step() -> None:
    with (
        pytest.raises(StoreError, match="kb/bm25 is damaged: mid > len") as caught,
        damage_named(Path("kb/bm25")),
    ):
        raise PanicException("mid > len")
    assert "Build the index again" in caught.value.hint


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interrupt_is_no_damage(kind: type[BaseException]) -> None:
    with pytest.raises(kind), damage_named("it"):
        raise kind


def test_a_long_reason_is_cut() -> None:
    with pytest.raises(StoreError) as caught, damage_named("it"):
        raise ValueError("x" * 5000)
    assert len(caught.value.message) < 200


def test_flipped_bytes_in_the_inverted_index_give_store_errors_or_results(tmp_path: Path) -> None:
    with IndexWriter(tmp_path, embedder=None) as writer:
        words = ["refund in thirty days", "guide to spaces", "the kitchen closes at nine"]
        chunks = [Chunk(chunk_id=f"c{n}", source_id="s", text=t) for n, t in enumerate(words)]
        writer.stage("origin", chunks)
        writer.commit()
    outcomes = set()
    for path in sorted((tmp_path / "gen-000001" / "bm25").iterdir()):
        data = path.read_bytes()
        for at in range(0, len(data), 3):
            flipped = bytearray(data)
            flipped[at] ^= 0xFF
            # A new file each time: what a reader has mapped must not shrink under it.
            path.unlink()
            path.write_bytes(bytes(flipped))
            outcomes.add(searched(tmp_path))
        path.unlink()
        path.write_bytes(data)
    assert outcomes == {"found", "damaged: Build the index again, into a new directory"}
    assert searched(tmp_path) == "found"


def searched(folder: Path) -> str:
    try:
        with LocalKnowledgeBase(folder, policy=KnowledgeBasePolicy(name="test")) as kb:
            kb.search("refund guide kitchen", None, 5)
    except StoreError as error:
        return f"damaged: {error.hint}" if "is damaged" in error.message else error.message
    return "found"

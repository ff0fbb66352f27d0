"""Checks a whole index: every file, record, vector and count against what was published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.errors import StoreError
from packhorse.kb.damage import BUILD_AGAIN
from packhorse.kb.generation import check_files
from packhorse.kb.manifest import generation_folder
from packhorse.kb.snapshot import snapshot_of

if TYPE_CHECKING:
    from packhorse.kb.local import LocalKnowledgeBase

__all__ = ["check_index"]

_AT_ONCE = 500
_UNIT_SLACK = 1e-3


def check_index(kb: LocalKnowledgeBase) -> None:
    """Reads everything and compares. O(n); holds 500 chunks and all content hashes.

    Raises:
        StoreError: the first thing that is wrong.
    """
    n = kb.manifest.chunks
    generation = kb.generation
    check_files(generation_folder(kb.path, kb.manifest.generation), kb.manifest.files)
    if len(generation.ids) != n:
        raise _damaged(kb, f"{len(generation.ids)} ids for {n} chunks")
    hashes: list[str] = []
    last = ""
    for start in range(0, n, _AT_ONCE):
        ids = [generation.ids[row] for row in range(start, min(n, start + _AT_ONCE))]
        if any(second <= first for first, second in zip([last, *ids], ids, strict=False) if first):
            raise _damaged(kb, f"ids out of order near {ids[0]!r}")
        last = ids[-1]
        for row, (chunk_id, chunk) in enumerate(sorted(kb.stored(ids).items()), start=start):
            found = chunk.content_hash()
            if chunk.chunk_id != chunk_id or found != generation.content_hash(row).hex():
                raise _damaged(kb, f"chunk {chunk_id!r} is not what was indexed")
            hashes.append(found)
    if snapshot_of(hashes) != kb.manifest.snapshot:
        raise _damaged(kb, "the chunks do not add up to the snapshot")
    _check_vectors(kb)
    _check_names(kb)


def _check_names(kb: LocalKnowledgeBase) -> None:
    import numpy as np

    names = kb.generation.names
    sizes = np.diff(names.ends, prepend=0)
    rows = names.called[:, 0] >> np.uint64(32)
    if len(names.ends) != len(names.keys) or len(names.held) != len(names.keys):
        raise _damaged(kb, f"{len(names.keys)} names, {len(names.ends)} ends")
    if (names.keys[1:] <= names.keys[:-1]).any():
        raise _damaged(kb, "names out of order")
    if (sizes < 1).any() or sizes.sum() != len(rows) or (rows >= kb.manifest.chunks).any():
        raise _damaged(kb, "names of chunks that do not exist")
    if (names.held > kb.manifest.chunks).any():
        raise _damaged(kb, "names that more chunks mention than there are")


def _check_vectors(kb: LocalKnowledgeBase) -> None:
    import numpy as np

    vectors = kb.generation.vectors
    if vectors is None:
        return
    if len(vectors) != kb.manifest.chunks:
        raise _damaged(kb, f"{len(vectors)} vectors for {kb.manifest.chunks} chunks")
    for start in range(0, len(vectors), _AT_ONCE):
        lengths = np.linalg.norm(vectors[start : start + _AT_ONCE].astype(np.float64), axis=1)
        if not (np.isclose(lengths, 1, atol=_UNIT_SLACK) | (lengths == 0)).all():
            raise _damaged(kb, f"a vector between rows {start} and {start + len(lengths)}")


def _damaged(kb: LocalKnowledgeBase, what: str) -> StoreError:
    return StoreError(f"The index in {kb.path} is damaged: {what}", hint=BUILD_AGAIN)

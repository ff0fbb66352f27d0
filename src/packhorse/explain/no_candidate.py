"""What is said of a chunk that a packet has no decision about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError

if TYPE_CHECKING:
    from packhorse.protocols import KnowledgeBase

__all__ = ["no_candidate"]

MOST_NEAR = 3


def no_candidate(
    document: Mapping[str, Any], chunk_id: str, ids: Sequence[str], kb: KnowledgeBase | None
) -> InputError:
    """The error about a chunk that was no candidate: where it was lost, and what to do.

    Args:
        document: a packet's.
        chunk_id: the chunk asked about.
        ids: the packet's candidates.
        kb: what the packet was packed from; tells a chunk that was not found from none at all.
    """
    is_there = kb is None or bool(kb.get([chunk_id]))
    if kb is None:
        why = "retrieval did not find it, or it is not in the knowledge base"
    else:
        why = "retrieval did not find it" if is_there else "it is not in the knowledge base"
    return InputError(
        f"Chunk {chunk_id!r} was no candidate of packet {document['trace_id']}: {why}",
        hint=" ".join(_advice(document, chunk_id, ids, is_there=is_there, asks_kb=kb is None)),
    )


def _advice(
    document: Mapping[str, Any],
    chunk_id: str,
    ids: Sequence[str],
    *,
    is_there: bool,
    asks_kb: bool,
) -> Iterator[str]:
    n_chunks, n_fetched = document["kb"]["chunks"], len(ids)
    if is_there and n_chunks > n_fetched:
        yield (
            f"Raise --candidates ({n_fetched} of {n_chunks} chunks were fetched), or ask with its"
            " words; ranking and budget come next."
        )
    if asks_kb:
        yield "--kb tells whether it is there."
    elif not is_there:
        yield "Check the id."
    near = sorted(each for each in ids if _differs_by_little(chunk_id, each))
    if near:
        yield f"Did you mean {', '.join(near[:MOST_NEAR])}?"


def _differs_by_little(one: str, other: str) -> bool:
    """Whether one character more, less, other or swapped, or upper case, is all.

    Another digit is no slip: where chunks are numbered, it names another chunk.
    """
    if one.casefold() == other.casefold():
        return True
    shorter = min(len(one), len(other))
    head = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    one, other = one[head:], other[head:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    if one.isdigit() and other.isdigit():
        return False
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])  # noqa: PLR2004 - a swap

"""The reranker of a packet: the probabilities that it gave then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.explain.recorded import entries_of
from packhorse.rerank.cross_encoder.judge import Judged

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk

__all__ = ["RecordedJudge", "recorded_judge"]


class RecordedJudge:
    """Says of each candidate what the packet says; no model is loaded, and nobody is asked."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        told = document["reranker"]
        self.model: str = told["model"]
        self.scale: str = told["scale"]
        self._fallback: str = told["fallback"]
        self._scores = {
            entry["chunk_id"]: entry["reranker_score"]
            for entry in entries_of(document)
            if entry.get("reranker_rank") is not None
        }

    def chosen(self, chunks: Sequence[Chunk], rows: Sequence[int]) -> Sequence[int]:
        """Those that were judged then."""
        return [row for row in rows if chunks[row].chunk_id in self._scores]

    def judge(self, query: str, chunks: Sequence[Chunk]) -> Judged:  # noqa: ARG002 - the packet is about one question
        """What was said then."""
        if self._fallback:
            return Judged(fallback=self._fallback)
        return Judged(scores=tuple(self._scores[chunk.chunk_id] for chunk in chunks))


def recorded_judge(document: Mapping[str, Any]) -> RecordedJudge | None:
    """The judge of a packet; None where no reranker took part."""
    return RecordedJudge(document) if "reranker" in document else None

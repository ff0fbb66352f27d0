"""A knowledge base as it was for a packet: the recorded policy, and vectors from the packet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from packhorse.embed.questions import embed_questions
from packhorse.explain.recorded import policy_of, vector_of
from packhorse.kb.closing import Closing
from packhorse.kb.searchable import searchable_text
from packhorse.profiles.trust import trust_for
from packhorse.protocols import HasNeighbours, NamesChunks, ScoresChunks
from packhorse.types.chunk import Chunk
from packhorse.types.decision import InclusionCode

if TYPE_CHECKING:
    from packhorse.protocols import Embedder, KnowledgeBase, SearchResult
    from packhorse.types.arrays import FloatArray

__all__ = ["ReplayedKnowledgeBase", "attached_chunks"]


class ReplayedKnowledgeBase(Closing):
    """Answers like the knowledge base beneath, under the policy that the packet records.

    No model is loaded: the question's vector and those of attached files are in the packet.
    """

    def __init__(self, kb: KnowledgeBase, document: Mapping[str, Any]) -> None:
        self._kb = kb
        self.policy = policy_of(document)
        known = {
            each["chunk_id"]: vector_of(each["vector"])
            for each in document["packing"].get("attached", ())
        }
        self._vectors = {
            searchable_text(chunk): known.get(chunk.chunk_id) for chunk in attached_chunks(document)
        }
        # This one can what the knowledge base beneath can.
        if isinstance(kb, NamesChunks):
            self.named = kb.named
            self.mentions = kb.mentions
        if isinstance(kb, ScoresChunks):
            self.lexical_scores = kb.lexical_scores
        if isinstance(kb, HasNeighbours):
            self.neighbours = kb.neighbours
            self.section = kb.section

    def snapshot(self) -> str:
        """As the knowledge base says."""
        return self._kb.snapshot()

    def search(self, text: str, vector: FloatArray | None, limit: int) -> SearchResult:
        """As the knowledge base finds."""
        return self._kb.search(text, vector, limit)

    def get(self, chunk_ids: Iterable[str]) -> Mapping[str, Chunk]:
        """The chunks that exist, with the trust that the recorded policy gives their sources."""
        stored = getattr(self._kb, "stored", None)
        if stored is None:
            return self._kb.get(chunk_ids)
        return {chunk_id: self._trusted(chunk) for chunk_id, chunk in stored(chunk_ids).items()}

    def vectors(self, chunk_ids: Sequence[str]) -> FloatArray | None:
        """As the knowledge base has them."""
        return self._kb.vectors(chunk_ids)

    def embedder(self) -> Embedder | None:
        """One that knows the attached files; any other text goes to the real one."""
        stats = self._kb.stats()
        if "embedder" not in stats:
            return self._kb.embedder()
        fingerprint = stats["embedder"]
        if fingerprint is None:
            return None
        return _RecordedEmbedder(
            fingerprint=str(fingerprint), vectors=self._vectors, knowledge_base=self._kb
        )

    def stats(self) -> Mapping[str, object]:
        """As the knowledge base says."""
        return self._kb.stats()

    def close(self) -> None:
        """Closes the knowledge base."""
        super().close()
        self._kb.close()

    def _called(self) -> str:
        return self.policy.name

    def _trusted(self, chunk: Chunk) -> Chunk:
        trust = trust_for(chunk.source_id, self.policy.trust)
        return chunk if trust is None else replace(chunk, trust_score=trust)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _RecordedEmbedder:
    fingerprint: str
    vectors: Mapping[str, FloatArray | None]
    knowledge_base: KnowledgeBase

    @property
    def dimension(self) -> int:
        return self._real().dimension

    def embed(self, texts: Sequence[str]) -> FloatArray:
        rows = [self.vectors.get(text) for text in texts]
        known = [row for row in rows if row is not None]
        return np.stack(known) if len(known) == len(rows) > 0 else self._real().embed(texts)

    def embed_questions(self, texts: Sequence[str]) -> FloatArray:
        return embed_questions(self._real(), texts)

    def _real(self) -> Embedder:
        model = self.knowledge_base.embedder()
        if model is None:
            raise ValueError("the knowledge base names an embedder and has none")
        return model


def attached_chunks(document: Mapping[str, Any]) -> tuple[Chunk, ...]:
    """The attached files as chunks, in the order of attaching."""
    entries = {
        entry["chunk_id"]: entry
        for entry in document["packed_chunks"]
        if entry["reason_code"] == InclusionCode.ATTACHED.value
    }
    order = [each["chunk_id"] for each in document["packing"].get("attached", ())] or list(entries)
    return tuple(
        Chunk(
            chunk_id=chunk_id,
            source_id=entries[chunk_id]["source_id"],
            source=entries[chunk_id]["source"],
            header=entries[chunk_id]["header"],
            text=entries[chunk_id]["text"],
            trust_score=entries[chunk_id]["declared_trust"],
        )
        for chunk_id in order
        if chunk_id in entries
    )

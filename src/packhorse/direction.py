"""The direction of a question: its vector, made by the embedder that made the chunks' vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.errors import RetrievalError

if TYPE_CHECKING:
    from packhorse.protocols import KnowledgeBase
    from packhorse.types.arrays import FloatArray

__all__ = ["direction_of"]


def direction_of(kb: KnowledgeBase, text: str) -> FloatArray | None:
    """float32, shape (d,); None for a knowledge base without vectors.

    Raises:
        RetrievalError: the embedder failed.
    """
    embedder = kb.embedder()
    if embedder is None:
        return None
    try:
        direction: FloatArray = embedder.embed([text])[0]
    except (OSError, RuntimeError) as error:
        raise RetrievalError(
            f"The embedder {embedder.fingerprint} failed on the query: {error}",
            hint="Check the embedder, or index with --embedder none",
        ) from error
    return direction

"""The direction of a question: its vector, made by the embedder that made the chunks' vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.embed.questions import embed_questions
from packhorse.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import Embedder, KnowledgeBase
    from packhorse.types.arrays import FloatArray

__all__ = ["cosines_with", "direction_of"]


def direction_of(kb: KnowledgeBase, text: str) -> FloatArray | None:
    """float32, shape (d,); None for a knowledge base without vectors.

    Raises:
        RetrievalError: the embedder failed.
    """
    embedder = kb.embedder()
    if embedder is None:
        return None
    direction: FloatArray = _embedded(embedder, [text], "query")[0]
    return direction


def cosines_with(
    embedder: Embedder | None, direction: FloatArray | None, texts: Sequence[str]
) -> list[float] | None:
    """Cosine of a question's direction with each other question; None where there is no direction.

    Raises:
        RetrievalError: the embedder failed.
    """
    if embedder is None or direction is None:
        return None
    vectors = _embedded(embedder, texts, "examples of query types")
    return [float(each) for each in (vectors.astype(float) * direction.astype(float)).sum(1)]


def _embedded(embedder: Embedder, texts: Sequence[str], what: str) -> FloatArray:
    try:
        return embed_questions(embedder, texts)
    except (OSError, RuntimeError) as error:
        raise RetrievalError(
            f"The embedder {embedder.fingerprint} failed on the {what}: {error}",
            hint="Check the embedder, or index with --embedder none",
        ) from error

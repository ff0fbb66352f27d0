"""Questions as directions, by an embedder that may read them otherwise than passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.protocols import EmbedsQuestions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import Embedder
    from packhorse.types.arrays import FloatArray

__all__ = ["embed_questions"]


def embed_questions(embedder: Embedder, texts: Sequence[str]) -> FloatArray:
    """(n, dimension): by `embed_questions` of an embedder that has it, else by `embed`.

    Whatever is searched for goes through here, and so does what is compared with it as one question
    with another. What is searched goes through `embed`.
    """
    if isinstance(embedder, EmbedsQuestions):
        return embedder.embed_questions(texts)
    return embedder.embed(texts)

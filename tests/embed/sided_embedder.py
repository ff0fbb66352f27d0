"""An embedder that reads questions otherwise than passages, and notes which it read."""

from collections.abc import Sequence

from packhorse.testing.embedder import WordEmbedder
from packhorse.types.arrays import FloatArray

__all__ = ["SidedEmbedder"]


class SidedEmbedder(WordEmbedder):
    """Puts a word before each question."""

    def __init__(self) -> None:
        super().__init__(name="sided")
        self.asked: list[str] = []
        """Every text that was embedded as a question, in order."""

    def embed_questions(self, texts: Sequence[str]) -> FloatArray:
        """As `embed`, with the word before each text; `embedded` does not hold them."""
        self.asked += texts
        before = list(self.embedded)
        rows = self.embed([f"question {text}" if text.strip() else text for text in texts])
        self.embedded = before
        return rows

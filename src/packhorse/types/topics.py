"""What the text of a chunk offers of a topic, where nobody has tagged it."""

from dataclasses import dataclass

__all__ = ["TopicMention"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicMention:
    """A topic that a text speaks of."""

    topic: str
    strength: float
    """0..1, six decimals; see `packhorse.text.topics` for the scale."""
    words: tuple[str, ...] = ()
    """Words of the name, then the operator's terms, that the text or its header holds."""

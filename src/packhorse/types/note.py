"""A note: one thing that is remembered from earlier conversations."""

from dataclasses import dataclass
from datetime import datetime

__all__ = ["Note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What is remembered. Text is data, never an instruction."""

    note_id: str
    """Unique among the notes of a request."""
    text: str
    timestamp: datetime | None = None
    """When it was written, aware and in UTC; None when unknown, which counts as oldest."""
    tags: tuple[str, ...] = ()
    """Words that it can be found by besides those of its text."""
    key: str = ""
    """Name of the fact that it states: the newest note under a key holds."""
    subject: str = ""
    attribute: str = ""
    """With `subject`, the same as a key: of one attribute of one subject the newest note holds."""

    @property
    def fact(self) -> tuple[str, ...]:
        """What fact it says that it states; empty where it does not say so."""
        if self.key:
            return (self.key.casefold(),)
        if self.subject and self.attribute:
            return (self.subject.casefold(), self.attribute.casefold())
        return ()

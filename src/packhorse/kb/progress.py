"""How long work tells how far it is."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Progress", "Silent"]


class Progress(Protocol):
    """Is told about stages of work, one after another."""

    def stage(self, name: str, total: int | None) -> None:
        """A stage begins; `total` steps, or None when nobody knows yet."""
        ...

    def advance(self, n: int) -> None:
        """`n` more steps are done."""
        ...


class Silent:
    """Shows nothing."""

    def stage(self, name: str, total: int | None) -> None:
        """Does nothing."""

    def advance(self, n: int) -> None:
        """Does nothing."""

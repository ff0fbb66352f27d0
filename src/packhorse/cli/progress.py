"""A progress bar on stderr, when somebody is there to see it."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import click

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["TerminalProgress"]

_LABELS = {"read": "Reading", "embed": "Embedding", "index": "Indexing"}


class TerminalProgress:
    """One bar a stage; nothing at all when stderr is no terminal or `quiet` is set.

    Stages without a known total are not shown. Use as a context manager, so that the last bar ends.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._stack = ExitStack()
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def stage(self, name: str, total: int | None) -> None:
        """Ends the bar of the stage before, and begins one of `total` steps."""
        self._stack.close()
        self._bar = None
        if self._shown and total:
            label = _LABELS.get(name, name.capitalize())
            bar = click.progressbar(length=total, label=label, file=sys.stderr)
            self._bar = self._stack.enter_context(bar)

    def advance(self, n: int) -> None:
        """Moves the bar on."""
        if self._bar is not None:
            self._bar.update(n)

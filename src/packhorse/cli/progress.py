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

    A stage without a known total is a running count. Use as a context manager, so that the last
    line ends.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._stack = ExitStack()
        self._bar: Any = None
        self._label = ""
        self._counted = 0

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
        self._label, self._counted = "", 0
        label = _LABELS.get(name, name.capitalize())
        if self._shown and total is None:
            self._label = label
        elif self._shown and total:
            bar = click.progressbar(length=total, label=label, file=sys.stderr)
            self._bar = self._stack.enter_context(bar)

    def advance(self, n: int) -> None:
        """Moves the bar on."""
        if self._bar is not None:
            self._bar.update(n)
        elif self._label:
            if not self._counted:
                self._stack.callback(click.echo, file=sys.stderr)
            self._counted += n
            click.echo(f"\r{self._label}  {self._counted} chunks", file=sys.stderr, nl=False)

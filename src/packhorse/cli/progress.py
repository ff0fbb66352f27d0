"""How far long work is, on stderr: a bar for a terminal, a line a stage for anything else."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

import click

from packhorse.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = ["TerminalProgress"]

_LABELS = {
    "read": "Reading",
    "embed": "Embedding",
    "index": "Indexing",
    "evaluate": "Evaluating",
    "packets": "Reading packets,",
    "search": "Searching",
}
_COUNTED = {"evaluate": "question", "packets": "byte", "search": "setting"}
"""What the steps of a stage are, where they are no chunks."""
_LINES = {
    "first": "Indexing documents for the first use",
    "again": "Indexing documents again: they have changed",
    "read": "Reading documents",
}
"""What a stage without a known total is called when it has a line of its own."""
_ANNOUNCED = ("first", "again")
"""Stages that are a line even where bars are shown: they say why there is work at all."""
_LEAST_SECONDS = 10
"""Shorter work is not worth a line, and a shorter rest no estimate."""


class TerminalProgress:
    """Shows nothing at all when `quiet` is set. Use as a context manager, so that lines end.

    On a terminal a stage is a bar, or a running count where the total is not known. Elsewhere it
    is one line. That of the embedding comes with the first batch, whose time tells how long the
    rest will take. Lines are held back until the work has taken some seconds or will take more:
    short work is silent, and an error after it stands alone.
    """

    def __init__(self, *, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._quiet = quiet
        self._bars = not quiet and sys.stderr.isatty()
        self._clock = clock
        self._began = clock()
        self._held: list[str] = []
        self._speaks = False
        self._stack = ExitStack()
        self._bar: Any = None
        self._label = ""
        self._counted = 0
        self._waiting: tuple[str, int, float] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._waiting = None
        self._stack.close()

    def stage(self, name: str, total: int | None) -> None:
        """Ends the stage before, and begins one of `total` steps.

        What stands behind a space in the name is what the stage is about, and is shown.
        """
        self._stack.close()
        self._bar, self._label, self._counted, self._waiting = None, "", 0, None
        name, _, subject = name.partition(" ")
        label = _LABELS.get(name, name.capitalize()) + (f" {printable(subject)}" if subject else "")
        if self._quiet or total == 0:
            return
        if name in _ANNOUNCED or not self._bars:
            self._begin_line(name, label, total)
        elif total is None:
            self._label = label
        else:
            bar = click.progressbar(length=total, label=label, file=sys.stderr)
            self._bar = self._stack.enter_context(bar)

    def advance(self, n: int) -> None:
        """Moves on by `n` steps."""
        if self._bar is not None:
            self._bar.update(n)
        elif self._label:
            if not self._counted:
                self._stack.callback(click.echo, file=sys.stderr)
            self._counted += n
            click.echo(f"\r{self._label}  {self._counted} chunks", file=sys.stderr, nl=False)
        elif self._waiting is not None:
            line, total, began = self._waiting
            self._waiting = None
            rest = (self._clock() - began) * (total - n) / n if n else 0.0
            self._say(line + _about(rest), rest=rest)
        elif self._held:
            self._release()

    def _begin_line(self, name: str, label: str, total: int | None) -> None:
        if total is None:
            self._say(_LINES.get(name, label))
            return
        noun = _COUNTED.get(name, "chunk")
        between = ": " if label not in _LABELS.values() else " "
        line = f"{label}{between}{total} {noun if total == 1 else f'{noun}s'}"
        if name == "embed":
            self._waiting = (line, total, self._clock())
        else:
            self._say(line)

    def _say(self, line: str, rest: float = 0.0) -> None:
        self._held.append(line)
        self._release(rest)

    def _release(self, rest: float = 0.0) -> None:
        """Prints what was held back, once `rest` seconds more or the time so far are worth it."""
        self._speaks |= max(rest, self._clock() - self._began) >= _LEAST_SECONDS
        if not self._speaks:
            return
        for line in self._held:
            click.echo(f"[INFO] {line}", err=True)
        self._held.clear()


def _about(seconds: float) -> str:
    if seconds < _LEAST_SECONDS:
        return ""
    minutes = round(seconds / 60)
    return f" (about {minutes} min)" if minutes else f" (about {round(seconds, -1):.0f} s)"

"""The knowledge base that a command is about: its two options, and opening it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from packhorse.protocols import KnowledgeBase

__all__ = ["open_source", "source_options"]


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--embedder` and `--skip-bad-lines`, which say how a source is read."""
    embedder = click.option(
        "--embedder",
        help="Embedder for a source that is not indexed yet; of an index, where its model is now.",
    )
    skip = click.option(
        "--skip-bad-lines", is_flag=True, help="Go on without bad lines of a chunks file."
    )
    return embedder(skip(command))


def open_source(
    source: str, *, embedder: str | None, skip_bad_lines: bool, quiet: bool
) -> KnowledgeBase:
    """Opens a knowledge base, showing how far indexing has come."""
    from packhorse.api import open_kb
    from packhorse.cli.progress import TerminalProgress

    with TerminalProgress(quiet=quiet) as progress:
        return open_kb(source, embedder=embedder, skip_bad_lines=skip_bad_lines, progress=progress)

"""Where the file of a model lies."""

from __future__ import annotations

from pathlib import Path

__all__ = ["place_of"]


def place_of(path: str | Path) -> Path:
    """A path, with `~` for the home of a user; where there is no such user, it is a letter."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)

"""Versions of what takes part in a packet."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from packhorse.packet.assembly import MadeWith
from packhorse.packet.canonical import canonical_bytes, plain

if TYPE_CHECKING:
    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["made_with"]


@cache
def made_with(spec: ModelSpec, library: str) -> MadeWith:
    """This package, the library that counts, and the model's row as they are now."""
    row, _ = plain(asdict(spec))
    return MadeWith(
        packhorse=_version("packhorse") or "unknown",
        tokenizer=_version(library),
        model_row=hashlib.sha256(canonical_bytes(row)).hexdigest(),
    )


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    # ValueError: a library's name that no distribution can have.
    except (metadata.PackageNotFoundError, ValueError):
        return None

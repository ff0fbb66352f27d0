"""The content hash of a knowledge base."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["snapshot_of"]


def snapshot_of(content_hashes: Iterable[str]) -> str:
    """SHA-256 over the sorted content hashes of the chunks: 64 hex digits, free of their order."""
    digest = hashlib.sha256()
    for content_hash in sorted(content_hashes):
        digest.update(bytes.fromhex(content_hash))
    return digest.hexdigest()

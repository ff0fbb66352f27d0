"""One short name for what a value says, whatever order its keys are in."""

from __future__ import annotations

import hashlib
import json
from typing import Any

__all__ = ["digest_of"]


def digest_of(value: Any) -> str:
    """SHA-256 of a value as compact JSON with sorted keys, in hexadecimal."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()

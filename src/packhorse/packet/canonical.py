"""One value, one spelling: rounded floats, sorted keys, UTF-8, and the hashes over them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from packhorse.text.wellformed import well_formed

__all__ = ["canonical_bytes", "iso_instant", "packet_hash", "plain", "pretty_json", "trace_id"]

DECIMALS = 6
UNHASHED = ("packet_hash", "timings")
TRACE_DIGITS = 12


def plain(value: Any) -> tuple[Any, int]:
    """The value as JSON can hold it, and how many numbers in it were not finite.

    Floats are rounded to six decimals, and NaN and infinities become null. Texts are made well
    formed, numpy scalars become numbers, mappings and sequences become dicts and lists.

    Raises:
        TypeError: a value of a kind that JSON does not have.
    """
    lost: list[float] = []
    return _plain(value, lost), len(lost)


def _plain(item: Any, lost: list[float]) -> Any:
    result = item
    if isinstance(item, str):
        result = well_formed(item)
    elif isinstance(item, float):
        result = _finite(float(item), lost)
    elif isinstance(item, Mapping):
        result = {well_formed(str(key)): _plain(each, lost) for key, each in item.items()}
    elif isinstance(item, (list, tuple)):
        result = [_plain(each, lost) for each in item]
    elif item is not None and not isinstance(item, int):
        if not hasattr(item, "item"):
            raise TypeError(f"{type(item).__name__} is nothing that JSON can hold")
        result = _plain(item.item(), lost)
    return result


def _finite(number: float, lost: list[float]) -> float | None:
    if math.isfinite(number):
        return round(number, DECIMALS) + 0.0  # adding 0.0 turns -0.0 into 0.0
    lost.append(number)
    return None


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """Compact JSON with sorted keys, in UTF-8: what the hashes are taken over."""
    text = json.dumps(
        document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return text.encode("utf-8")


def trace_id(document: Mapping[str, Any]) -> str:
    """`ctx-` + the day of `as_of` + the first digits of the content's hash."""
    content = {key: value for key, value in document.items() if key not in {*UNHASHED, "trace_id"}}
    digits = hashlib.sha256(canonical_bytes(content)).hexdigest()[:TRACE_DIGITS]
    day = str(document["as_of"])[:10].replace("-", "")
    return f"ctx-{day}-{digits}"


def packet_hash(document: Mapping[str, Any]) -> str:
    """SHA-256 over the packet without this field and without timings."""
    content = {key: value for key, value in document.items() if key not in UNHASHED}
    return hashlib.sha256(canonical_bytes(content)).hexdigest()


def pretty_json(document: Any) -> str:
    """Indented JSON with sorted keys, letters of all scripts as they are; ends with a line end."""
    import msgspec

    text = json.dumps(document, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return msgspec.json.format(text, indent=2) + "\n"


def iso_instant(instant: datetime | None) -> str | None:
    """ISO 8601 in UTC with a `Z`; a naive time is taken as UTC."""
    if instant is None:
        return None
    aware = instant if instant.tzinfo is not None else instant.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat().replace("+00:00", "Z")

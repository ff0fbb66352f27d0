"""One value, one spelling: rounded floats, sorted keys, UTF-8, and the hashes over them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from packhorse.text.wellformed import well_formed

__all__ = [
    "canonical_bytes",
    "finite",
    "identify",
    "iso_instant",
    "packet_hash",
    "plain",
    "pretty_json",
    "trace_id",
]

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
    # Plain types first: nearly every value is one of them, and there are thousands of values.
    kind = type(item)
    if isinstance(item, str):
        return well_formed(str(item))
    if kind is float:
        return finite(item, lost)
    if item is None or kind is int or kind is bool:
        return item
    if isinstance(item, Mapping):
        return {well_formed(str(key)): _plain(each, lost) for key, each in item.items()}
    if isinstance(item, (list, tuple)):
        return [_plain(each, lost) for each in item]
    if hasattr(item, "item"):
        return _plain(item.item(), lost)
    raise TypeError(f"{kind.__name__} is nothing that JSON can hold")


def finite(number: float, lost: list[float]) -> float | None:
    """The number in six decimals; None, and an entry in `lost`, when it is not finite."""
    if math.isfinite(number):
        return round(number, DECIMALS) + 0.0  # adding 0.0 turns -0.0 into 0.0
    lost.append(number)
    return None


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """Compact JSON with sorted keys, in UTF-8: what the hashes are taken over."""
    return _joined(_spelled(document))


def trace_id(document: Mapping[str, Any]) -> str:
    """`ctx-` + the day of `as_of` + the first digits of the content's hash."""
    return _trace_id(document, _spelled(document))


def packet_hash(document: Mapping[str, Any]) -> str:
    """SHA-256 over the packet without this field and without timings."""
    return _packet_hash(_spelled(document))


def identify(document: dict[str, Any]) -> None:
    """Writes `trace_id` and `packet_hash` into a document, spelling everything else once."""
    spelled = _spelled(document)
    document["trace_id"] = _trace_id(document, spelled)
    document["packet_hash"] = _packet_hash({**spelled, **_spelled(document, only="trace_id")})


def _spelled(document: Mapping[str, Any], only: str | None = None) -> dict[str, str]:
    """Key -> compact JSON of its value."""
    return {
        key: json.dumps(
            value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
        )
        for key, value in document.items()
        if only in (None, key)
    }


def _joined(spelled: Mapping[str, str], without: tuple[str, ...] = ()) -> bytes:
    members = (
        f"{json.dumps(key, ensure_ascii=False)}:{spelled[key]}"
        for key in sorted(spelled)
        if key not in without
    )
    return f"{{{','.join(members)}}}".encode()


def _trace_id(document: Mapping[str, Any], spelled: Mapping[str, str]) -> str:
    digits = hashlib.sha256(_joined(spelled, (*UNHASHED, "trace_id"))).hexdigest()[:TRACE_DIGITS]
    day = str(document["as_of"])[:10].replace("-", "")
    return f"ctx-{day}-{digits}"


def _packet_hash(spelled: Mapping[str, str]) -> str:
    return hashlib.sha256(_joined(spelled, UNHASHED)).hexdigest()


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

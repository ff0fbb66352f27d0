"""The JSON Schema of a packet, and a quick look for the first field that breaks it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

__all__ = ["first_violation", "generated_schema", "packet_schema"]

SCHEMA_ID = "urn:packhorse:context-packet:1"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def packet_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) that every packet validates against, as it is shipped."""
    path = resources.files("packhorse.packet").joinpath("data/context_packet.schema.json")
    schema: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return schema


def generated_schema() -> dict[str, Any]:
    """The schema made anew from `wire.py`; a test holds the shipped file equal to it."""
    import msgspec

    from packhorse.packet.wire import PacketWire

    (schema,), definitions = msgspec.json.schema_components(
        [PacketWire], ref_template="#/$defs/{name}"
    )
    root = definitions.pop("PacketWire") if "$ref" in schema else schema
    return {
        "$schema": DIALECT,
        "$id": SCHEMA_ID,
        "additionalProperties": True,
        **root,
        "$defs": definitions,
    }


def first_violation(document: Mapping[str, Any]) -> str:
    """What is wrong with the first field that is missing or of another form; empty for none."""
    import msgspec

    from packhorse.packet.wire import PacketWire

    try:
        msgspec.convert(document, PacketWire, strict=True)
    except msgspec.ValidationError as error:
        return str(error)
    return ""

"""The shipped JSON Schema: valid itself, true of every packet, and made of the wire types."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.packet.canonical import pretty_json
from packhorse.packet.document import build_document
from packhorse.packet.schema import first_violation, generated_schema, packet_schema
from packhorse.types.chunk import Chunk
from packhorse.types.decision import ExclusionCode, InclusionCode
from tests.packet.assemblies import assembly
from tests.strategies import chunk_lists

VALIDATOR = jsonschema.Draft202012Validator(packet_schema())

SHIPPED = "src/packhorse/packet/data/context_packet.schema.json"


def test_the_shipped_schema_is_the_one_that_the_wire_types_give(
    root: Path, rewrite_golden: bool
) -> None:
    path = root / SHIPPED
    if rewrite_golden:
        path.write_text(pretty_json(generated_schema()), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == pretty_json(generated_schema())
    jsonschema.Draft202012Validator.check_schema(packet_schema())


@given(chunk_lists(), st.integers(20, 300))
def test_every_packet_validates(chunks: list[Chunk], budget: int) -> None:
    document = build_document(assembly(chunks, budget=budget))
    VALIDATOR.validate(document)
    assert first_violation(document) == ""


def test_every_reason_code_is_in_the_schema() -> None:
    definitions = packet_schema()["$defs"]
    packed = definitions["PackedWire"]["properties"]["reason_code"]["enum"]
    excluded = definitions["ExcludedWire"]["properties"]["reason_code"]["enum"]
    assert sorted(packed) == sorted(InclusionCode)
    assert sorted(excluded) == sorted(ExclusionCode)


def paths_of(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = []
    if isinstance(document, dict):
        for key in sorted(document):
            found += [(*path, key), *paths_of(document[key], (*path, key))]
    elif isinstance(document, list) and document:
        found += paths_of(document[0], (*path, 0))
    return found


FREE = {"policy", "profile", "weights", "strengths", "evidence", "domain_evidence", "topic_tags"}
OPTIONAL = {
    *("would_fit_at_budget", "duplicate_of", "packing_tokens", "attached", "room"),
    *("constraints", "similarities", "copies", "made_with", "query_type_by", "found_by"),
}


@pytest.mark.parametrize("path", paths_of(build_document(assembly())))
def test_no_field_can_be_missing(path: tuple[Any, ...]) -> None:
    document = copy.deepcopy(build_document(assembly()))
    if FREE.intersection(path[:-1]) or path[-1] in OPTIONAL:
        return
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    assert not VALIDATOR.is_valid(document)
    assert str(path[-1]) in first_violation(document)


def test_further_fields_are_allowed() -> None:
    document = {**build_document(assembly()), "timings": {"pack_ms": 0.5}}
    assert VALIDATOR.is_valid(document)
    assert first_violation(document) == ""

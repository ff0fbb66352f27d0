"""Reads a pool of examples, strictly: a file with one JSON object a line, or mappings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packhorse.ingest.given_records import RecordKind
from packhorse.text.digest import digest_of

__all__ = ["Example", "Examples", "read_examples"]

KIND = RecordKind(
    name="an example",
    plural="examples",
    fields=("id", "input", "output", "label"),
    example='{"id": "e1", "input": "...", "output": "...", "label": "refund"}',
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question and the answer that it should get."""

    example_id: str
    input: str
    output: str
    label: str | None = None
    """The kind of answer, of which no kind should outnumber the others."""

    @property
    def digest(self) -> str:
        """SHA-256 of what it says."""
        return digest_of([self.input, self.output, self.label])


Examples = str | Path | Sequence["Example | Mapping[str, object]"]
"""A file of examples, or the examples."""


def read_examples(given: Examples) -> tuple[Example, ...]:
    """The examples, in their order; one without an id is called by its place, from 1.

    Raises:
        InputError: a file that cannot be read, or an example that cannot be used; names its place.
    """
    found: list[Example] = []
    places: dict[str, str] = {}
    for at, (where, each) in enumerate(KIND.given(given), start=1):
        example = each if isinstance(each, Example) else _example(each, where, at)
        if example.example_id in places:
            named = f"example id {example.example_id!r}"
            KIND.used_before(named, places[example.example_id], where)
        places[example.example_id] = where
        found.append(example)
    return tuple(found)


def _example(given: object, where: str, at: int) -> Example:
    fields = KIND.mapping(given, where)
    return Example(
        example_id=KIND.text(fields, "id", where) or f"example-{at}",
        input=KIND.text(fields, "input", where, required=True),
        output=KIND.text(fields, "output", where, required=True),
        label=KIND.text(fields, "label", where) or None,
    )

"""Reads a pool of examples, strictly: a file with one JSON object a line, or mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packhorse.errors import InputError
from packhorse.ingest.lines import utf8_lines
from packhorse.ingest.strict_json import parse_object
from packhorse.profiles.keys import nearest
from packhorse.text.digest import digest_of
from packhorse.text.wellformed import well_formed

__all__ = ["Example", "Examples", "read_examples"]

FIELDS = ("id", "input", "output", "label")
FORM = '{"id": "e1", "input": "...", "output": "...", "label": "refund"}'


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
    for at, (where, each) in enumerate(_given(given), start=1):
        example = each if isinstance(each, Example) else _example(each, where, at)
        if example.example_id in places:
            raise InputError(
                f"The example id {example.example_id!r} was used before,"
                f" {places[example.example_id]} and {where}",
                hint="Give each example an id of its own",
            )
        places[example.example_id] = where
        found.append(example)
    return tuple(found)


def _given(given: Examples) -> Iterator[tuple[str, object]]:
    if isinstance(given, (str, Path)):
        yield from _lines(Path(given))
    elif isinstance(given, Sequence):
        for at, each in enumerate(given):
            yield f"examples[{at}]", each
    else:
        raise InputError("The examples are no list", hint=f"An example is {FORM}")


def _lines(path: Path) -> Iterator[tuple[str, object]]:
    for number, line in utf8_lines(path):
        where = f"{path} line {number}"
        if line is None:
            raise InputError(f"A line is too long, {where}", hint=f"An example is {FORM}")
        if line.isspace():
            continue
        try:
            yield where, parse_object(line.decode("utf-8").strip())
        except UnicodeDecodeError as error:
            raise InputError(
                f"Not UTF-8 at byte {error.start + 1} of the line, {where}",
                hint="Save the file as UTF-8",
            ) from error
        except ValueError as error:
            raise InputError(f"{error}, {where}", hint=f"An example is {FORM}") from error


def _example(given: object, where: str, at: int) -> Example:
    if not isinstance(given, Mapping):
        raise InputError(f"An example is no object, {where}", hint=f"An example is {FORM}")
    for name in given:
        if name not in FIELDS:
            near = nearest(str(name), FIELDS)
            hint = f"Did you mean {near}?" if near else f"Known fields: {', '.join(FIELDS)}"
            raise InputError(f"An example has the unknown field {name!r}, {where}", hint=hint)
    return Example(
        example_id=_text(given, "id", where) or f"example-{at}",
        input=_text(given, "input", where, required=True),
        output=_text(given, "output", where, required=True),
        label=_text(given, "label", where) or None,
    )


def _text(given: Mapping[str, object], name: str, where: str, *, required: bool = False) -> str:
    value = given.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or not (value.strip() or not required):
        said = "missing" if value is None else "empty" if value == "" else f"{value!r}"[:60]
        raise InputError(f"An example's {name} is {said}, {where}", hint=f"An example is {FORM}")
    return well_formed(value)

"""Small records that a caller gives: a file with one JSON object a line, or the objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from packhorse.errors import InputError
from packhorse.ingest.lines import utf8_lines
from packhorse.ingest.strict_json import parse_object
from packhorse.profiles.keys import nearest
from packhorse.text.wellformed import well_formed

__all__ = ["RecordKind"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKind:
    """One kind of record, and how errors speak of it."""

    name: str
    """With its article: `a note`."""
    plural: str
    """What a list of them is called: `memory`."""
    fields: tuple[str, ...]
    example: str
    """One of them as JSON."""

    @property
    def hint(self) -> str:
        """What one looks like."""
        return f"{self._capital} is {self.example}"

    @property
    def _capital(self) -> str:
        return self.name[0].upper() + self.name[1:]

    def given(self, records: str | Path | Sequence[Any]) -> Iterator[tuple[str, Any]]:
        """Each record with its place: a line of the file, or `memory[3]`.

        Raises:
            InputError: neither a list nor a file that can be read as one object a line.
        """
        if isinstance(records, (str, Path)):
            yield from self._lines(Path(records))
        elif isinstance(records, Sequence):
            for at, each in enumerate(records):
                yield f"{self.plural}[{at}]", each
        else:
            raise InputError(f"{self.plural} is no list", hint=self.hint)

    def mapping(self, given: Any, where: str) -> Mapping[str, Any]:
        """A record as an object of known fields.

        Raises:
            InputError: it is none.
        """
        if not isinstance(given, Mapping):
            raise InputError(f"{self._capital} is no object, {where}", hint=self.hint)
        for name in given:
            if name not in self.fields:
                near = nearest(str(name), self.fields)
                known = f"Known fields: {', '.join(self.fields)}"
                raise InputError(
                    f"{self._capital} has the unknown field {name!r}, {where}",
                    hint=f"Did you mean {near}?" if near else known,
                )
        return given

    def text(
        self, given: Mapping[str, Any], name: str, where: str, *, required: bool = False
    ) -> str:
        """A field that is a text; empty for one that is not there.

        Raises:
            InputError: it is no text, or blank where it is required.
        """
        value = given.get(name)
        if value is None and not required:
            return ""
        if not isinstance(value, str) or not (value.strip() or not required):
            said = "missing" if value is None else "empty" if value == "" else f"{value!r}"[:60]
            raise InputError(f"{self._capital}'s {name} is {said}, {where}", hint=self.hint)
        return well_formed(value)

    def used_before(self, what: str, first: str, where: str) -> NoReturn:
        """Refuses a name that comes twice.

        Raises:
            InputError: always.
        """
        raise InputError(
            f"The {what} was used before, {first} and {where}",
            hint=f"Give each {self.name.split()[-1]} an id of its own",
        )

    def _lines(self, path: Path) -> Iterator[tuple[str, Any]]:
        for number, line in utf8_lines(path):
            where = f"{path} line {number}"
            if line is None:
                raise InputError(f"A line is too long, {where}", hint=self.hint)
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
                raise InputError(f"{error}, {where}", hint=self.hint) from error

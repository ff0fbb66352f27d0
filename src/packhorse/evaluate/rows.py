"""Rows of a dataset's files, checked field by field; a bad one is an error with file and line."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

from packhorse.errors import InputError
from packhorse.ingest.lines import utf8_lines
from packhorse.ingest.newlines import lf_only
from packhorse.ingest.strict_json import KINDS, parse_object
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

SLIP = 0.75
"""Similarity from which an unknown key is taken for a slip: two letters of four swapped."""
LETTERS = 2
"""Letters that a slip adds or loses at most: `answer_type` is another word than `answers`."""

__all__ = ["Row", "read_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One object of a JSONL file and where it stands."""

    path: Path
    line: int
    """1-based."""
    fields: dict[str, object]

    def fail(self, reason: str, hint: str = "") -> NoReturn:
        """Raises the error about this line."""
        raise InputError(
            f"{reason}, {self.path} line {self.line}",
            hint=hint or "Correct the line; nothing was evaluated",
        )

    def text(self, key: str, *, may_be_blank: bool = False) -> str:
        """A required text, with LF line ends."""
        if key not in self.fields:
            self.fail(f"{key} is missing")
        return self._as_text(key, self.fields[key], may_be_blank=may_be_blank)

    def optional_text(self, key: str) -> str:
        """A text that may be missing, null or blank."""
        value = self.fields.get(key)
        return "" if value is None else self._as_text(key, value, may_be_blank=True)

    def texts(self, key: str, *, required: bool = False) -> tuple[str, ...]:
        """A list of texts; empty where it is missing or null, unless it is required."""
        value = self.fields.get(key)
        if value is None:
            if required:
                self.fail(f"{key} is missing")
            return ()
        return tuple(self._as_text(f"an item of {key}", item) for item in self._as_list(key, value))

    def objects(self, key: str) -> tuple[Row, ...]:
        """A list of objects, each as a row of its own on the same line."""
        value = self.fields.get(key)
        rows = []
        for item in () if value is None else self._as_list(key, value):
            if not isinstance(item, dict):
                self.fail(f"an item of {key} is {KINDS[type(item)]}, not an object")
            rows.append(Row(path=self.path, line=self.line, fields=item))
        return tuple(rows)

    def check_spelling(self, known: Collection[str]) -> None:
        """Refuses a key that is a slip of a known, absent one, such as `glod` or `Gold_Spans`.

        Other keys are nobody's business and stay.
        """
        absent = {_plain(key): key for key in known if key not in self.fields}
        for key in sorted(self.fields):
            said = _plain(key)
            like = [each for each in absent if abs(len(each) - len(said)) <= LETTERS]
            near = () if key in known else get_close_matches(said, like, 1, SLIP)
            if near:
                meant = absent[near[0]]
                self.fail(f"unknown key {key!r}, likely meant as {meant!r}", f"Rename it {meant}")

    def _as_list(self, key: str, value: object) -> list[object]:
        if not isinstance(value, list):
            self.fail(f"{key} is {KINDS[type(value)]}, not a list")
        return value

    def _as_text(self, key: str, value: object, *, may_be_blank: bool = False) -> str:
        if not isinstance(value, str):
            self.fail(f"{key} is {KINDS[type(value)]}, not text")
        if not may_be_blank and not value.strip():
            self.fail(f"{key} is blank")
        return lf_only(well_formed(value))


def read_rows(path: Path) -> Iterator[Row]:
    """The objects of a JSONL file, in order; blank lines are passed over.

    Raises:
        InputError: the file cannot be read, or a line is no JSON object.
    """
    for line, raw in utf8_lines(path):
        here = Row(path=path, line=line, fields={})
        if raw is None:
            here.fail("the line is too long to be a record")
        if not raw.strip():
            continue
        try:
            yield Row(path=path, line=line, fields=parse_object(raw.decode("utf-8")))
        except UnicodeDecodeError as error:
            raise InputError(
                f"not UTF-8 text (byte {error.start + 1} of the line), {path} line {line}",
                hint="Save the file as UTF-8",
            ) from error
        except ValueError as error:
            raise InputError(
                f"{error}, {path} line {line}", hint="Correct the line; nothing was evaluated"
            ) from error


def _plain(key: str) -> str:
    return "".join(char for char in key.casefold() if char.isalnum()).removesuffix("s")

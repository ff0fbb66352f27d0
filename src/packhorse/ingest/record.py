"""One record of a chunks file, checked field by field and turned into a chunk."""

import json
import math
from datetime import datetime

from packhorse.ingest.keys import ALIASES, KNOWN_KEYS, misspelled
from packhorse.ingest.newlines import lf_only
from packhorse.ingest.strict_json import KINDS
from packhorse.ingest.timestamps import parse_timestamp
from packhorse.text.wellformed import well_formed
from packhorse.types.chunk import NO_METADATA, Chunk, Metadata

__all__ = ["BadRecordError", "RecordReader", "shown"]

KNOWN = frozenset(KNOWN_KEYS)
SHOWN_CHARS = 60
MAX_DEPTH = 64
"""Levels of lists and objects inside metadata; deeper ones could not be written out again."""


class BadRecordError(ValueError):
    """Why one record cannot be used; whoever knows the file and line turns it into a ChunkError."""

    def __init__(self, reason: str, *, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


def shown(value: object) -> str:
    """A value as messages quote it: on one line, cut to a readable length."""
    if not isinstance(value, str):
        return json.dumps(value)[:SHOWN_CHARS]
    cut = value if len(value) <= SHOWN_CHARS else value[:SHOWN_CHARS] + "..."
    return repr(well_formed(cut))


def _wrong_kind(name: str, value: object, wanted: str) -> BadRecordError:
    return BadRecordError(f"{name} is {KINDS[type(value)]}, not {wanted}")


class RecordReader:
    """Takes one record apart, field by field."""

    def __init__(self, record: dict[str, object]) -> None:
        self.record = record
        self.replaced_surrogates = False

    def chunk(self) -> Chunk:
        """The chunk, or `BadRecordError` for the first field that cannot be used."""
        extra = [key for key in self.record if key not in KNOWN]
        self._check_spelling(extra)
        return Chunk(
            chunk_id=self._required("chunk_id"),
            source_id=self._required("source_id"),
            text=lf_only(self._required("text", may_be_blank=True)),
            section_id=self._text("section_id"),
            position_in_source=self._whole_number("position_in_source") or 0,
            header=" ".join(self._text("header").split()),
            trust_score=self._share("trust_score", self.record.get("trust_score")),
            timestamp=self._timestamp(),
            topic_tags=self._topic_tags(),
            declared_tokens=self._whole_number("token_count"),
            metadata=self._metadata(extra),
        )

    def _check_spelling(self, extra: list[str]) -> None:
        slip = misspelled(extra, self.record) if extra else None
        if slip:
            raise BadRecordError(
                f"unknown key {shown(slip[0])}, likely meant as '{slip[1]}'",
                hint=f"Rename it to {slip[1]}, or move it into metadata",
            )

    def _required(self, key: str, *, may_be_blank: bool = False) -> str:
        if key not in self.record:
            alias = next((name for name in ALIASES[key] if name in self.record), None)
            raise BadRecordError(
                f"{key} is missing", hint=f"Rename {alias} to {key}" if alias else ""
            )
        value = self.record[key]
        if not isinstance(value, str):
            raise _wrong_kind(key, value, "text")
        if not (may_be_blank or value.strip()):
            raise BadRecordError(f"{key} is empty")
        return self._repaired(value)

    def _text(self, key: str) -> str:
        value = self.record.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise _wrong_kind(key, value, "text")
        return self._repaired(value)

    def _repaired(self, value: str) -> str:
        repaired = well_formed(value)
        if repaired is not value and repaired != value:
            self.replaced_surrogates = True
        return repaired

    def _whole_number(self, key: str) -> int | None:
        value = self.record.get(key)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool):
            raise _wrong_kind(key, value, "a whole number")
        if not 0 <= value < 2**63:
            raise BadRecordError(f"{key} is {shown(value)}, not a whole number of 0 or more")
        return value

    def _share(self, name: str, value: object) -> float | None:
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise _wrong_kind(name, value, "a number from 0 to 1")
        if not (math.isfinite(value) and 0 <= value <= 1):
            raise BadRecordError(f"{name} is {shown(value)}, outside 0..1")
        return abs(float(value))

    def _timestamp(self) -> datetime | None:
        value = self.record.get("timestamp")
        if value is None:
            return None
        try:
            return parse_timestamp(value)
        except ValueError as exc:
            raise BadRecordError(f"timestamp: {exc}") from exc

    def _topic_tags(self) -> tuple[tuple[str, float], ...]:
        value = self.record.get("topic_tags")
        if value is None:
            return ()
        if isinstance(value, list):
            pairs = [(tag, 1.0) for tag in value]
        elif isinstance(value, dict):
            pairs = [(tag, strength) for tag, strength in value.items()]
        else:
            raise _wrong_kind("topic_tags", value, "a list of texts, or an object of strengths")
        return tuple(sorted(dict(self._tag(tag, strength) for tag, strength in pairs).items()))

    def _tag(self, tag: object, strength: object) -> tuple[str, float]:
        if not isinstance(tag, str):
            raise _wrong_kind("a topic tag", tag, "text")
        name = self._repaired(tag.strip())
        if not name:
            raise BadRecordError("a topic tag is empty")
        share = self._share(f"strength of topic {shown(name)}", strength)
        if share is None:
            raise _wrong_kind(f"strength of topic {shown(name)}", strength, "a number")
        return name, share

    def _metadata(self, extra: list[str]) -> Metadata:
        declared = self.record.get("metadata")
        if declared is None:
            declared = {}
        if not isinstance(declared, dict):
            raise _wrong_kind("metadata", declared, "an object")
        for key in extra:
            if key in declared and declared[key] != self.record[key]:
                raise BadRecordError(
                    f"{shown(key)} has one value in the record, another in metadata"
                )
        merged = declared | {key: self.record[key] for key in extra}
        return {key: self._clean(merged[key]) for key in sorted(merged)} if merged else NO_METADATA

    def _clean(self, value: object, depth: int = 0) -> object:
        if depth > MAX_DEPTH:
            raise BadRecordError(f"metadata is nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, str):
            return self._repaired(value)
        if isinstance(value, list):
            return [self._clean(item, depth + 1) for item in value]
        if isinstance(value, dict):
            return {self._repaired(k): self._clean(v, depth + 1) for k, v in value.items()}
        return value

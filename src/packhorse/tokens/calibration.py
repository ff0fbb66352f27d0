"""What a provider's reported usage showed about our counts of a model, and how it corrects them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError, UnknownKeyError

if TYPE_CHECKING:
    from packhorse.tokens.models.spec import ModelSpec

__all__ = [
    "Calibration",
    "Parts",
    "Seen",
    "check_calibration",
    "name_of",
    "read_calibration",
    "rules_of",
    "without_calibration",
]

AGAIN = "Run `packhorse calibrate` again and use what it writes"
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

COUNTED_PARTS = ("messages", "system", "tools", "calls", "images")
TEXT_PARTS = ("tokens", "wide")
NAMES = {
    "system": "system messages",
    "calls": "tool calls",
    "wide": "per cent of text outside ASCII",
}
LEAST_WIDE = 5
"""Per cent of characters outside ASCII, such as quotation marks, that make no other script."""

Range = tuple[int, int]
"""Smallest and largest, both included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a request is made of, as far as framing depends on it."""

    messages: int
    system: int = 0
    """Messages among them that instruct the model."""
    tools: int = 0
    calls: int = 0
    images: int = 0
    tokens: int = 0
    """Of the whole request, before any correction."""
    wide: int = 0
    """Per cent of the characters of the messages that are outside ASCII, rounded up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the logged requests behind a correction were made of."""

    messages: Range
    system: Range = (0, 0)
    tools: Range = (0, 0)
    calls: Range = (0, 0)
    images: Range = (0, 0)
    tokens: Range
    wide: Range = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Tokens to add to a counted request, and the evidence for them.

    The correction is `per_request + per_message x messages + per_call x calls`, with tools
    `with_tools + per_tool x tools` more, and `without_system` more for a request that has no
    instructions. A part that was not seen to differ is 0.
    """

    per_request: int = 0
    per_message: int = 0
    without_system: int = 0
    """Once a request without instructions: some engines then put in their own."""
    with_tools: int = 0
    """Once a request, when it has any tool."""
    per_tool: int = 0
    per_call: int = 0
    margin: float | None = None
    """For an estimate: the share that the logged requests needed. The model's own `margin` is set
    to it beside this record; None for an exact tokenizer."""
    margin_before: float | None = None
    """The share before calibration."""
    samples: int
    """Different requests that the correction was made of."""
    first: str | None = None
    """Day of the earliest logged request, ISO 8601; None when the log has no times."""
    last: str | None = None
    explained: float
    """Share of the samples that the corrected count gives to the token, 0..1."""
    under: float = 0.0
    """Share of the samples whose corrected count is below what was reported, 0..1."""
    spread: Range
    """Smallest and largest of reported - corrected over the samples: 0 and 0 when every count
    is right, above 0 where a count is too low."""
    held_out: int = 0
    """Samples in a second look: a correction made without them was tried on them."""
    held_out_explained: float = 0.0
    held_out_under: float = 0.0
    seen: Seen
    rules: str | None = None
    """Fingerprint of the rules that were corrected; other rules need another correction."""

    def message_tokens(self, overhead: int, calls: int) -> int:
        """What one message takes more, never less than nothing with its `overhead`."""
        return max(-overhead, self.per_message + self.per_call * calls)

    def request_tokens(self, tools: int, *, system: bool) -> int:
        """What a request takes more besides its messages.

        Args:
            tools: how many it defines.
            system: whether it has instructions.
        """
        own = self.per_request + (0 if system else self.without_system)
        return own + (self.with_tools + self.per_tool * tools if tools else 0)

    def outside(self, parts: Parts) -> tuple[str, ...]:
        """Names what a request has more or less of than every logged one; empty when nothing.

        Length and script of the text matter to an estimate alone, and only upward: an exact
        tokenizer is right for any text.
        """
        found = []
        for name in COUNTED_PARTS if self.margin is None else (*COUNTED_PARTS, *TEXT_PARTS):
            low, high = getattr(self.seen, name)
            value = getattr(parts, name)
            if name in TEXT_PARTS:
                low, high = 0, max(high, LEAST_WIDE if name == "wide" else 0)
            if not low <= value <= high:
                seen = f"{low:,}" if low == high else f"{low:,} to {high:,}"
                found.append(f"{value:,} {name_of(name, value)}, seen {seen}")
        return tuple(found)

    @property
    def is_exact(self) -> bool:
        """Whether every logged request came out to the token."""
        return self.spread == (0, 0)

    def summary(self) -> dict[str, Any]:
        """The evidence as plain data, for packets and reports."""
        return {
            "samples": self.samples,
            "from": self.first,
            "to": self.last,
            "explained": self.explained,
            "under": self.under,
            "spread": list(self.spread),
        }


RULE_FIELDS = ("framing", "tools", "images", "reasoning")
PATH_FIELDS = ("tokenizer", "template")
SAID_OF_RULES = frozenset({"source", "published", "as_of"})
"""Fields that change no count."""


def name_of(part: str, number: int) -> str:
    """A part of a request in words, for so many of it."""
    words = NAMES.get(part, part)
    return words.removesuffix("s") if number == 1 else words


def rules_of(spec: ModelSpec) -> str:
    """Fingerprint of everything that a count of a request for this model depends on.

    The margin is left out, because a calibration may change it; so are sources, and the folders
    of files, which differ from machine to machine.
    """
    rules: dict[str, Any] = {"exact": spec.exact}
    if not spec.exact:
        # Estimates know habits of the maker's tokenizers.
        rules["provider"] = spec.provider
    for name in RULE_FIELDS:
        rule = getattr(spec, name)
        if rule is not None:
            rules[name] = _given(rule)
    for name in PATH_FIELDS:
        value = getattr(spec, name)
        if value is not None:
            rules[name] = PurePath(value).name
    data = json.dumps(rules, sort_keys=True, default=str).encode("utf-8")
    return hashlib.sha256(data).hexdigest()[:16]


def _given(rule: Any) -> dict[str, Any]:
    """Fields that differ from their default: a later version may add fields with a default."""
    return {
        field.name: getattr(rule, field.name)
        for field in fields(rule)
        if field.name not in SAID_OF_RULES and getattr(rule, field.name) != field.default
    }


def without_calibration(spec: ModelSpec) -> ModelSpec:
    """The model as it was before it was calibrated."""
    calibration = spec.calibration
    if calibration is None:
        return spec
    before = calibration.margin_before
    return replace(spec, calibration=None, margin=spec.margin if before is None else before)


def read_calibration(row: Any, where: str) -> Calibration:
    """A calibration as a model table writes it.

    Raises:
        UnknownKeyError: a field that nobody knows.
        ConfigError: a field of the wrong type, or one that is missing.
    """
    import msgspec

    for value, kind, place in (
        (row, Calibration, where),
        (row.get("seen") if isinstance(row, Mapping) else None, Seen, f"{where}.seen"),
    ):
        known = {field.name for field in fields(kind)}
        unknown = sorted(map(str, set(value) - known)) if isinstance(value, Mapping) else []
        if unknown:
            raise UnknownKeyError(
                f"Unknown key in {place}: {', '.join(unknown)}",
                keys=[f"{place}.{key}" for key in unknown],
                hint=f"Known keys: {', '.join(sorted(known))}",
            )
    try:
        # YAML makes a day of `2026-06-01` without quotes.
        return msgspec.convert(
            {k: v.isoformat() if isinstance(v, date) else v for k, v in row.items()}
            if isinstance(row, Mapping)
            else row,
            Calibration,
            strict=True,
        )
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}", hint=AGAIN) from error


def check_calibration(spec: ModelSpec, where: str) -> None:
    """Makes sure that a model's calibration fits the model as it now is.

    Raises:
        ConfigError: other rules than it was made with, another margin, or figures that cannot be.
    """
    calibration = spec.calibration
    if calibration is None:
        return
    shares = ("explained", "under", "held_out_explained", "held_out_under")
    ranges = {name: getattr(calibration.seen, name) for name in Seen.__dataclass_fields__}
    ranges["spread"] = calibration.spread
    problems = {
        "its calibration was made with other rules for this model": (
            calibration.rules is not None and calibration.rules != rules_of(spec)
        ),
        f"margin {spec.margin} is not the {calibration.margin} of its calibration": (
            calibration.margin is not None and calibration.margin != spec.margin
        ),
        f"{calibration.samples} samples of its calibration": calibration.samples < 1,
        "a share of its calibration is outside 0..1": any(
            not 0.0 <= getattr(calibration, share) <= 1.0 for share in shares
        ),
        "a range of its calibration ends before it starts": any(
            low > high for low, high in ranges.values()
        ),
        "a day of its calibration is no date": any(
            day is not None and ISO_DATE.fullmatch(day) is None
            for day in (calibration.first, calibration.last)
        ),
    }
    for problem, found in problems.items():
        if found:
            raise ConfigError(f"{where}: {problem}", hint=AGAIN)

"""Phrases in evidence that speak to the model instead of the reader. Flags them, never edits.

The patterns look for orders and forged structure, not for talk about prompts: documentation that
names a system prompt, or quotes an attack in quotation marks, is left alone. A clean result is no
proof of harmlessness; the fences around evidence are what protects the request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from packhorse.types.verdict import Check, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.types.chunk import Chunk

__all__ = ["Flag", "find_injections", "injection_check"]

SHOWN = 3
"""Flags that the check's sentence spells out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A suspicious place in one chunk."""

    chunk_id: str
    kind: str
    """`override`, `reveal`, `persona`, `secrecy`, `role`, `markup` or `hidden`."""
    start: int
    """Offset in the chunk's text, in code points."""
    end: int


_GAP = r"(?:\s+[\w'\u2019]+){0,3}?\s+"
_ORDERS = (
    r"(?:ignore|disregard|forget|override|reveal|print|output|repeat|send|you\b|your\b|do\s+not"
    r"|don't|never|always|from\s+now|respond|reply|answer\s+only|say\b|execute|run\b|new\s+instruct)"
)
_QUOTED: Mapping[str, re.Pattern[str]] = {
    "override": re.compile(
        rf"\b(?:ignore|disregard|forget|override|bypass){_GAP}"
        r"(?:previous|prior|above|earlier|preceding|existing|original|your|system|developer|safety)"
        r"(?:\s+\w+){0,2}?\s+(?:instructions?|prompts?|directives?|commands?|guidelines?|messages?)\b"
        r"|\b(?:ignore|disregard|forget)\s+(?:everything|all|anything)\s+"
        r"(?:above|before\s+this|you\s+(?:were|have\s+been|know)|that\s+came\s+before)\b",
        re.IGNORECASE,
    ),
    "reveal": re.compile(
        r"\b(?:reveal|print|repeat|leak|output|show|disclose|tell)(?:\s+(?:me|us|back))?"
        r"\s+your\s+(?:\w+\s+)?(?:prompt|instructions|system\s+message|secrets?|api\s+keys?)\b"
        r"|\b(?:reveal|leak|exfiltrate)\s+the\s+(?:system|hidden|secret|initial|developer)\s+"
        r"(?:prompt|instructions|message)\b",
        re.IGNORECASE,
    ),
    "persona": re.compile(
        r"\bfrom\s+now\s+on,?\s+you\s+(?:are|will|must|should|shall)\b"
        r"|\byou\s+are\s+now\s+(?:DAN\b|an?\s+(?:unrestricted|unfiltered|uncensored|jailbroken)"
        r"|in\s+(?:developer|debug|god|jailbreak|maintenance)\s+mode)",
        re.IGNORECASE,
    ),
    "secrecy": re.compile(
        r"\b(?:do\s+not|don['\u2019]t|never)\s+(?:tell|inform|mention\s+(?:this|it)\s+to|alert|warn)"
        r"\s+the\s+user\b",
        re.IGNORECASE,
    ),
}
"""Phrases that are left alone directly after a quotation mark or back-tick."""
_FORGED: Mapping[str, re.Pattern[str]] = {
    "role": re.compile(
        rf"(?:^|(?<=[\n>.!?)\]]))[ \t]*(?:SYSTEM|System|ASSISTANT|Assistant|DEVELOPER|Developer)"
        rf"[ \t]*:[ \t\n]*(?i:{_ORDERS})"
    ),
    "markup": re.compile(
        r"<\s*/?\s*evidence\b[^<>\n]{0,200}>?"
        r"|<\|(?:im_start|start_header_id|start)\|>\s*(?:system|user|assistant|developer)\b"
        r"(?=\s*(?:\n|<\|))"
        r"|<<SYS>>|^\s*</?(?:system|tool_call|tool_result|function_calls?|invoke)\b[^<>\n]{0,200}>",
        re.IGNORECASE | re.MULTILINE,
    ),
    "hidden": re.compile(r"(?<![\U0001F3F4\U000E0020-\U000E007F])[\U000E0020-\U000E007F]+"),
}
"""Structure that stands for itself: quoted or not, no plain document needs it."""
_QUOTES = frozenset("\"'`\u2018\u201c\u00ab\u2039\u300c")


def find_injections(packed: Sequence[Chunk]) -> tuple[Flag, ...]:
    """All flags, by chunk in the order given, then by offset."""
    return tuple(
        Flag(chunk_id=chunk.chunk_id, kind=kind, start=start, end=end)
        for chunk in packed
        for start, end, kind in _places(chunk.text)
    )


def injection_check(packed: Sequence[Chunk]) -> Check:
    """Warns when a packed chunk holds a suspicious phrase; says which chunk and where."""
    flags = find_injections(packed)
    if not flags:
        return Check(name="injection", status=Status.PASS, detail="no suspicious phrases found")
    texts = {chunk.chunk_id: chunk.text for chunk in packed}
    shown = ", ".join(
        f"{flag.chunk_id} at {flag.start} ({flag.kind}:"
        f" {_excerpt(texts[flag.chunk_id][flag.start : flag.end])})"
        for flag in flags[:SHOWN]
    )
    more = f", and {len(flags) - SHOWN} more" if len(flags) > SHOWN else ""
    plural = "" if len(flags) == 1 else "s"
    return Check(
        name="injection",
        status=Status.WARN,
        detail=f"{len(flags)} suspicious phrase{plural}: {shown}{more}",
    )


@lru_cache(maxsize=2_048)
def _places(text: str) -> tuple[tuple[int, int, str], ...]:
    """(start, end, kind) of each flag, by offset."""
    found = [
        (match.start(), match.end(), kind)
        for kind, pattern in _FORGED.items()
        for match in pattern.finditer(text)
    ]
    found += [
        (match.start(), match.end(), kind)
        for kind, pattern in _QUOTED.items()
        for match in pattern.finditer(text)
        if text[match.start() - 1 : match.start()] not in _QUOTES
    ]
    return tuple(sorted(found))


def _excerpt(text: str) -> str:
    """One printable line of at most 40 characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f"{line[:37]}..." if len(line) > 40 else line or "invisible characters"  # noqa: PLR2004 - see above

"""Sections of the operator's own: a text under a name, whole or in whole paragraphs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.tokens.framed import recount
from packhorse.window.memory.render import neutral
from packhorse.window.policies.policy import LeftOut

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.types.section import Section

__all__ = ["OwnSection", "own_section", "own_text", "pieces_of"]

_BLANK = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSection:
    """What of a section of the operator's own is in."""

    name: str
    kept: tuple[str, ...]
    """`NAME:1` and so on for its paragraphs, in their order."""
    left_out: Mapping[str, LeftOut]
    tokens: int
    text: str


def own_text(name: str, paragraphs: list[str]) -> str:
    """The section as it stands in the request; empty for no paragraphs."""
    if not paragraphs:
        return ""
    told = neutral("\n\n".join(paragraphs).strip())
    return f'<section name="{name}">\n{told}\n</section>\n'


def pieces_of(section: Section) -> frozenset[str]:
    """Its paragraphs, one by one, as they stand in a request."""
    told = (each for each in _BLANK.split(section.text or "") if each.strip())
    return frozenset(neutral(each).strip() for each in told)


def own_section(section: Section, room: int, counter: TokenCounter) -> OwnSection:
    """The paragraphs that fit, in their order; one that does not is passed over.

    With the rule `never` all of it is in, whatever the room.
    """
    name = section.name
    told = [each for each in _BLANK.split(section.text or "") if each.strip()]
    kept: list[int] = []
    out: dict[str, LeftOut] = {}
    for at, paragraph in enumerate(told):
        tokens = recount(counter, own_text(name, [told[each] for each in (*kept, at)]))
        if section.rule == "never" or tokens <= room:
            kept.append(at)
            continue
        had = room - recount(counter, own_text(name, [told[each] for each in kept]))
        needed = counter.count(paragraph)
        out[f"{name}:{at + 1}"] = LeftOut(
            "exceeded_remaining_budget", f"needed {needed}, had {max(0, had)}"
        )
    text = own_text(name, [told[at] for at in kept])
    return OwnSection(
        name=name,
        kept=tuple(f"{name}:{at + 1}" for at in kept),
        left_out=out,
        tokens=recount(counter, text) if text else 0,
        text=text,
    )

"""Who says what to whom: names on messages, labels in front of texts, nicks that are addressed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation

__all__ = ["CROWD", "Said", "Talk", "talk_of"]

CROWD = 3
"""From so many named speakers on it matters who speaks to whom."""

LABELLED_SHARE = 0.8
"""Share of the users' messages that open with a label before labels are taken for speakers."""

_LABEL = re.compile(r"\s*(?:<([^\s<>]{1,40})>|([^\s:,<>]{1,40}):)(?=\s|$)")
_ADDRESS = re.compile(r"\s*@?([^\s:,]{1,40})\s?[:,]")
_TYPES = (None, "message")


class Said(NamedTuple):
    """What is known of one unit besides its words."""

    speaker: str
    """Case-folded name; the role where messages have none; empty for a notice among named ones."""
    to: str
    """Case-folded name of the speaker who is addressed at the beginning; empty for nobody."""
    text: str
    """Without the label of the speaker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation as people hear it."""

    said: tuple[Said, ...]
    """One a unit."""
    is_crowd: bool
    """Whether so many named people speak that it matters who speaks to whom."""


def talk_of(conversation: Conversation) -> Talk:
    """Speaker, addressee and text of each unit.

    The speaker is the message's `name`, or a label in front of its text (`<nick> text`, `nick:
    text`) where most of the users' messages open with one and some label comes more than once. An
    address is a speaker's name in front of the text with a colon or a comma after it (`nick: text`,
    `@nick, text`). Costs O(units).
    """
    texts = [conversation.text(at) for at in range(len(conversation.units))]
    names = [_name_of(conversation, at) for at in range(len(texts))]
    if not any(names):
        names, texts = _labels(conversation, texts)
    known = {name for name in names if name}
    is_crowd = len(known) >= CROWD
    said = []
    for at, unit in enumerate(conversation.units):
        role = conversation.entries[unit.places[0]].role
        speaker = names[at] or ("" if is_crowd and role == "user" else role)
        found = _ADDRESS.match(texts[at])
        to = found.group(1).casefold() if found else ""
        said.append(
            Said(speaker=speaker, to=to if to in known and to != speaker else "", text=texts[at])
        )
    return Talk(said=tuple(said), is_crowd=is_crowd)


def _name_of(conversation: Conversation, at: int) -> str:
    place = conversation.units[at].places[0]
    item: Any = conversation.items[place]
    if conversation.entries[place].role not in ("user", "assistant"):
        return ""
    if not isinstance(item, Mapping) or item.get("type") not in _TYPES:
        return ""
    name = item.get("name")
    return name.casefold() if isinstance(name, str) else ""


def _labels(conversation: Conversation, texts: list[str]) -> tuple[list[str], list[str]]:
    users = [at for at, unit in enumerate(conversation.units) if unit.is_users_word]
    found = {at: match for at in users if (match := _LABEL.match(texts[at]))}
    labels = {at: (match.group(1) or match.group(2)).casefold() for at, match in found.items()}
    is_labelled = len(labels) >= LABELLED_SHARE * len(users)
    if not labels or not is_labelled or len(set(labels.values())) == len(labels):
        return [""] * len(texts), texts
    rest = list(texts)
    for at, match in found.items():
        rest[at] = texts[at][match.end() :].lstrip()
    return [labels.get(at, "") for at in range(len(texts))], rest

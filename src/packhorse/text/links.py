"""Links of a chunk whose text does not show them: where they lead, and where they stand.

Markdown says in its text where a link leads. A page's links are no part of what a reader sees and
would cost tokens, so they are kept beside the text, in the chunk's metadata.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packhorse.types.chunk import Chunk

__all__ = ["ANCHORS", "LINKS", "MAX_LINKS", "anchors_of", "is_target", "linked_text"]

LINKS = "html_links"
"""Field of the metadata: `[[offset in the text, target], ...]`, offsets ascending."""
ANCHORS = "html_anchors"
"""Field of the metadata: the places in the document that links to this chunk may name."""
MAX_LINKS = 200
"""Of a chunk."""

_TARGET = re.compile(r"[^<>\s\x00-\x1f]{1,500}")


def is_target(target: str) -> bool:
    """Whether a link may lead there; white space and angle brackets are written as `%20` in one."""
    return _TARGET.fullmatch(target) is not None


def linked_text(chunk: Chunk) -> str:
    """The text with its links in it, in the form of Markdown; what names are looked for in."""
    links = list(_links(chunk.metadata.get(LINKS), len(chunk.text)))
    if not links:
        return chunk.text
    parts, done = [], 0
    for at, target in links:
        parts += [chunk.text[done:at], f" ](<{target}> "]
        done = at
    return "".join((*parts, chunk.text[done:]))


def anchors_of(chunk: Chunk) -> tuple[str, ...]:
    """Places in its document that begin in this chunk, by the names that links have for them."""
    said = chunk.metadata.get(ANCHORS)
    names = said if isinstance(said, list | tuple) else ()
    return tuple(name for name in names[:MAX_LINKS] if isinstance(name, str) and is_target(name))


def _links(said: object, length: int) -> Iterator[tuple[int, str]]:
    """What is really a list of links; the field may be that of somebody's own records."""
    last = 0
    for each in said[:MAX_LINKS] if isinstance(said, list | tuple) else ():
        pair: Sequence[object] = each if isinstance(each, list | tuple) else ()
        if len(pair) != 2:  # noqa: PLR2004 - a pair
            continue
        at, target = pair
        if not isinstance(at, int) or isinstance(at, bool) or not last <= at <= length:
            continue
        if isinstance(target, str) and is_target(target):
            last = at
            yield at, target

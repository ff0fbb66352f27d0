"""The closing notice in words: what did not fit, and which topics nothing covers.

Topics are the caller's words. Each is one clean line of limited length, in quotes unless it is a
single word of letters, digits, hyphens and underscores: it can end no sentence of ours, and nothing
in it reads as one.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from packhorse.render.escaping import clean_label, shorten_middle

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MAX_TOPICS", "longest_notice", "notice_forms"]

MAX_TOPICS = 5
"""Topics that are named; of more, the rest is a number."""

_BARE = re.compile(r"[^\W_]+(?:[_-][^\W_]+)*")


def notice_forms(passages: int, tokens: int, topics: Sequence[str]) -> tuple[str, ...]:
    """The notice in several lengths, each saying a little less; none when there is nothing to say.

    Args:
        passages: relevant ones that did not fit.
        tokens: of these.
        topics: that nothing covers.
    """
    if not passages and not topics:
        return ()
    count = f"{passages:,} more relevant {'passage' if passages == 1 else 'passages'} did not fit"
    sized = f"{count} ({tokens:,} {'token' if tokens == 1 else 'tokens'})"
    named = f"Not covered here: {_listed(topics)}"
    plural = "topic" if len(topics) == 1 else "topics"
    left_out = [f"{passages:,} more relevant"] if passages else []
    left_out += [f"{len(topics):,} {plural}"] if topics else []
    forms = [
        _sentences([sized] * bool(passages) + [named] * bool(topics)),
        _sentences([count] * bool(passages) + [named] * bool(topics)),
        _sentences([f"Not in here: {', '.join(left_out)}"]),
    ]
    return tuple(dict.fromkeys(forms))


def longest_notice(candidates: int, tokens: int, topics: Sequence[str]) -> str:
    """A notice that is as long as any: everything out, nothing covered.

    Args:
        candidates: all there are; at least as many as will be out.
        tokens: of all of them.
        topics: all that are required.
    """
    # Of many topics, those with the longest names may be the ones that are missing.
    longest_first = sorted(topics, key=lambda topic: (-len(_quoted(topic)), topic))
    return notice_forms(max(2, candidates), max(2, tokens), longest_first)[0]


def _sentences(parts: Sequence[str]) -> str:
    return " ".join(f"{part}." for part in parts)


def _listed(topics: Sequence[str]) -> str:
    shown = ", ".join(_quoted(topic) for topic in topics[:MAX_TOPICS])
    rest = len(topics) - MAX_TOPICS
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def _quoted(topic: str) -> str:
    label = shorten_middle(clean_label(topic))
    return label if _BARE.fullmatch(label) else json.dumps(label, ensure_ascii=False)

"""Relevance: what belongs to the user's last word, wherever it stands, and what is recent."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from packhorse.window.policies.policy import Choice, LeftOut, Pieces
from packhorse.window.relevance import NEW_VALUES, Relevance, relevances, values_in
from packhorse.window.speakers import Said, Talk, talk_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RelevantPieces"]


class RelevantPieces:
    """Takes pieces by score, best first, while they fit; a piece that does not is passed over.

    The score adds recency, words shared with the user's last word by their rarity, who speaks to
    whom where several people have names, and elsewhere what the user said and the numbers and names
    that nothing kept so far holds; see `packhorse.window.relevance`. Ties go to the later piece. No
    model takes part. Costs O(words + pieces log pieces).
    """

    name = "relevant"

    def leave_out(self, pieces: Pieces, room: int) -> Mapping[int, LeftOut]:
        """Pieces that scored too low for the room, each with its score and what made it."""
        open_to_choice = [
            piece
            for piece in range(len(pieces.members))
            if piece not in pieces.required and piece not in pieces.banned
        ]
        if sum(pieces.costs[piece] for piece in open_to_choice) <= room:
            return {}
        talk = _talk_in(pieces)
        asked = max(filter(pieces.asks, pieces.required), default=len(pieces.members) - 1)
        return _chosen(pieces, room, open_to_choice, talk, relevances(talk, asked, pieces.costs))


def _chosen(
    pieces: Pieces,
    room: int,
    open_to_choice: Sequence[int],
    talk: Talk,
    found: Sequence[Relevance],
) -> Choice:
    """Greedy by score, computed again for the best alone.

    New values only become fewer, so a score that was computed earlier is an upper bound.
    """
    # Among many people numbers and names are everywhere, and mostly about something else.
    nothing: frozenset[str] = frozenset()
    values = [nothing if talk.is_crowd else values_in(each.text) for each in talk.said]
    held = {value for piece in pieces.required for value in values[piece]}

    def rated(piece: int) -> tuple[float, int]:
        gain = NEW_VALUES * math.log1p(len(values[piece] - held))
        return -round(found[piece].score + gain, 6), -piece

    heap = [rated(piece) for piece in open_to_choice]
    heapq.heapify(heap)
    choice, left = Choice(), room
    while heap:
        known = heapq.heappop(heap)
        piece = -known[1]
        now = rated(piece)
        if now > known:
            heapq.heappush(heap, now)
            continue
        why = _told(found[piece], -now[0], sorted(values[piece] - held))
        if pieces.costs[piece] <= left:
            left -= pieces.costs[piece]
            held |= values[piece]
            choice.kept[piece] = LeftOut("relevant", why)
        else:
            needed = f"needed {pieces.costs[piece]}, had {left}; {why}"
            choice[piece] = LeftOut("exceeded_remaining_budget", needed)
    return choice


def _told(found: Relevance, score: float, new: Sequence[str]) -> str:
    parts = [f"{name} {part:+.2f}" for name, part in found.parts]
    gain = score - found.score
    if new:
        shown = ", ".join(new[:3]) + (", ..." if len(new) > 3 else "")  # noqa: PLR2004 - one line
        parts.append(f"says {shown} {gain:+.2f}")
    return f"score {score:.2f} = {' '.join(parts)}"


def _talk_in(pieces: Pieces) -> Talk:
    """The conversation piece by piece: who opens a piece, to whom, and all its texts."""
    talk = talk_of(pieces.conversation)
    said = []
    for members in pieces.members:
        first = talk.said[members[0]]
        text = "\n".join(talk.said[at].text for at in members)
        said.append(Said(speaker=first.speaker, to=first.to, text=text))
    return Talk(said=tuple(said), is_crowd=talk.is_crowd)

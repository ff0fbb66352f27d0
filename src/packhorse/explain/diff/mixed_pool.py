"""Candidates with some inputs from one packet, some from another: who is there, and as what."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.explain.diff.changed_inputs import CHUNK_FIELDS, chunk_key
from packhorse.explain.diff.evidence_room import FORMAT_KEYS, MODEL_KEYS
from packhorse.explain.diff.ties import UNRECORDED
from packhorse.profiles.trust import trust_for
from packhorse.types.decision import InclusionCode

if TYPE_CHECKING:
    from packhorse.explain.diff.ties import Ties
    from packhorse.explain.recorded import Recorded
    from packhorse.types.candidate import Around
    from packhorse.types.chunk import Chunk
    from packhorse.types.topics import TopicMention

__all__ = ["REQUIRED_KEYS", "RETRIEVAL_KEYS", "MixedPool"]

Document = Mapping[str, Any]
Sides = Callable[[str], bool]
Mentions = tuple["TopicMention", ...]

RETRIEVAL_KEYS = (
    *("query", "searched", "query_vector", "embedder", "snapshot"),
    *("candidates", "lexical_weight", "dense_weight", "reranker", "reranker.answers"),
    *("follow", "named_weight", "mention_weight", "unnamed_share", "mention_limit"),
    *("length_weight", "alike_weight", "expand", "neighbours"),
    # A blocked source neither hands relevance on nor counts by likeness.
    "policy.blocked_sources",
)
"""What decides who is a candidate, and how relevant."""

REQUIRED_KEYS: Mapping[str, InclusionCode] = {
    "policy.mandatory": InclusionCode.MANDATORY,
    "pinned": InclusionCode.PINNED,
    "attached": InclusionCode.ATTACHED,
}
"""In the order of reservation."""

_FOUND_BY = ("lexical_rank", "dense_rank", "named_as", "followed_from")
"""Fields of an entry that say that the search found it."""

_ENTRY_FIELDS: Mapping[str, tuple[str, str]] = {
    "trust_score": ("declared_trust", "trust"),
    "timestamp": ("timestamp", "date"),
    "topic_tags": ("topic_tags", "tags"),
    "source_id": ("source_id", "source_id"),
    "source": ("source", "source"),
    "section_id": ("section_id", "section"),
    "position_in_source": ("position_in_source", "place"),
}
"""Field of a chunk -> field of an entry, and the last part of its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A candidate of either packet."""

    chunk: Chunk
    """As in A, else as in B."""
    fields: tuple[tuple[str, str, Any], ...]
    """(input, field, its value in B) where B says otherwise."""
    relevance: tuple[str, float, float]
    """Input, in A, in B; the same where only one packet has it."""
    tokens: tuple[str, int, int]
    found: tuple[str, bool, bool]
    """Whether the search wanted it."""
    brought: tuple[str, bool, bool]
    """Whether it came along with another one, that it is linked with or stands around."""
    around: tuple[str, Around | None, Around | None]
    """What it stands around and has relevance from."""
    mentions: tuple[str, Mentions, Mentions]
    """What its text offers of the topics that either packet requires."""


class MixedPool:
    """All candidates of two packets, by id."""

    def __init__(
        self, documents: tuple[Document, Document], sides: tuple[Recorded, Recorded], ties: Ties
    ) -> None:
        self._sides, self._ties = sides, ties
        self._rows = tuple(
            {entry["chunk_id"]: row for row, entry in enumerate(side.entries)} for side in sides
        )
        self._required = tuple(_required(document) for document in documents)
        self._wanted = tuple(_wanted(side) for side in sides)
        self.is_shared = self._rows[0].keys() & self._rows[1].keys()
        self.ids = tuple(sorted({*self._rows[0], *self._rows[1]}))
        self._retrieval = ties.changed(RETRIEVAL_KEYS)
        self._requiring = ties.changed(REQUIRED_KEYS)
        self._counting = ties.changed((*MODEL_KEYS, *FORMAT_KEYS))
        for key in self._requiring:
            ties.tie([key])
        widths = {len(str(max(1, len(side.entries)))) for side in sides}
        self._width_changed = len(widths) > 1
        self.members = {chunk_id: self._member(chunk_id) for chunk_id in self.ids}
        self._tie_single()

    def rows(self, side: int) -> Mapping[str, int]:
        """Candidate -> row in the pool of one packet."""
        return self._rows[side]

    def own_keys(self, chunk_id: str) -> set[str]:
        """Changed inputs that are about this candidate alone; an attached file is one."""
        keys = self._ties.changed(chunk_key(chunk_id, field) for field in CHUNK_FIELDS)
        if any(chunk_id in side["attached"] for side in self._required):
            keys |= self._ties.changed(["attached"])
        return keys

    def presence(self, chunk_id: str) -> set[str]:
        """Changed inputs by which a candidate of one packet alone is one."""
        side = 0 if chunk_id in self._rows[0] else 1
        required = {
            key
            for key in self._requiring
            if chunk_id in self._required[side][key]
            and chunk_id not in self._required[1 - side][key]
        }
        if required and chunk_id not in self._wanted[side]:
            return required
        return required | self._retrieval or self._requiring or {UNRECORDED}

    def reserved(self, is_b: Sides) -> dict[str, InclusionCode]:
        """Required chunks in the order of reservation."""
        reserved: dict[str, InclusionCode] = {}
        for key, code in REQUIRED_KEYS.items():
            for chunk_id in self._required[is_b(key)][key]:
                reserved.setdefault(chunk_id, code)
        return reserved

    def present(self, is_b: Sides, reserved: Mapping[str, InclusionCode]) -> list[str]:
        """Candidates, best relevance first, what is unscored last, ties by id."""
        there = [
            chunk_id
            for chunk_id, member in self.members.items()
            if chunk_id in reserved or _pick(member.found, is_b) or _pick(member.brought, is_b)
        ]

        def key(chunk_id: str) -> tuple[float, str]:
            relevance = self.relevance(chunk_id, is_b)
            return (-relevance if math.isfinite(relevance) else math.inf, chunk_id)

        return sorted(there, key=key)

    def relevance(self, chunk_id: str, is_b: Sides) -> float:
        """NaN for one that is unscored."""
        return float(_pick(self.members[chunk_id].relevance, is_b))

    def around(self, chunk_id: str, is_b: Sides) -> Around | None:
        """What it stands around and has its relevance from."""
        found: Around | None = _pick(self.members[chunk_id].around, is_b)
        return found

    def tokens(self, chunk_id: str, is_b: Sides) -> int:
        """Of its block."""
        return int(_pick(self.members[chunk_id].tokens, is_b))

    def chunk(self, chunk_id: str, is_b: Sides) -> Chunk:
        """The candidate as the inputs say that it is."""
        member = self.members[chunk_id]
        changes = {field: value for key, field, value in member.fields if is_b(key)}
        return replace(member.chunk, **changes) if changes else member.chunk

    def mentions(self, chunk_id: str, is_b: Sides) -> Mentions:
        """What its text offers of topics."""
        offered: Mentions = _pick(self.members[chunk_id].mentions, is_b)
        return offered

    # ---------------------------------------------------------------------------- members

    def _member(self, chunk_id: str) -> Member:
        rows = [rows.get(chunk_id) for rows in self._rows]
        at = [(side, row) for side, row in zip(self._sides, rows, strict=True) if row is not None]
        chunks = [side.pool.chunks[row] for side, row in at]
        relevance = [float(side.pool.relevance[row]) for side, row in at]
        tokens = [int(side.block_tokens[row]) for side, row in at]
        around = [side.pool.around.get(row) for side, row in at]
        is_required = [
            any(chunk_id in ids for ids in required.values()) for required in self._required
        ]
        wanted = [chunk_id in each for each in self._wanted]
        brought = [
            row is not None and not wanted[side] and not is_required[side]
            for side, row in enumerate(rows)
        ]
        return Member(
            chunk=chunks[0],
            fields=tuple(self._fields(chunk_id, chunks)),
            relevance=self._switch(relevance[0], relevance[-1], self._relevance_keys(chunk_id)),
            tokens=self._switch(tokens[0], tokens[-1], self._token_keys(chunk_id)),
            found=self._switch(wanted[0], wanted[1], self._retrieval or self._requiring),
            around=self._switch(around[0], around[-1], self._relevance_keys(chunk_id)),
            brought=self._switch(brought[0], brought[1], self._retrieval | self._requiring),
            mentions=self._switch(*self._mentioned(chunk_id), self._mention_keys(chunk_id)),
        )

    def _mentioned(self, chunk_id: str) -> tuple[Mentions, Mentions]:
        """Mentions in both packets; of what only one requires or has, its word holds for both."""
        said = [
            {each.topic: each for each in (side.pool.mentions or {}).get(chunk_id, ())}
            for side in self._sides
        ]
        known = [
            set(side.query.required_topics) if chunk_id in rows else set()
            for side, rows in zip(self._sides, self._rows, strict=True)
        ]
        for at in (0, 1):
            others = {t: each for t, each in said[1 - at].items() if t not in known[at]}
            said[at] = {**others, **said[at]}
        was, now = (tuple(each[topic] for topic in sorted(each)) for each in said)
        return was, now

    def _mention_keys(self, chunk_id: str) -> set[str]:
        names = {each.name for side in self._sides for each in side.profile.coverage.topics}
        terms = self._ties.changed(f"topics.{name}.terms" for name in names)
        return terms | self.own_keys(chunk_id)

    def _switch(self, was: Any, now: Any, keys: set[str]) -> tuple[str, Any, Any]:
        both_nan = was != was and now != now  # noqa: PLR0124 - true of NaN alone
        key = "" if was == now or both_nan else self._ties.tie(keys)
        return key, was, now

    def _fields(self, chunk_id: str, chunks: list[Chunk]) -> Iterator[tuple[str, str, Any]]:
        was, now = chunks[0], chunks[-1]
        for field, (_, name) in _ENTRY_FIELDS.items():
            if getattr(was, field) == getattr(now, field):
                continue
            keys = self._ties.changed([chunk_key(chunk_id, name)]) or self.own_keys(chunk_id)
            if field == "trust_score":
                keys |= self._ties.changed(["policy.trust"])
            yield self._ties.tie(keys), field, getattr(now, field)
        if len(chunks) == 1 and self._ties.changed(["policy.trust"]):
            yield from self._trusted_anew(chunk_id, was)

    def _trusted_anew(self, chunk_id: str, chunk: Chunk) -> Iterator[tuple[str, str, Any]]:
        """What the other packet's table of trust says of a candidate that it does not have."""
        side = 0 if chunk_id in self._rows[0] else 1
        own, other = (
            trust_for(chunk.source_id, self._sides[at].policy.trust) for at in (side, 1 - side)
        )
        if own == other:
            return
        if side == 1 or other is None or own != chunk.trust_score:
            self._ties.tie({*self.presence(chunk_id), "policy.trust"})
            return
        yield self._ties.tie(["policy.trust"]), "trust_score", other

    def _relevance_keys(self, chunk_id: str) -> set[str]:
        # What a chunk says decides its own relevance; the rest of the corpus moves it a little.
        own = self.own_keys(chunk_id) & {chunk_key(chunk_id, "text"), "attached"}
        return own | (self._retrieval - {"snapshot"} if own else self._retrieval)

    def _token_keys(self, chunk_id: str) -> set[str]:
        keys = self._counting | self.own_keys(chunk_id)
        return keys | self._retrieval | self._requiring if self._width_changed or not keys else keys

    def _tie_single(self) -> None:
        """What is not known of a candidate that only one packet has."""
        single = [chunk_id for chunk_id in self.ids if chunk_id not in self.is_shared]
        recounted = any(
            member.tokens[0] and not self.own_keys(chunk_id)
            for chunk_id, member in self.members.items()
        )
        unknown = self._counting if recounted or not self.is_shared else set()
        for chunk_id in single:
            presence = self.presence(chunk_id)
            if unknown:
                self._ties.tie(presence | unknown)
            if presence & self._requiring and self._retrieval:
                self._ties.tie(presence | self._retrieval)


def _pick(switch: tuple[str, Any, Any], is_b: Sides) -> Any:
    key, was, now = switch
    return now if is_b(key) else was


def _required(document: Document) -> Mapping[str, tuple[str, ...]]:
    packing, policy = document["packing"], document["kb"]["policy"] or {}
    attached = packing.get("attached")
    if attached is None:
        attached = [e for e in document["packed_chunks"] if e["reason_code"] == "attached"]
    return {
        "policy.mandatory": tuple(policy.get("mandatory", ())),
        "pinned": tuple(packing["pinned"]),
        "attached": tuple(each["chunk_id"] for each in attached),
    }


def _wanted(side: Recorded) -> frozenset[str]:
    """Candidates that the search itself brought, among the best that were asked for."""
    limit = side.profile.retrieval.candidates
    found = [
        entry["chunk_id"]
        for entry, relevance in zip(side.entries, side.pool.relevance, strict=True)
        if any(entry.get(name) for name in _FOUND_BY) and not relevance <= 0
    ]
    return frozenset(found[:limit])

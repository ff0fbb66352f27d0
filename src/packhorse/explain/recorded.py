"""What a packet records of its own selection, as the stages take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import InputError
from packhorse.packet.reselect import unpacked_triangle
from packhorse.profiles.profile import profile_of_packet
from packhorse.rerank.composite import MILLIONTHS
from packhorse.rerank.copies import Copies, copies_among
from packhorse.types.candidate import Around, CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints
from packhorse.types.decision import InclusionCode
from packhorse.types.query import Query, TypeReason
from packhorse.types.rewritten import AddedWord, RewrittenQuery
from packhorse.types.topics import TopicMention

if TYPE_CHECKING:
    from packhorse.config import Profile
    from packhorse.protocols import KnowledgeBase
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = [
    "LeftOutError",
    "Recorded",
    "entries_of",
    "policy_of",
    "query_of",
    "recorded",
    "type_reason_of",
    "vector_of",
]

Document = Mapping[str, Any]

REQUIRED = frozenset({InclusionCode.MANDATORY, InclusionCode.PINNED, InclusionCode.ATTACHED})


class LeftOutError(InputError):
    """The packet leaves out what selection takes, and no knowledge base is given."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recorded:
    """Everything that selection needs; rows are candidates in the order of the pool."""

    entries: tuple[Document, ...]
    query: Query
    profile: Profile
    policy: KnowledgeBasePolicy
    pool: CandidatePool
    """Chunks carry no text where the packet has none."""
    copies: Copies
    reserved: Mapping[str, InclusionCode]
    block_tokens: IntArray
    budget: int
    """Of the evidence section."""
    room: int
    """Tokens that the blocks could take."""
    beside: int
    """Tokens of the section that blocks could not take: its preamble, and room for a notice."""
    longest_notice: int
    """Tokens of the longest closing notice there could be; 0 where none was asked for."""
    kept_for_notice: int
    """How many tokens of room were kept for it: those or 0."""
    constraints: Constraints

    def row(self, chunk_id: str) -> int:
        """The row of a candidate.

        Raises:
            KeyError: it is none.
        """
        for row, entry in enumerate(self.entries):
            if entry["chunk_id"] == chunk_id:
                return row
        raise KeyError(chunk_id)


def recorded(document: Document, kb: KnowledgeBase | None = None) -> Recorded:
    """What a packet records; what it leaves out is taken from `kb`.

    Raises:
        LeftOutError: the packet leaves out what selection needs, and there is no `kb`.
        InputError: `kb` holds other texts by now.
    """
    entries = _in_pool_order(entries_of(document))
    vectors, keys = _directions(document, entries, kb)
    profile = profile_of_packet(document)
    budget = document["budget"]
    closing = document["packing"].get("closing")
    notice = document["rendered"]["notice_tokens"] if closing is None else closing["kept_tokens"]
    beside = budget["evidence_preamble"] + notice
    room = document["packing"].get("room")
    return Recorded(
        entries=entries,
        query=query_of(document),
        profile=profile,
        policy=policy_of(document),
        pool=CandidatePool(
            chunks=tuple(chunk_of(entry) for entry in entries),
            relevance=np.array(
                [np.nan if (r := e["relevance_score"]) is None else r for e in entries],
                dtype=np.float64,
            ),
            vectors=vectors,
            keys=keys,
            mentions={entry["chunk_id"]: mentions_in(entry) for entry in entries},
            around=around_of(entries),
        ),
        copies=_copies(document, entries, profile.rerank.dedup_threshold, kb),
        reserved=dict(_reserved(document)),
        block_tokens=np.array(
            [entry.get("packing_tokens", entry["tokens"]) for entry in entries], dtype=np.int64
        ),
        budget=budget["evidence_budget"],
        room=budget["evidence_budget"] - beside if room is None else room,
        beside=beside,
        longest_notice=0 if closing is None else closing["longest_tokens"],
        kept_for_notice=0 if closing is None else closing["kept_tokens"],
        constraints=_constraints(document, entries),
    )


def entries_of(document: Document) -> tuple[Document, ...]:
    """All candidates of a packet: packed ones in reading order, then the others."""
    return (*document["packed_chunks"], *document["excluded_chunks"])


def _in_pool_order(entries: Sequence[Document]) -> tuple[Document, ...]:
    """Best relevance first, what is unscored last, ties by chunk id; see `CandidatePool`."""

    def key(entry: Document) -> tuple[float, str]:
        relevance = entry["relevance_score"]
        return (np.inf if relevance is None else -relevance, entry["chunk_id"])

    return tuple(sorted(entries, key=key))


def _packet_rows(document: Document, entries: Sequence[Document]) -> list[int]:
    """Row in the packet's own order of each entry."""
    row_of = {entry["chunk_id"]: row for row, entry in enumerate(entries_of(document))}
    return [row_of[entry["chunk_id"]] for entry in entries]


def query_of(document: Document) -> Query:
    """The question with its day, its topics and its vector."""
    return Query(
        text=document["query"],
        as_of=datetime.fromisoformat(document["as_of"]),
        query_type=document["query_type"],
        type_by=type_reason_of(document.get("query_type_by", {"by": "default"})),
        required_topics=tuple(document["coverage"]["required_topics"]),
        vector=vector_of(document["query_vector"]),
        rewritten=_rewritten(document),
    )


def _rewritten(document: Document) -> RewrittenQuery | None:
    searched = document.get("searched")
    if searched is None:
        return None
    return RewrittenQuery(
        text=searched["text"],
        last=document["query"],
        added=tuple(
            AddedWord(each["word"], each["weight"], tuple(each["turns"]))
            for each in searched["added"]
        ),
        reason=searched["reason"],
    )


def type_reason_of(told: Document) -> TypeReason:
    """Why the question is of its type, from `query_type_by`."""
    lists = {name: tuple(told.get(name, ())) for name in ("keywords", "tied_with")}
    return TypeReason(**{**told, **lists})


def policy_of(document: Document) -> KnowledgeBasePolicy:
    """The operator's policy as it was then."""
    kb, policy = document["kb"], document["kb"]["policy"] or {}
    return KnowledgeBasePolicy(
        name=kb["name"],
        mandatory=tuple(policy.get("mandatory", ())),
        blocked_sources=tuple(policy.get("blocked_sources", ())),
        trust=dict(policy.get("trust", {})),
        min_trust=policy.get("min_trust"),
        max_age_days=policy.get("max_age_days"),
    )


def vector_of(text: str | None) -> FloatArray | None:
    """A vector from little-endian float32 in base64.

    Raises:
        InputError: it is not that.
    """
    import base64

    if text is None:
        return None
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").astype(np.float32)
    except ValueError as error:
        raise InputError(
            f"A vector in the packet cannot be read: {error}", hint="Pack the query again"
        ) from error


def chunk_of(entry: Document) -> Chunk:
    stamp = entry["timestamp"]
    return Chunk(
        chunk_id=entry["chunk_id"],
        source_id=entry["source_id"],
        text=entry.get("text", ""),
        source=entry["source"],
        section_id=entry["section_id"],
        position_in_source=entry["position_in_source"],
        header=entry.get("header", ""),
        trust_score=entry["declared_trust"],
        timestamp=None if stamp is None else datetime.fromisoformat(stamp),
        topic_tags=tuple(sorted(entry["topic_tags"].items())),
    )


def mentions_in(entry: Document) -> tuple[TopicMention, ...]:
    """What the text of a candidate offered of the required topics; the words are not recorded."""
    offered = entry.get("text_topics", {})
    return tuple(
        TopicMention(topic=topic, strength=strength) for topic, strength in sorted(offered.items())
    )


def around_of(entries: Sequence[Document]) -> Mapping[int, Around]:
    """Rows that gained relevance from a chunk that they stand around."""
    return {
        row: Around(
            chunk_id=entry["expanded_from"],
            steps=entry["expanded_steps"],
            own=np.nan if entry["own_relevance"] is None else entry["own_relevance"],
        )
        for row, entry in enumerate(entries)
        if "expanded_from" in entry
    }


def _reserved(document: Document) -> Iterator[tuple[str, InclusionCode]]:
    """Required chunks in the order of reservation."""
    code_of = {e["chunk_id"]: InclusionCode(e["reason_code"]) for e in document["packed_chunks"]}
    packing, policy = document["packing"], document["kb"]["policy"] or {}
    listed = [
        *policy.get("mandatory", ()),
        *packing["pinned"],
        *(each["chunk_id"] for each in packing.get("attached", ())),
        *code_of,
    ]
    for chunk_id in dict.fromkeys(listed):
        if code_of.get(chunk_id) in REQUIRED:
            yield chunk_id, code_of[chunk_id]


def _constraints(document: Document, entries: Sequence[Document]) -> Constraints:
    rules = document["packing"].get("constraints")
    if rules is None:
        return NO_CONSTRAINTS
    row_of = {entry["chunk_id"]: row for row, entry in enumerate(entries)}
    return Constraints(
        max_per_source=rules["max_per_source"],
        topics=tuple(rules["topics"]),
        topic_strength=rules["topic_strength"],
        exclusive=tuple((row_of[one], row_of[two]) for one, two in rules["exclusive"]),
        linked=tuple(tuple(row_of[each] for each in group) for group in rules["linked"]),
    )


def _directions(
    document: Document, entries: Sequence[Document], kb: KnowledgeBase | None
) -> tuple[FloatArray | None, FloatArray | None]:
    """Vectors and keys of a pool: the recorded table, or what the knowledge base has."""
    if "similarities" in document:
        table = document["similarities"]
        if table is None:
            return None, None
        if table["millionths"] is not None:
            try:
                millionths = unpacked_triangle(table["millionths"], len(entries))
            except ValueError as error:
                raise InputError(
                    f"The packet's similarities cannot be read: {error}",
                    hint="Pack the query again",
                ) from error
            rows = _packet_rows(document, entries)
            return millionths[np.ix_(rows, rows)] / MILLIONTHS, np.eye(len(entries))
    return _stored_vectors(document, entries, _needed(kb, "similarities")), None


def _stored_vectors(
    document: Document, entries: Sequence[Document], kb: KnowledgeBase
) -> FloatArray | None:
    attached = {
        each["chunk_id"]: vector_of(each["vector"])
        for each in document["packing"].get("attached", ())
    }
    made_by, now = document["kb"]["embedder"], kb.stats().get("embedder")
    if made_by != now:
        raise InputError(
            f"The packet's vectors are of {made_by}, those of the knowledge base of {now}",
            hint="Index it with the embedder that it was packed with",
        )
    stored = [entry["chunk_id"] for entry in entries if entry["chunk_id"] not in attached]
    _refuse_others(kb, [entry for entry in entries if entry["chunk_id"] not in attached])
    found = kb.vectors(stored)
    if found is None:
        return None
    vectors = np.zeros((len(entries), found.shape[1]), dtype=np.float32)
    at = 0
    for row, entry in enumerate(entries):
        own = attached.get(entry["chunk_id"])
        if own is not None:
            vectors[row] = own
        elif entry["chunk_id"] not in attached:
            vectors[row] = found[at]
            at += 1
    return vectors


def _copies(
    document: Document,
    entries: Sequence[Document],
    threshold: float | None,
    kb: KnowledgeBase | None,
) -> Copies:
    if threshold is None:
        return Copies(given_by={})
    if document.get("copies") is not None:
        given_by: dict[int, dict[int, float]] = {}
        place_of = {row: at for at, row in enumerate(_packet_rows(document, entries))}
        for row, other, overlap in document["copies"]:
            if max(row, other) >= len(entries):
                raise InputError(
                    f"The packet's copies name row {max(row, other)} of {len(entries)} candidates",
                    hint="Pack the query again",
                )
            given_by.setdefault(place_of[row], {})[place_of[other]] = overlap
        return Copies(given_by=given_by)
    texts = {entry["chunk_id"]: entry["text"] for entry in document["packed_chunks"]}
    others = [entry for entry in entries if entry["chunk_id"] not in texts]
    if others:
        found = _refuse_others(_needed(kb, "texts of excluded chunks"), others)
        texts |= {chunk_id: chunk.text for chunk_id, chunk in found.items()}
    return copies_among([texts[entry["chunk_id"]] for entry in entries], threshold)


def _needed(kb: KnowledgeBase | None, what: str) -> KnowledgeBase:
    if kb is None:
        raise LeftOutError(
            f"The packet does not hold the {what} of its candidates, which selecting again takes",
            hint="Name the knowledge base that it was packed from, with --kb",
        )
    return kb


def _refuse_others(kb: KnowledgeBase, entries: Sequence[Document]) -> Mapping[str, Chunk]:
    """The chunks, when they are still what was packed from."""
    found = kb.get([entry["chunk_id"] for entry in entries])
    for entry in entries:
        chunk = found.get(entry["chunk_id"])
        if chunk is None or chunk.content_hash() != entry["content_hash"]:
            state = "is gone" if chunk is None else "has changed"
            raise InputError(
                f"Chunk {entry['chunk_id']!r} {state} since the packet was made",
                hint="`packhorse replay` lists everything that has changed",
            )
    return found

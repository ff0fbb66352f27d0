"""The form of a candidate in context_packet.json, and of the numbers in it."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from packhorse.packet.wire_verdict import Count, Unit

__all__ = ["ExcludedWire", "Instant", "PackedWire", "Place", "Sha256"]

Place = Annotated[int, Meta(ge=1)]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
DATE_TIME = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$"
Instant = Annotated[str, Meta(pattern=DATE_TIME, title="UTC, ISO 8601")]
Score = Annotated[float | None, Meta(description="Null when the candidate is unscored.")]


TextTopics = Annotated[
    dict[str, Unit] | UnsetType,
    Meta(description="What the text of a chunk without tags offers of the required topics."),
]


class RelevancePartsWire(Struct):
    """What relevance is the sum of."""

    lexical: float
    dense: float
    named: float
    mention: float
    length: float
    alike: Annotated[
        float | UnsetType, Meta(description="By what is most like it; not there where it is 0.")
    ] = UNSET
    clipped: Annotated[
        float | UnsetType, Meta(description="What cutting the sum to 0..1 took off, or put on.")
    ] = UNSET


class FollowedWire(Struct):
    """The mention that led to a candidate, or lifted it."""

    chunk_id: Annotated[str, Meta(description="That mentions it.")]
    name: Annotated[str, Meta(description="As it is written there.")]


class CandidateWire(Struct, kw_only=True):
    """What is said about every candidate."""

    chunk_id: str
    source: str
    source_id: str
    section_id: str
    position_in_source: int
    timestamp: Instant | None
    topic_tags: dict[str, Unit]
    declared_trust: Unit | None
    content_hash: Sha256
    tokens: int
    text_tokens: Count
    rank: Place | None
    score: Score
    relevance_score: Score
    trust_score: Score
    freshness_score: Score
    coverage_bonus: Score
    dedup_penalty: Score
    lexical_rank: Place | None
    lexical_score: float | None
    dense_rank: Place | None
    dense_score: float | None
    retrieval_rank: Place | UnsetType | None = UNSET
    retrieval_score: Score | UnsetType = UNSET
    reranker_rank: Place | UnsetType | None = UNSET
    reranker_score: Score | UnsetType = UNSET
    relevance_parts: Annotated[
        RelevancePartsWire | UnsetType | None,
        Meta(
            description="They add up to relevance_score, where it stands around nothing and no"
            " reranker judged; null when it is unscored."
        ),
    ] = UNSET
    named_as: Annotated[str | UnsetType, Meta(description="In the question.")] = UNSET
    followed_from: FollowedWire | UnsetType = UNSET
    text_topics: TextTopics = UNSET
    expanded_from: Annotated[
        str | UnsetType, Meta(description="The chunk that it has its relevance from.")
    ] = UNSET
    expanded_steps: Annotated[
        int | UnsetType, Meta(description="Chunks from there; below 0: before it.")
    ] = UNSET
    own_relevance: Annotated[Score | UnsetType, Meta(description="Without that.")] = UNSET


class PackedWire(CandidateWire, kw_only=True):
    """A packed chunk; `position` is the number it is cited by."""

    position: Place
    included_reason: str
    reason_code: Literal["mandatory", "pinned", "attached", "ranked", "expanded"]
    text: str
    header: str
    packing_tokens: Annotated[
        Count | UnsetType, Meta(description="Of the block as it was counted while packing.")
    ] = UNSET


class ExcludedWire(CandidateWire, kw_only=True):
    """A candidate that is not in, and why."""

    excluded_reason: str
    reason_code: Literal[
        "exceeded_remaining_budget",
        "duplicate",
        "stale",
        "blocked_source",
        "below_trust_threshold",
        "below_relevance_threshold",
        "not_selected_by_mmr",
        "source_cap",
        "unscored",
        "linked_chunk_out",
        "origin_out",
        "exclusive_pair",
        "not_in_best_set",
    ]
    duplicate_of: str | UnsetType = UNSET
    would_fit_at_budget: Count | UnsetType = UNSET

"""The form of context_packet.json. The JSON Schema that ships with the package is made of it."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from packhorse.packet.wire_candidates import ExcludedWire, Instant, PackedWire, Place, Sha256
from packhorse.packet.wire_sections import ExamplesWire, MemoryWire, SectionWire, ToolsWire
from packhorse.packet.wire_verdict import (
    CheckWire,
    ConsistencyWire,
    Count,
    CoverageWire,
    DiversityWire,
    TypeReasonWire,
    Unit,
)

__all__ = ["PacketWire"]

Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$", title="ISO 8601")]
Vector = Annotated[str | None, Meta(description="Little-endian float32 in base64.")]


class CalibrationWire(Struct):
    """How counts were corrected by what the provider had reported, and how well that holds."""

    samples: Place
    first: Day | None = field(name="from")
    last: Day | None = field(name="to")
    explained: Annotated[Unit, Meta(description="Share of the samples given to the token.")]
    under: Annotated[Unit, Meta(description="Share of the samples counted too low.")]
    spread: Annotated[list[int], Meta(description="Range of reported - corrected.")]
    outside: Annotated[list[str], Meta(description="What no sample had so much or so little of.")]


class FileWire(Struct):
    """A file of the user's that counts depended on."""

    path: str
    sha256: Annotated[Sha256, Meta(description="Of what was read from it.")]


class TokenizerWire(Struct):
    """What counted."""

    name: str
    library: str
    exact: bool
    margin_tokens: Count
    calibration: CalibrationWire | UnsetType = UNSET
    vocabulary: FileWire | UnsetType = UNSET
    template: FileWire | UnsetType = UNSET


class PolicyWire(Struct):
    """What the operator said about the knowledge base."""

    mandatory: list[str]
    blocked_sources: list[str]
    trust: dict[str, Unit]
    min_trust: float | None
    max_age_days: float | None


class WeightsWire(Struct):
    """Share of each signal in the composite score."""

    relevance: float
    trust: float
    freshness: float
    coverage: float
    deduplication: float


class KnowledgeBaseWire(Struct):
    """Where the candidates come from; `snapshot` is a hash of the content."""

    name: str
    snapshot: str
    chunks: Count
    embedder: str | None
    policy: PolicyWire | None


class BudgetWire(Struct):
    """The token ledger. Fixed lines + output_reservation + available_evidence = total_window."""

    total_window: Count
    system_prompt: Count
    safety_preamble: Count
    tools: Count
    few_shot: Count
    memory: Count
    history: Count
    query: Count
    message_overhead: Count
    output_reservation: Count
    available_evidence: Count
    evidence_budget: Count
    evidence_preamble: int
    mandatory_evidence: int
    packed_evidence: Count
    remaining_unused: Count
    utilization: Unit
    calibration: Annotated[int, Meta(description="Of message_overhead.")] | UnsetType = UNSET


class AttachedWire(Struct):
    """A file that was attached; its text stands among the packed chunks."""

    chunk_id: str
    vector: Vector


class ConstraintsWire(Struct):
    """What the selection had to respect besides the budget; rows by chunk id."""

    max_per_source: Place | None
    topics: list[str]
    topic_strength: Unit
    exclusive: list[list[str]]
    linked: list[list[str]]


class UnmetWire(Struct):
    """A constraint that could not be kept, and why."""

    kind: Literal["max_per_source", "topic", "exclusive", "linked"]
    detail: str


class ClosingWire(Struct):
    """What the closing notice speaks of, whether it had room or not."""

    passages: Annotated[Count, Meta(description="Relevant candidates that did not fit.")]
    tokens: Annotated[Count, Meta(description="Of their blocks.")]
    topics: Annotated[list[str], Meta(description="Required topics that nothing covers.")]
    longest_tokens: Annotated[Count, Meta(description="Of the longest notice there could be.")]
    kept_tokens: Annotated[Count, Meta(description="Room that passages gave up for it.")]


class PackingWire(Struct):
    """How the budget was spent, and how close that is to the best."""

    strategy: str
    objective: str
    value: float | None
    upper_bound: float | None
    optimality: Unit | None
    candidates: Count
    retrieved: Count
    ranked: Count
    packed: Count
    skipped_for_size: list[str]
    pinned: list[str]
    attached: list[AttachedWire] | UnsetType = UNSET
    room: Annotated[
        int | UnsetType | None, Meta(description="Tokens that the blocks could take.")
    ] = UNSET
    constraints: ConstraintsWire | UnsetType = UNSET
    unmet: list[UnmetWire] | UnsetType = UNSET
    closing: ClosingWire | UnsetType = UNSET
    note: str | UnsetType = UNSET


class RenderedWire(Struct):
    """What it takes to render the evidence again, and what it must then hash to."""

    format: str
    order: str
    sha256: Sha256
    tokens: Count
    preamble: str
    notice: str
    notice_tokens: int
    show_dates: bool


class RequestWire(Struct):
    """The request around the evidence; `history` is in the OpenAI chat shape."""

    shape: Literal["openai", "anthropic", "gemini"]
    system_prompt: str
    safety_preamble: str
    history: list[dict[str, Any]]
    sections: str | UnsetType = UNSET


class SimilaritiesWire(Struct):
    """Cosines of all pairs of candidates, in base64; rows: packed_chunks, then excluded_chunks."""

    rows: Count
    millionths: Annotated[
        str | None,
        Meta(
            description="Above the diagonal, by rows, 3 bytes each, lowest first; null above 256."
        ),
    ]


class MadeWithWire(Struct):
    """Versions of what took part."""

    packhorse: str
    tokenizer: str | None
    model_row: Sha256


class RerankerWire(Struct):
    """What a reranker of the user's did."""

    model: str
    scale: Literal["logits", "probabilities"]
    weight: Annotated[Unit, Meta(description="Its share in the relevance of what it judged.")]
    judged: Annotated[Count, Meta(description="Candidates.")]
    fallback: Annotated[str, Meta(description="Why it judged none; empty when it did.")]


class SummedUpWire(Struct):
    """A message that a summary stands for."""

    index: Annotated[Count, Meta(description="In the conversation as it was given.")]
    turn: Count
    role: str
    quoted: Annotated[bool, Meta(description="Whether a sentence of it is in the summary.")]


class SummaryWire(Struct):
    """What stands for turns that were let go of; its text is a message of `request.history`."""

    turn: Annotated[Count, Meta(description="The last that it covers.")]
    n_messages: Count
    tokens: Count
    max_tokens: Count
    covered: list[SummedUpWire]


class HistoryWire(Struct):
    """How much of the conversation was kept, in messages, turns and tokens."""

    kept: Count
    dropped: Count
    dropped_turns: Count
    dropped_tokens: Count
    reason: str
    summary: SummaryWire | UnsetType = UNSET


class AddedWordWire(Struct):
    """A word that the conversation put behind the question."""

    word: str
    weight: float
    turns: Annotated[list[Count], Meta(description="Messages of the history that say it.")]


class SearchedWire(Struct):
    """What was searched with in place of the question, and why."""

    text: str
    added: list[AddedWordWire]
    reason: str


class PacketWire(Struct):
    """A context packet: what went into the context window, at what cost, and why."""

    schema_version: Literal["1"]
    trace_id: Annotated[str, Meta(pattern=r"^ctx-\d{8}-[0-9a-f]{12}$")]
    packet_hash: Sha256
    status: Literal["valid", "warning"]
    query: str
    query_type: str
    query_vector: Vector
    as_of: Instant
    model: str
    tokenizer: TokenizerWire
    kb: KnowledgeBaseWire
    profile: dict[str, Any]
    weights: WeightsWire
    note: str
    budget: BudgetWire
    packed_chunks: list[PackedWire]
    excluded_chunks: list[ExcludedWire]
    coverage: CoverageWire
    consistency: ConsistencyWire
    diversity: DiversityWire
    checks: list[CheckWire]
    packing: PackingWire
    rendered: RenderedWire
    request: RequestWire
    history: HistoryWire
    similarities: SimilaritiesWire | UnsetType | None = UNSET
    copies: Annotated[
        list[tuple[Count, Count, Unit]] | UnsetType | None,
        Meta(
            description="Row, row that gives its text, share of its word triples found there;"
            " rows as in similarities, null for more than 256."
        ),
    ] = UNSET
    made_with: MadeWithWire | UnsetType | None = UNSET
    searched: SearchedWire | UnsetType = UNSET
    query_type_by: TypeReasonWire | UnsetType = UNSET
    reranker: RerankerWire | UnsetType = UNSET
    sections: list[SectionWire] | UnsetType = UNSET
    memory: MemoryWire | UnsetType = UNSET
    examples: ExamplesWire | UnsetType = UNSET
    tools: ToolsWire | UnsetType = UNSET

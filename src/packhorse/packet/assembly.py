"""Everything a packet is made of, gathered by the pipeline into one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packhorse.types.constraints import NO_CONSTRAINTS, Constraints

if TYPE_CHECKING:
    from packhorse.config import KnowledgeBasePolicy, Weights
    from packhorse.types.arrays import IntArray
    from packhorse.types.ledger import Ledger
    from packhorse.types.packing import Packing
    from packhorse.types.query import Query
    from packhorse.types.ranking import Ranking
    from packhorse.types.rendered import Rendered
    from packhorse.types.request import RequestParts
    from packhorse.types.verdict import Check, Verdict
    from packhorse.window.history import FittedHistory
    from packhorse.window.sections.surround import Beside

__all__ = ["Assembly", "MadeWith", "TokenizerInfo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizerInfo:
    """What counted, and how far its counts can be trusted."""

    name: str
    """Vocabulary, for example `o200k_base`."""
    library: str
    exact: bool
    margin_tokens: int = 0
    """Tokens the ledger adds for an estimate; 0 when exact."""
    calibration: Mapping[str, object] | None = None
    """What counts were corrected by, and how well: fields of `tokenizer.calibration`; None when
    they were not."""
    vocabulary: Mapping[str, str] | None = None
    """Path and hash of the user's vocabulary file; None for a registered tokenizer."""
    template: Mapping[str, str] | None = None
    """Path and hash of the chat template that requests were rendered with; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeWith:
    """What a packet depends on besides its inputs: it should change nothing, and it may."""

    packhorse: str
    """Version of this package."""
    tokenizer: str | None
    """Version of the library that counted; None for one without a version."""
    model_row: str
    """SHA-256 of the model's row in the model table."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assembly:
    """One run of the pipeline, complete. `build_document(assembly)` turns it into a packet.

    Rows are positions in `ranking.pool.chunks`. Every row is in `packing.kept` or is excluded, by
    the packing or by the ranking.
    """

    query: Query
    model: str
    """Name of the model, as the model table spells it."""
    shape: str
    """Chat shape of the model: `openai`, `anthropic` or `gemini`."""
    tokenizer: TokenizerInfo
    kb_name: str
    kb_snapshot: str
    """Content hash of the knowledge base."""
    kb_chunks: int
    """Chunks in the knowledge base."""
    profile: Mapping[str, object]
    """The resolved profile as plain data, complete enough to replay."""
    weights: Weights
    """Weights that made the composite score; `explain` shows the sum with them."""
    ledger: Ledger
    ranking: Ranking
    ranked: Sequence[int]
    """Rows that competed or were required, best first: rank = place + 1."""
    packing: Packing
    """Its `would_fit_at` counts blocks alone; the packet adds the evidence preamble."""
    ordered: Sequence[int]
    """Packed rows in reading order: the order of `rendered.block_tokens`."""
    rendered: Rendered
    evidence_preamble: str
    """The text that was given to `Renderer.preamble`."""
    verdict: Verdict
    block_tokens: Sequence[int] | IntArray
    """(n,) tokens of each row's block as it was counted while packing."""
    text_tokens: Sequence[int] | IntArray
    """(n,) tokens of each row's text alone."""
    parts: RequestParts
    """The request; its `evidence` is `rendered.text`, its `history` what was kept."""
    constraints: Constraints = NO_CONSTRAINTS
    """What the packing had to respect besides the budget."""
    order: str = "sandwich"
    """Name of the reading order."""
    show_dates: bool = True
    """Whether blocks show the day of their chunk."""
    history: FittedHistory | None = None
    """What happened to the conversation; None when there was none."""
    beside: Beside | None = None
    """How the window was divided among sections, and which notes are in; None where neither notes
    nor sections were given."""
    kb_policy: KnowledgeBasePolicy | None = None
    embedder: str | None = None
    """Fingerprint of the model behind `query.vector`; None when no embedder took part."""
    pinned: tuple[str, ...] = ()
    """Chunk ids that were asked for with `pin`."""
    made_with: MadeWith | None = None
    """Versions of what took part; None where nobody said."""
    checks: tuple[Check, ...] = field(default=())
    """Checks of the pipeline itself, shown before those of the verdict."""

"""The sentence: retrieve, rerank, pack, order, render, verify.

Every stage is handed in; nothing here knows how any of them works.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packhorse.errors import BudgetExceededError
from packhorse.order.together import reading_order
from packhorse.packing.notice_room import room_to_keep
from packhorse.tokens.framed import framed_counts
from packhorse.types.closing import Closing
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints

if TYPE_CHECKING:
    from packhorse.protocols import (
        Notice,
        Orderer,
        Packer,
        Renderer,
        Reranker,
        Retriever,
        TokenCounter,
        Verifier,
    )
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.decision import InclusionCode
    from packhorse.types.packing import Packing
    from packhorse.types.query import Query
    from packhorse.types.ranking import Ranking
    from packhorse.types.rendered import Rendered
    from packhorse.types.verdict import Verdict

__all__ = ["Found", "Pipeline", "Required", "Run", "merged_ranks", "unconstrained"]

Rows = tuple[int, ...]

NO_ROOM = "The notice about what was left out did not fit."
"""Said in the packing's note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Required:
    """What must be in before anything competes, in the order of reservation."""

    chunks: tuple[Chunk, ...] = ()
    codes: Mapping[str, InclusionCode]
    """Chunk id -> why it is required."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """What competes for one query."""

    query: Query
    ranking: Ranking
    ranked: Rows
    """As in `Run`."""
    texts: tuple[int, ...]
    """What the text alone of each row of the pool costs."""
    costs: tuple[int, ...]
    """What each row of the pool costs when rendered."""
    constraints: Constraints
    notice: Notice | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """Everything the stages said about one query; the packet is written from it."""

    query: Query
    ranking: Ranking
    packing: Packing
    ranked: Rows
    """The ranked list: rows that competed or were required, best first; rank = place + 1."""
    rows: Rows
    """Packed rows of the pool, in reading order."""
    rendered: Rendered
    verdict: Verdict
    block_tokens: tuple[int, ...]
    """What each row of the pool costs when rendered."""
    text_tokens: tuple[int, ...]
    """What the text alone of each row of the pool costs."""
    constraints: Constraints
    """What the selection had to respect besides the budget."""


def never_closed(_query: Query, _ranking: Ranking, _costs: Sequence[int]) -> None:
    """No notice after anything."""


def unconstrained(_query: Query, _ranking: Ranking) -> Constraints:
    """No constraints for anything."""
    return NO_CONSTRAINTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """One configured way from a question to rendered, checked evidence."""

    retriever: Retriever
    reranker: Reranker
    packer: Packer
    orderer: Orderer
    renderer: Renderer
    verifier: Verifier
    counter: TokenCounter
    evidence_preamble: str = ""
    constrain: Callable[[Query, Ranking], Constraints] = unconstrained
    closes: Callable[[Query, Ranking, Sequence[int]], Notice | None] = never_closed
    """Makes the notice that says at the end of the evidence what was left out."""

    def run(self, query: Query, required: Required, budget: int) -> Run:
        """Packs evidence for `query` into at most `budget` tokens, everything rendered counted.

        Raises:
            BudgetExceededError: the preamble and the required chunks alone are over `budget`.
        """
        return self.fill(self.found(query, required), budget)

    def found(self, query: Query, required: Required) -> Found:
        """What competes for `query`, ranked and counted, whatever the budget will be."""
        pool = self.retriever.retrieve(query, required.chunks)
        ranking = self.reranker.rerank(query, pool, required.codes)
        texts, costs = self.costs(pool)
        ranked = merged_ranks(ranking)
        constraints = self.constrain(query, ranking)
        return Found(
            query=query,
            ranking=ranking,
            ranked=ranked,
            texts=texts,
            costs=costs,
            constraints=constraints,
            notice=self.closes(query, ranking, costs),
        )

    def asked(self, found: Found) -> tuple[int, int]:
        """Tokens of a section with everything that competes, and of what must be in."""
        preamble = self.counter.count(self.renderer.preamble(self.evidence_preamble))
        reserved = {row for row, _code in found.ranking.reserved}
        longest = 0
        if found.notice is not None:
            longest = self.counter.count(self.renderer.closing(found.notice.longest()))
        needs = preamble + sum(found.costs[row] for row in reserved)
        rest = sum(found.costs[row] for row in found.ranking.order if row not in reserved)
        return needs + rest + longest, needs

    def fill(self, found: Found, budget: int) -> Run:
        """Packs what was found into at most `budget` tokens.

        Raises:
            BudgetExceededError: the preamble and the required chunks alone are over `budget`.
        """
        query, ranking, ranked = found.query, found.ranking, found.ranked
        pool, costs, constraints = ranking.pool, found.costs, found.constraints
        packing, rows, rendered = self.fit(
            ranking, ranked, costs, budget, constraints, notice=found.notice
        )
        verdict = self.verifier.verify(query, pool, [pool.chunks[row] for row in rows])
        return Run(
            query=query,
            ranking=ranking,
            packing=packing,
            ranked=ranked,
            rows=rows,
            rendered=rendered,
            verdict=verdict,
            block_tokens=costs,
            text_tokens=found.texts,
            constraints=constraints,
        )

    def costs(self, pool: CandidatePool) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Tokens of every candidate's text, and of its block.

        The block is counted under the widest number that the pool can give it.
        """
        widest = 10 ** len(str(max(1, len(pool)))) - 1
        blocks = [self.renderer.block(widest, chunk) for chunk in pool.chunks]
        texts, costs = framed_counts(self.counter, [chunk.text for chunk in pool.chunks], blocks)
        return tuple(texts), tuple(costs)

    def fit(
        self,
        ranking: Ranking,
        ranked: Rows,
        costs: Sequence[int],
        budget: int,
        constraints: Constraints = NO_CONSTRAINTS,
        *,
        notice: Notice | None = None,
    ) -> tuple[Packing, Rows, Rendered]:
        """Packs, orders and renders; where the recount is over the budget, packs again with less.

        Adding up blocks is exact for tokenizers that never merge over a block's edges. For any
        other, the recount of the whole text decides: the room for blocks shrinks by the overrun
        until the rendered text fits. A notice never shrinks it: room was kept for the longest
        one, or it takes what is left over.
        """
        preamble = self.renderer.preamble(self.evidence_preamble) if budget else ""
        preamble_tokens = self.counter.count(preamble)
        self.require(ranking, costs, preamble_tokens, budget)
        room = budget - preamble_tokens
        longest, kept = self.kept_for(notice, ranking, costs, room, constraints)
        room -= kept
        while True:
            packing = replace(self.packer.pack(ranking, costs, room, constraints), room=room)
            rows = self.reading_order(ranked, ranking.pool, packing)
            known = (preamble_tokens, *(costs[row] for row in rows))
            if notice is not None:
                left_out = notice.left_out(packing, room)
                closing = Closing(left_out=left_out, longest_tokens=longest, kept_tokens=kept)
                packing = replace(packing, closing=closing)
            chunks = [ranking.pool.chunks[row] for row in rows]
            packing, rendered = self.section(
                packing, preamble, chunks, known=known, notice=notice, budget=budget
            )
            overrun = rendered.tokens - budget
            if overrun <= 0:
                return packing, rows, rendered
            room -= overrun
            self.require(ranking, costs, budget - room, budget)

    def kept_for(
        self,
        notice: Notice | None,
        ranking: Ranking,
        costs: Sequence[int],
        room: int,
        constraints: Constraints,
    ) -> tuple[int, int]:
        """Tokens of the longest notice, and how many of `room` are kept for it: those or 0."""
        if notice is None:
            return 0, 0
        longest = self.counter.count(self.renderer.closing(notice.longest()))
        whole = self.packer.pack(ranking, costs, room, constraints)
        return longest, room_to_keep(ranking, whole, costs, room, longest)

    def section(
        self,
        packing: Packing,
        preamble: str,
        chunks: Sequence[Chunk],
        *,
        known: Sequence[int],
        notice: Notice | None,
        budget: int,
    ) -> tuple[Packing, Rendered]:
        """The rendered section with the longest form of the notice that fits, else without."""
        closing = packing.closing
        if notice is None or closing is None:
            return packing, self.renderer.render(preamble, chunks, self.counter, known=known)
        forms = notice.forms(closing.left_out)
        for form in forms:
            cost = self.counter.count(self.renderer.closing(form))
            if sum(known) + cost > budget:
                continue
            rendered = self.renderer.render(
                preamble, chunks, self.counter, form, known=(*known, cost)
            )
            if rendered.tokens <= budget:
                return packing, rendered
        if forms:
            packing = replace(packing, note=" ".join(filter(None, (packing.note, NO_ROOM))))
        return packing, self.renderer.render(preamble, chunks, self.counter, known=known)

    def reading_order(self, ranked: Sequence[int], pool: CandidatePool, packing: Packing) -> Rows:
        """Packed rows as they are read: the orderer places them by rank, it does not choose."""
        kept = {row for row, _ in packing.kept}
        by_rank = [row for row in ranked if row in kept]
        return reading_order(self.orderer, pool, by_rank)

    def require(
        self, ranking: Ranking, costs: Sequence[int], preamble_tokens: int, budget: int
    ) -> None:
        """Raises when what must be in does not fit; it is never dropped to make room."""
        parts = [(ranking.pool.chunks[row].chunk_id, costs[row]) for row, _code in ranking.reserved]
        needed = preamble_tokens + sum(tokens for _, tokens in parts)
        if needed <= budget:
            return
        breakdown = " + ".join(
            f"{name} {tokens}" for name, tokens in [("evidence preamble", preamble_tokens), *parts]
        )
        raise BudgetExceededError(
            "Budget too small to fit required policy preamble + mandatory evidence"
            f" (needs >= {needed} tokens): {breakdown}, budget {budget}",
            needed=needed,
            available=budget,
            parts=[("evidence_preamble", preamble_tokens), *parts],
            hint="Increase --budget or reduce mandatory preamble sections",
        )


def merged_ranks(ranking: Ranking) -> Rows:
    """The ranked list with required rows at the place that their score earns.

    A required row stands before the first competing row with a lower score; equal scores leave
    the competing row first. Required rows keep their order of reservation among equals.
    """
    score = ranking.signals.score
    merged = list(ranking.order)
    reserved = [row for row, _code in ranking.reserved]
    for row in sorted(reserved, key=lambda row: -score[row]):
        place = next(
            (at for at, other in enumerate(merged) if score[other] < score[row]), len(merged)
        )
        merged.insert(place, row)
    return tuple(merged)

"""Packing counted by the model's provider: few questions, and never over by the provider's count.

Asking for every candidate would be a question each. Instead:

1. The request without evidence is counted: one question. Its fixed lines are shares of that.
2. A sample of the candidates is counted as evidence: one question. It tells what the local count
   is off by on this very material, and the candidates are planned with local counts so corrected.
3. What was packed is counted in its whole request: one question for each different selection.
   The evidence costs what it adds to the request without it, so that the lines add up to the
   provider's number by construction. Over the budget, the selection shrinks by the overrun.

With a local count that is off by a share e, the second selection is off by about e squared: one or
two are usual, so three or four questions in all, however many candidates there are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packhorse.ledger.plan import with_evidence_budget
from packhorse.render.messages import provider_messages
from packhorse.render.tools import tools_field
from packhorse.tokens.endpoints.counter import balanced_lines
from packhorse.tokens.endpoints.shares import shared_out
from packhorse.tokens.requests.request import ChatRequest
from packhorse.types.verdict import Check, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.pipeline import Pipeline
    from packhorse.protocols import Renderer, TokenCounter
    from packhorse.tokens.endpoints.counter import Asker
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.chunk import Chunk
    from packhorse.types.ledger import Ledger
    from packhorse.types.rendered import Rendered
    from packhorse.types.request import RequestParts

__all__ = ["CorrectedCounter", "ProviderCounting", "ProviderRenderer"]

REQUEST_LINES = (
    *("system_prompt", "safety_preamble", "tools", "few_shot", "memory", "history", "query"),
    "message_overhead",
)
"""Fixed lines that the provider's count is shared out among."""
SAMPLE_TOKENS = 16_000
"""How much of the candidates is counted to learn what the local count is off by."""


class ProviderCounting:
    """One request at its provider.

    Args:
        asker: the provider's endpoint.
        spec: the model.
        local: counts here; its figures are corrected, never trusted.
        parts: the request, without evidence.
    """

    def __init__(
        self, asker: Asker, spec: ModelSpec, local: TokenCounter, parts: RequestParts
    ) -> None:
        self.name = asker.endpoint.model
        self.library = asker.endpoint.label
        self.local = local
        self._asker = asker
        self._spec = spec
        self._parts = replace(parts, evidence="")
        self._bare: int | None = None

    @property
    def bare(self) -> int:
        """Input tokens of the request without evidence."""
        if self._bare is None:
            self._bare = self._total("")
        return self._bare

    def evidence(self, text: str) -> int:
        """What an evidence section adds to the request; 0 for an empty one."""
        return max(0, self._total(text) - self.bare) if text else 0

    def measured(self, ledger: Ledger, budget: int | None) -> Ledger:
        """The ledger with its fixed lines as shares of what the provider counted.

        Raises:
            BudgetExceededError: the fixed lines and the reservation are over the window.
        """
        lines = {name: int(getattr(ledger, name)) for name in REQUEST_LINES}
        whole = balanced_lines(lines, self.bare, exact_contents=self.local.exact)
        shares = {name: whole[name] for name in REQUEST_LINES}
        return with_evidence_budget(replace(ledger, **shares), self._spec, budget)

    def piped(self, pipeline: Pipeline) -> Pipeline:
        """The pipeline with its sections counted by the provider."""
        return replace(
            pipeline,
            counter=CorrectedCounter(self),
            renderer=ProviderRenderer(pipeline.renderer, self),
        )

    def check(self, evidence_tokens: int) -> Check:
        """Says what of the packet's figures is the provider's own."""
        detail = (
            f"Counted by {self.library}: request {self.bare + evidence_tokens} tokens,"
            f" {self.bare} without evidence; lines and blocks are shares of these, and what was"
            " left out is estimated"
        )
        return Check(name="counting", status=Status.PASS, detail=detail)

    def _total(self, evidence: str) -> int:
        parts = replace(self._parts, evidence=evidence)
        said = provider_messages(parts, self._spec.shape)
        body = {"messages": said} if isinstance(said, list) else said
        body = {**body, **tools_field(parts.tools, self._spec.shape)}
        return self._asker.request(ChatRequest(turns=(), body=body))


class CorrectedCounter:
    """Local counts, corrected by what the provider says of a sample; an estimate to plan with.

    The sample is what is counted first: texts in order up to some tokens, as one section.
    """

    exact = False
    margin = 0.0

    def __init__(self, provider: ProviderCounting) -> None:
        self.name = provider.name
        self.library = provider.library
        self._provider = provider
        self._rate: tuple[int, int] | None = None

    def count(self, text: str) -> int:
        """Planned tokens of one text."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Planned tokens of each text, in order, rounded up."""
        counts = self._provider.local.count_batch(texts)
        if not any(counts):
            return counts
        if self._rate is None:
            self._rate = self._learnt(texts, counts)
        said, here = self._rate
        return [-(-count * said // here) for count in counts]

    def _learnt(self, texts: Sequence[str], counts: Sequence[int]) -> tuple[int, int]:
        sample: list[str] = []
        here = 0
        for text, count in zip(texts, counts, strict=True):
            if sample and here + count > SAMPLE_TOKENS:
                break
            sample.append(text)
            here += count
        said = self._provider.evidence("".join(sample))
        return max(1, said), max(1, here)


class ProviderRenderer:
    """Renders as another renderer does; the section's tokens are the provider's count."""

    def __init__(self, renderer: Renderer, provider: ProviderCounting) -> None:
        self.name = renderer.name
        self._renderer = renderer
        self._provider = provider

    def preamble(self, text: str) -> str:
        """As the other renderer."""
        return self._renderer.preamble(text)

    def block(self, number: int, chunk: Chunk) -> str:
        """As the other renderer."""
        return self._renderer.block(number, chunk)

    def closing(self, notice: str) -> str:
        """As the other renderer."""
        return self._renderer.closing(notice)

    def render(
        self,
        preamble: str,
        chunks: Sequence[Chunk],
        counter: TokenCounter,
        notice: str = "",
        known: Sequence[int] = (),
    ) -> Rendered:
        """The section; its pieces are charged with shares of the whole by the local counts."""
        del counter, known
        rendered = self._renderer.render(preamble, chunks, self._provider.local, notice)
        tokens = self._provider.evidence(rendered.text)
        pieces = [rendered.preamble_tokens, *rendered.block_tokens, rendered.notice_tokens]
        first, *blocks, last = shared_out(tokens, pieces)
        return replace(
            rendered,
            tokens=tokens,
            preamble_tokens=first,
            block_tokens=tuple(blocks),
            notice_tokens=last,
        )

"""From a question to a packet: charge what is fixed, fit the history, run the pipeline, gather."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from packhorse.compose import compose_pipeline
from packhorse.errors import ConfigError
from packhorse.indexing.cache import cache_root
from packhorse.ledger.corrected import calibration_check, calibration_facts
from packhorse.ledger.plan import check_budget, plan_window, with_evidence_budget
from packhorse.ledger.rendered import RenderedRequest
from packhorse.packet.assembly import Assembly, TokenizerInfo
from packhorse.packet.made_with import made_with
from packhorse.packet.packet import Packet
from packhorse.profiles.profile import profile_to_dict
from packhorse.render.tools import tools_field
from packhorse.required import collect_required
from packhorse.tokens.cached import CachedCounter
from packhorse.tokens.models.table import built_in_models
from packhorse.tokens.registry import counter_of
from packhorse.tokens.store import COUNTS_FILE
from packhorse.tokens.stored import remembering
from packhorse.types.decision import InclusionCode
from packhorse.types.request import RequestParts
from packhorse.types.verdict import Check, Status
from packhorse.verify.budget import budget_check
from packhorse.verify.constraints import constraints_check
from packhorse.verify.reranked import reranker_check
from packhorse.window.beside_evidence import HISTORY_SHARE, Divided, divide_window
from packhorse.window.checks import window_checks
from packhorse.window.companions import pools_for
from packhorse.window.history import FittedHistory, fit_history
from packhorse.window.sections.pools import NO_COMPANIONS, Companions, Pools
from packhorse.window.shape_overhead import shape_overhead
from packhorse.window.tool_choice.charge import charged_tools

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from packhorse.config import Profile
    from packhorse.pipeline import Found, Pipeline, Run
    from packhorse.protocols import KnowledgeBase, TokenCounter
    from packhorse.provider import ProviderCounting
    from packhorse.rerank.cross_encoder.judge import Judge
    from packhorse.tokens.endpoints.counter import Asker
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.models.table import ModelTable
    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk
    from packhorse.types.ledger import Ledger
    from packhorse.types.message import Message
    from packhorse.types.query import Query
    from packhorse.window.sections.surround import Asks

__all__ = ["Asked", "assemble_packet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a caller asked for besides the question and the settings."""

    budget: int | None = None
    pin: Sequence[str] = ()
    attach: Sequence[str | Path] = ()
    history: tuple[Message, ...] = ()
    models: ModelTable | None = None
    """Where the target model is looked up; None is the built-in table."""
    asker: Callable[[ModelSpec], Asker] | None = None
    """Opens the counting endpoint of a model's provider, for profiles that say so."""
    attached: tuple[Chunk, ...] = ()
    """Files that were read already; they follow those of `attach`."""
    fitted: FittedHistory | None = None
    """A history that was cut already, in the place of `history`."""
    judge: Judge | None = None
    """Judges candidates in the place of the reranker that the profile names."""
    companions: Companions = NO_COMPANIONS
    """Notes, examples and tools."""
    asked_sections: Asks | None = None
    """What history and evidence asked for, where that is known already."""
    pools: Pools | None = None
    """What was chosen already, in the place of `companions`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """The target model and what counts for it."""

    spec: ModelSpec
    counter: TokenCounter
    provider: ProviderCounting | None = None
    """None when nobody outside is asked."""


def assemble_packet(
    query: Query,
    kb: KnowledgeBase,
    profile: Profile,
    asked: Asked,
    direction: Future[FloatArray | None],
) -> Packet:
    """Runs one request through the pipeline and gathers all that was decided.

    Raises:
        BudgetError: the budget is invalid, or what must be in does not fit.
        UnknownModelError: the profile names a model that is not in the table.
        ConfigError: a setting cannot be used.
    """
    counting = counting_for((asked.models or built_in_models()).spec(profile.request.model))
    required = collect_required(kb, asked.pin, asked.attach, asked.attached)
    found: Found | None = None
    if asked.companions or asked.pools or profile.sections:
        query = replace(query, vector=direction.result())
        pipeline = compose_pipeline(profile, kb, counting.counter, asked.judge)
        found = pipeline.found(query, required)
        divided = divide(query, profile, counting, asked, pipeline.asked(found))
        budget = divided.capped(asked.budget)
        ledger = charge(divided.parts, profile, counting, budget)
    else:
        divided, budget = fit_request(query, profile, counting, asked), asked.budget
        ledger = charge(divided.parts, profile, counting, budget)
        query = replace(query, vector=direction.result())
        pipeline = compose_pipeline(profile, kb, counting.counter, asked.judge)
    parts, request = divided.parts, None
    if counting.spec.template is not None:
        tools = tools_field(parts.tools, counting.spec.shape).get("tools", ())
        day = query.as_of.date()
        request = RenderedRequest(counting.spec, counting.counter, parts, day, tools)
        ledger = request.measured(ledger, budget)
    if profile.request.counting == "provider":
        counting = by_provider(counting, parts, asked)
    if counting.provider is not None:
        ledger = counting.provider.measured(ledger, budget)
        pipeline = counting.provider.piped(pipeline)
        request = found = None
    found = found or pipeline.found(query, required)
    run, ledger = filled(pipeline, found, ledger, budget, request)
    assembly = gather(
        run,
        kb=kb,
        profile=profile,
        counting=counting,
        divided=divided,
        ledger=ledger,
        pinned=tuple(asked.pin),
    )
    return Packet.of(assembly)


def filled(
    pipeline: Pipeline,
    found: Found,
    ledger: Ledger,
    budget: int | None,
    request: RenderedRequest | None,
) -> tuple[Run, Ledger]:
    """Evidence in its budget; less of it where the finished request takes more than was planned."""
    run = pipeline.fill(found, ledger.evidence_budget)
    while request is not None:
        evidence, planned = run.rendered, ledger.evidence_budget
        ledger = request.certified(ledger, evidence.text, evidence.tokens, budget)
        if ledger.evidence_budget == planned:
            break
        run = pipeline.fill(found, ledger.evidence_budget)
    return run, ledger


def divide(
    query: Query, profile: Profile, counting: Counting, asked: Asked, evidence: tuple[int, int]
) -> Divided:
    """The request around the evidence, where more than turns competes with it for the window."""
    request, spec, counter = profile.request, counting.spec, counting.counter
    return divide_window(
        RequestParts(
            system_prompt=request.system_prompt,
            safety_preamble=request.safety_preamble,
            query=query.text,
        ),
        spec,
        counter,
        profile=profile,
        history=asked.history,
        pools=asked.pools
        or pools_for(asked.companions, query, asked.history, spec, counter, profile=profile),
        evidence=evidence,
        budget=check_budget(asked.budget),
        fitted=asked.fitted,
        known=asked.asked_sections,
    )


def counting_for(spec: ModelSpec) -> Counting:
    """A model and what counts for it, nobody outside being asked."""
    return Counting(spec=spec, counter=cached_counter(spec))


def cached_counter(spec: ModelSpec) -> TokenCounter:
    """One counter a vocabulary in a process, remembering what it counted.

    Counts of a slow tokenizer are kept in the user's cache directory too.
    """
    return _remembered(counter_of(spec))  # type: ignore[arg-type]  # told apart by identity


@cache
def _remembered(counter: TokenCounter) -> TokenCounter:
    return CachedCounter(remembering(counter, lambda: cache_root() / COUNTS_FILE))


def by_provider(counting: Counting, parts: RequestParts, asked: Asked) -> Counting:
    """The same model, counted by its provider; a calibration corrects rules and is left out.

    Raises:
        ConfigError: the provider has no counting endpoint, or its key is missing.
    """
    from packhorse.provider import ProviderCounting

    if asked.asker is None:
        raise ConfigError("Nobody opened the provider's endpoint", hint="Call packhorse.pack")
    spec = replace(counting.spec, calibration=None)
    provider = ProviderCounting(asked.asker(spec), spec, counting.counter, parts)
    return replace(counting, spec=spec, provider=provider)


def charge(parts: RequestParts, profile: Profile, counting: Counting, budget: int | None) -> Ledger:
    """The ledger before evidence is chosen."""
    ledger = plan_window(
        parts,
        counting.spec,
        counting.counter,
        output_reservation=profile.request.output_reservation,
        budget=budget,
        tools_tokens=charged_tools(parts.tools, counting.spec, counting.counter),
    )
    more = shape_overhead(parts, counting.spec, counting.counter)
    if not more:
        return ledger
    raised = replace(ledger, message_overhead=ledger.message_overhead + more)
    return with_evidence_budget(raised, counting.spec, budget)


def fit_request(query: Query, profile: Profile, counting: Counting, asked: Asked) -> Divided:
    """The request around the evidence, its history cut to whole turns that fit."""
    request = profile.request
    parts = RequestParts(
        system_prompt=request.system_prompt,
        safety_preamble=request.safety_preamble,
        query=query.text,
    )
    if asked.fitted is not None:
        return Divided(parts=replace(parts, history=asked.fitted.kept), fitted=asked.fitted)
    if not asked.history:
        return Divided(parts=parts)
    room = charge(parts, profile, counting, None).available_evidence - request.min_evidence_tokens
    cap = request.history_max_tokens
    cap = int(room * HISTORY_SHARE) if cap is None else min(cap, room)
    fitted = fit_history(asked.history, counting.counter, counting.spec, max(0, cap))
    return Divided(parts=replace(parts, history=fitted.kept), fitted=fitted)


def gather(
    run: Run,
    *,
    kb: KnowledgeBase,
    profile: Profile,
    counting: Counting,
    divided: Divided,
    ledger: Ledger,
    pinned: tuple[str, ...],
) -> Assembly:
    """All that was decided, as one value for the packet."""
    parts = replace(divided.parts, evidence=run.rendered.text)
    calibrated = calibration_facts(counting.spec, parts, ledger, run.rendered.tokens)
    tokenizer = with_files(tokenizer_info(counting, ledger, run.rendered.tokens), counting)
    return Assembly(
        query=run.query,
        model=counting.spec.name,
        shape=counting.spec.shape,
        tokenizer=replace(tokenizer, calibration=calibrated),
        kb_name=kb.policy.name,
        kb_snapshot=kb.snapshot(),
        kb_chunks=int(str(kb.stats()["chunks"])),
        kb_policy=kb.policy,
        embedder=embedder_of(kb),
        profile=profile_to_dict(profile),
        weights=profile.rerank.weights,
        ledger=final_ledger(run, ledger),
        ranking=run.ranking,
        ranked=run.ranked,
        packing=run.packing,
        constraints=run.constraints,
        ordered=run.rows,
        order=profile.render.order,
        show_dates=profile.render.show_dates,
        rendered=run.rendered,
        evidence_preamble=profile.render.evidence_preamble,
        verdict=run.verdict,
        block_tokens=run.block_tokens,
        text_tokens=run.text_tokens,
        parts=parts,
        history=divided.fitted,
        beside=divided.beside,
        pinned=pinned,
        made_with=made_with(counting.spec, counting.counter.library),
        checks=(
            *run_checks(run, counting, ledger),
            *window_checks(divided.fitted, divided.beside),
            *calibration_check(counting.spec, calibrated),
            *source_check(kb.stats()),
        ),
    )


def embedder_of(kb: KnowledgeBase) -> str | None:
    """Fingerprint of the model that made the vectors; None when there are none."""
    embedder = kb.embedder()
    return embedder.fingerprint if embedder else None


def run_checks(run: Run, counting: Counting, ledger: Ledger) -> tuple[Check, ...]:
    """What the run says of itself: the certificate, who counted, constraints it could not keep."""
    return (
        budget_check(run.rendered.tokens, ledger.evidence_budget),
        *provider_check(counting, run.rendered.tokens),
        *constraints_check(run.constraints, run.packing),
        *reranker_check(run.ranking.pool),
    )


def final_ledger(run: Run, ledger: Ledger) -> Ledger:
    """The ledger with the evidence lines of a finished run."""
    mandatory = {
        row for row, inclusion in run.packing.kept if inclusion.code is InclusionCode.MANDATORY
    }
    return replace(
        ledger,
        evidence_preamble=run.rendered.preamble_tokens,
        mandatory_evidence=sum(
            tokens
            for row, tokens in zip(run.rows, run.rendered.block_tokens, strict=True)
            if row in mandatory
        ),
        packed_evidence=run.rendered.tokens,
    )


def tokenizer_info(counting: Counting, ledger: Ledger, evidence_tokens: int) -> TokenizerInfo:
    """What counted; for an estimate, how much of the input is margin."""
    counter = counting.counter
    if counting.provider is not None:
        provider = counting.provider
        return TokenizerInfo(name=provider.name, library=provider.library, exact=True)
    counted = ledger.fixed + evidence_tokens
    return TokenizerInfo(
        name=counter.name,
        library=counter.library,
        exact=counter.exact,
        margin_tokens=round(counted - counted / (1 + counter.margin)),
    )


def with_files(info: TokenizerInfo, counting: Counting) -> TokenizerInfo:
    """What counted, and the user's own files that decided it, for a replay."""
    from packhorse.tokens.own_files import template_facts, vocabulary_facts

    if counting.provider is not None:
        return info
    spec = counting.spec
    return replace(info, vocabulary=vocabulary_facts(spec), template=template_facts(spec))


def provider_check(counting: Counting, evidence_tokens: int) -> tuple[Check, ...]:
    """Says what the provider counted, when it did."""
    return () if counting.provider is None else (counting.provider.check(evidence_tokens),)


def source_check(stats: Mapping[str, object]) -> tuple[Check, ...]:
    """Warns when the source had bad lines that were left out, or nothing but unreadable files.

    Chunks without any text are only counted: nothing that could be read is missing.
    """
    left_out = []
    if n_lines := stats.get("bad_lines"):
        left_out.append(f"{n_lines} bad {'line' if n_lines == 1 else 'lines'} left out")
    n_files = stats.get("skipped_files")
    if n_files and not stats["chunks"]:
        left_out.append(f"{n_files} {'file' if n_files == 1 else 'files'} not read")
    status = Status.WARN if left_out else Status.PASS
    if n_empty := stats.get("empty_records"):
        left_out.append(f"{n_empty} empty {'chunk' if n_empty == 1 else 'chunks'} left out")
    if not left_out:
        return ()
    read = "read in part" if status is Status.WARN else "read"
    detail = f"Source {read}: {', '.join(left_out)}; `packhorse index` lists them"
    return (Check(name="source", status=status, detail=detail),)

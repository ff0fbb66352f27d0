"""Puts a pipeline together from a profile: each name in it becomes a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.closing import ClosingNotices
from packhorse.errors import ConfigError
from packhorse.order.registry import orderer
from packhorse.packing.constraints import ConstraintRules
from packhorse.packing.registry import packer
from packhorse.pipeline import Pipeline, never_closed
from packhorse.render.registry import renderer
from packhorse.rerank.cross_encoder.judge import Judge, ModelJudge
from packhorse.rerank.cross_encoder.registry import PROBABILITIES, cross_encoder, usual_scale
from packhorse.rerank.cross_encoder.retriever import JudgedRetriever
from packhorse.rerank.five_signals import FiveSignalReranker
from packhorse.retrieve.expanded import ExpandedRetriever
from packhorse.retrieve.hybrid import HybridRetriever
from packhorse.retrieve.topics import TopicReader
from packhorse.verify.contradiction.registry import contradiction_model
from packhorse.verify.verifier import EvidenceVerifier

if TYPE_CHECKING:
    from packhorse.config import Profile
    from packhorse.protocols import CrossEncoder, KnowledgeBase, Retriever, TokenCounter

__all__ = ["compose_pipeline", "judge_of"]


def compose_pipeline(
    profile: Profile, kb: KnowledgeBase, counter: TokenCounter, judge: Judge | None = None
) -> Pipeline:
    """The pipeline that a profile describes.

    Args:
        profile: what is named in it becomes a stage.
        kb: what is searched.
        counter: counts for the target model.
        judge: judges candidates in the place of the reranker that the profile names.

    Raises:
        UnknownStrategyError: the profile names a strategy, order or format that nobody registered.
        ConfigError: the profile names a contradiction model or a reranker that cannot be used.
    """
    contradiction = contradiction_model(profile.verify.contradiction_model)
    return Pipeline(
        retriever=TopicReader(
            expanded(
                judged(HybridRetriever(kb, profile.retrieval), profile, kb, judge), profile, kb
            ),
            profile.coverage,
        ),
        reranker=FiveSignalReranker(profile.rerank, kb.policy),
        packer=packer(profile.pack.strategy),
        orderer=orderer(profile.render.order),
        renderer=renderer(profile.render.format, show_dates=profile.render.show_dates),
        verifier=EvidenceVerifier(profile.coverage, profile.verify, contradiction),
        counter=counter,
        evidence_preamble=profile.render.evidence_preamble,
        constrain=ConstraintRules(profile.pack, profile.coverage.full_strength),
        closes=ClosingNotices(profile.coverage) if profile.render.closing_notice else never_closed,
    )


def judged(
    retriever: Retriever, profile: Profile, kb: KnowledgeBase, judge: Judge | None
) -> Retriever:
    """The retriever, its best candidates judged where the profile names a reranker."""
    if profile.rerank.reranker is None:
        return retriever
    return JudgedRetriever(retriever, judge or judge_of(profile), profile.rerank, kb.policy)


def judge_of(profile: Profile, model: CrossEncoder | None = None) -> Judge:
    """Asks the reranker that the profile names, or `model` in its place.

    Raises:
        UnknownStrategyError: the name is neither a file nor an endpoint.
        ConfigError: the profile names none, or it cannot be used.
    """
    settings = profile.rerank.reranker
    if settings is None:
        raise ConfigError("The profile names no reranker", hint="Set reranker.model")
    if model is None:
        from packhorse.profiles.settings import check_complete

        check_complete(profile)
    asked = model or cross_encoder(settings.model, settings.timeout_seconds)
    usual = usual_scale(settings.model) if model is None else PROBABILITIES
    return ModelJudge(asked, scale=settings.scale or usual, top=settings.top)


def expanded(retriever: Retriever, profile: Profile, kb: KnowledgeBase) -> Retriever:
    """The retriever, with what stands around relevant chunks where the profile asks for it.

    Raises:
        ConfigError: the knowledge base does not know what stands around a chunk.
    """
    if profile.retrieval.expand == "none":
        return retriever
    return ExpandedRetriever(retriever, kb, profile.retrieval)

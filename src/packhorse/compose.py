"""Puts a pipeline together from a profile: each name in it becomes a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.closing import ClosingNotices
from packhorse.order.registry import orderer
from packhorse.packing.constraints import ConstraintRules
from packhorse.packing.registry import packer
from packhorse.pipeline import Pipeline, never_closed
from packhorse.render.registry import renderer
from packhorse.rerank.five_signals import FiveSignalReranker
from packhorse.retrieve.hybrid import HybridRetriever
from packhorse.retrieve.topics import TopicReader
from packhorse.verify.contradiction.registry import contradiction_model
from packhorse.verify.verifier import EvidenceVerifier

if TYPE_CHECKING:
    from packhorse.config import Profile
    from packhorse.protocols import KnowledgeBase, TokenCounter

__all__ = ["compose_pipeline"]


def compose_pipeline(profile: Profile, kb: KnowledgeBase, counter: TokenCounter) -> Pipeline:
    """The pipeline that a profile describes.

    Raises:
        UnknownStrategyError: the profile names a strategy, order or format that nobody registered.
        ConfigError: the profile names a contradiction model that cannot be used.
    """
    judge = contradiction_model(profile.verify.contradiction_model)
    return Pipeline(
        retriever=TopicReader(HybridRetriever(kb, profile.retrieval), profile.coverage),
        reranker=FiveSignalReranker(profile.rerank, kb.policy),
        packer=packer(profile.pack.strategy),
        orderer=orderer(profile.render.order),
        renderer=renderer(profile.render.format, show_dates=profile.render.show_dates),
        verifier=EvidenceVerifier(profile.coverage, profile.verify, judge),
        counter=counter,
        evidence_preamble=profile.render.evidence_preamble,
        constrain=ConstraintRules(profile.pack, profile.coverage.full_strength),
        closes=ClosingNotices(profile.coverage) if profile.render.closing_notice else never_closed,
    )

"""One set, cut one way: what the product packs with and without expansion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evals.context.cutting import cut
from evals.context.metrics import around_recall, evidence_recall
from evals.context.ranked import Ranked
from evals.context.rules import RULES
from packhorse.assemble import cached_counter
from packhorse.compose import compose_pipeline
from packhorse.config import KnowledgeBasePolicy, Profile
from packhorse.embed.questions import embed_questions
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.kb.searchable import searchable_text
from packhorse.question import make_query
from packhorse.tokens.models.table import model_spec

if TYPE_CHECKING:
    from evals.context.documents import Asked, LongDocument, Place
    from packhorse.protocols import Embedder

__all__ = ["BUDGETS", "EXPANSIONS", "Figures", "measured"]

BUDGETS = (512, 1024, 2048, 4096)
"""Tokens of the whole evidence section: preamble and frames of the blocks included."""

EXPANSIONS: Mapping[str, Mapping[str, object]] = {
    "none": {},
    "neighbours": {"expand": "neighbours", "neighbours": 1},
    "neighbours 2": {"expand": "neighbours", "neighbours": 2},
    "section": {"expand": "section"},
}

AS_OF = "2026-01-01"
"""No document has a date, so the day makes no difference."""

BATCH = 500
"""Texts that are embedded between two writes to the cache."""

Figures = tuple[tuple[float, float], ...]
"""For each budget: share of the evidence, share of what stands around it."""


def measured(
    documents: Sequence[LongDocument],
    questions: Sequence[Asked],
    chunk_tokens: int,
    embedder: Embedder,
    *,
    with_rules: bool = False,
) -> Mapping[str, Figures]:
    """Figures of each expansion, the mean over the questions.

    Args:
        documents: what is cut.
        questions: what is asked.
        chunk_tokens: limit of a chunk.
        embedder: makes the vectors.
        with_rules: also those of `rules`, which spend the budget on surroundings otherwise.
    """
    chunks, place_of = cut(documents, chunk_tokens)
    texts = [searchable_text(chunk) for chunk in chunks]
    vectors = [embedder.embed(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
    kb = MemoryKnowledgeBase(
        chunks,
        policy=KnowledgeBasePolicy(name="context"),
        embedder=embedder,
        vectors=np.concatenate(vectors),
    )
    counter = cached_counter(model_spec(Profile().request.model))
    pipelines = {}
    for way, settings in EXPANSIONS.items():
        retrieval = replace(Profile().retrieval, **settings)  # type: ignore[arg-type]  # fields of it
        pipelines[way] = compose_pipeline(replace(Profile(), retrieval=retrieval), kb, counter)
    found: dict[tuple[str, int], list[tuple[float, float]]] = {}
    directions = embed_questions(embedder, [question.text for question in questions])
    for question, vector in zip(questions, directions, strict=True):
        query = replace(make_query(question.text, Profile(), AS_OF, ()), vector=vector)
        for way, pipeline in pipelines.items():
            ranked = Ranked.of(query, pipeline)
            for budget in BUDGETS:
                ids = ranked.packed(budget)
                found.setdefault((way, budget), []).append(figures(question, ids, place_of))
                if way != "none" or not with_rules:
                    continue
                for rule, choose in RULES.items():
                    ids = choose(ranked, budget, kb)
                    found.setdefault((rule, budget), []).append(figures(question, ids, place_of))
    ways = dict.fromkeys(way for way, _ in found)
    return {way: tuple(_mean(found[way, budget]) for budget in BUDGETS) for way in ways}


def figures(
    question: Asked, ids: Sequence[str], place_of: Mapping[str, Place]
) -> tuple[float, float]:
    """Share of the evidence, and of what stands around it."""
    places = [place_of[chunk_id] for chunk_id in ids]
    return evidence_recall(question, places), around_recall(question, places)


def _mean(rows: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Column by column; NaN where there is nothing in a column."""
    columns = np.array(rows).T
    evidence, around = (column[np.isfinite(column)] for column in columns)
    return (
        float(evidence.mean()) if evidence.size else float("nan"),
        float(around.mean()) if around.size else float("nan"),
    )

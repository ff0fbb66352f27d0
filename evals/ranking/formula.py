"""The formula of relevance, and the rankings that it is measured beside.

relevance = clip(1/2 share + 1/2 cosine + named + mention + length + feedback, 0, 1)

named     w_named * how surely the question names the passage
mention   w_mention * (g + w_unnamed * (1 - g)) * flow along mentions
g: how surely the question names any passage
length    -w_length * ln(terms / average terms)
feedback  a * (w_alike_words * alike by words + w_alike_direction * alike by direction)
a: gate of `feedback.py`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evals.ranking.mention_graph import Edges, flow
from packhorse.evaluate.floors import RRF_K

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evals.ranking.data import Features
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["CHOSEN", "NO_PARTS", "Weights", "floors", "relevance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Of the parts; all 0 leaves the mean of share and cosine, which is today's relevance."""

    named: float = 0.0
    mention: float = 0.0
    unnamed: float = 0.0
    """Share of the flow that is left where the question names nothing, 0..1."""
    length: float = 0.0
    alike_words: float = 0.0
    alike_direction: float = 0.0


NO_PARTS = Weights()

CHOSEN = Weights(
    named=0.35, mention=0.65, unnamed=0.2, length=0.025, alike_words=0.25, alike_direction=0.15
)
"""The weights that are proposed. They were chosen with all sets in view."""


def relevance(features: Features, question: int, weights: Weights) -> FloatArray:
    """Relevance of each candidate of a question, 0..1, six decimals.

    The flow reads what is summed before it, not yet clipped.
    """
    rows = _rows(features, question)
    alike = (
        weights.alike_words * features.alike_words[rows]
        + weights.alike_direction * features.alike_direction[rows]
    )
    first = (
        (features.words[rows] + features.direction[rows]) / 2
        + weights.named * features.named[rows]
        - weights.length * features.length[rows]
        + features.agreement_gate[question] * alike
    )
    named = features.named_gate[question]
    mention = weights.mention * float(named + weights.unnamed * (1 - named))
    total = first + mention * flow(first, edges_of(features, question), mention)
    rounded: FloatArray = np.round(np.clip(total, 0.0, 1.0), 6)
    return rounded


def edges_of(features: Features, question: int) -> Edges:
    """The mentions between the candidates of a question."""
    rows = slice(int(features.edge_ends[question]), int(features.edge_ends[question + 1]))
    return Edges(
        features.edge_sources[rows], features.edge_targets[rows], features.edge_strengths[rows]
    )


def floors(features: Features, question: int) -> Mapping[str, FloatArray]:
    """Scores of the plain rankings by name; what a ranking does not find has 0.

    `bm25` and `dense` rank the first 100 of one channel, `rrf` fuses both by rank, and `today` is
    the relevance that the product ranks by, before its other signals.
    """
    rows = _rows(features, question)
    by_words, by_direction = features.by_words[rows], features.by_direction[rows]
    found = (by_words > 0) | (by_direction > 0)
    fused = (features.words[rows] + features.direction[rows]) / 2
    return {
        "bm25": _reciprocal(by_words),
        "dense": _reciprocal(by_direction),
        "rrf": _reciprocal(by_words) + _reciprocal(by_direction),
        "today": np.where(found, np.round(fused, 6), 0.0),
    }


def _reciprocal(ranks: IntArray) -> FloatArray:
    scores: FloatArray = np.where(ranks > 0, 1.0 / (RRF_K + ranks), 0.0)
    return scores


def _rows(features: Features, question: int) -> slice:
    return slice(int(features.ends[question]), int(features.ends[question + 1]))

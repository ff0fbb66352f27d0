"""Is a question about anything in the knowledge base? By the closest chunk that was found.

Closeness is half lexical share, half cosine, whatever the weights of the two channels are: the
thresholds were chosen on that scale, over eight corpora (see evals/domain). Of the figures that a
search gives, it told questions about a corpus from others best; neither the spread of the
scores nor the share of the question's words that the corpus knows added anything to it.

BM25 weighs a word by how rare it is, and in a corpus of few chunks no word is: what a chunk holds
of a question weighs little beside the words that no chunk holds. The weight of a word that one
chunk holds grows with ln(1 + n) of n chunks, and so does the share that questions about a corpus
reach. So the share is measured against that of a corpus of `domain_chunks`:

    share / reachable,   reachable = ln(1 + n) / ln(1 + domain_chunks), at most 1

Cosines mean something else with every embedder: some give 0.7 to texts about nothing in common.
Where the thresholds of an embedder were not measured and the profile names none, words decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.retrieve.fusion import fused

if TYPE_CHECKING:
    import numpy.typing as npt

    from packhorse.config import RetrievalConfig
    from packhorse.types.arrays import FloatArray
    from packhorse.types.query import TypeReason

__all__ = ["MINILM", "Domain", "DomainThresholds", "domain_of", "thresholds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainThresholds:
    """What cosines of an embedder are judged by."""

    closeness: float
    """Half share, half cosine, from which a question is inside."""
    sure_cosine: float
    """From which it is inside whatever its words."""


MINILM = DomainThresholds(closeness=0.28, sure_cosine=0.45)
"""Of the built-in embedder, over eleven corpora."""


def thresholds(config: RetrievalConfig, embedder: object) -> DomainThresholds | None:
    """What holds for the cosines of an embedder; None where nobody said or measured it.

    Args:
        config: its thresholds, each None where the embedder's are to hold.
        embedder: the fingerprint of the model behind the vectors.
    """
    closeness, sure = config.min_domain_closeness, config.sure_domain_cosine
    if embedder == MiniLmEmbedder.fingerprint:
        closeness = MINILM.closeness if closeness is None else closeness
        sure = MINILM.sure_cosine if sure is None else sure
    if closeness is None:
        return None
    return DomainThresholds(closeness=closeness, sure_cosine=1.0 if sure is None else sure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Whether a question is inside, and the figures that say so."""

    is_inside: bool
    evidence: tuple[tuple[str, float], ...]
    """(name, value), sorted by name: the best figures of any chunk, and the threshold."""


def domain_of(
    shares: FloatArray,
    cosines: FloatArray | None,
    found: npt.NDArray[np.bool_],
    config: RetrievalConfig,
    *,
    n_chunks: int,
    embedder: object = None,
    asked: TypeReason | None = None,
) -> Domain:
    """Inside is a question with a chunk at the threshold or above it, or with a sure cosine.

    A question in words of its own shares none with what answers it, which halves its closeness.
    A question that was recognised by an example of a query type is one that the operator expects:
    for it any chunk that the search brought will do.

    Args:
        shares: (n,) lexical share of each candidate, 0..1.
        cosines: (n,) of each candidate; None where the question or the corpus has no vectors. Words
            alone decide then, with a threshold of their own.
        found: (n,) whether the search brought it; what is required says nothing of the question.
        config: the thresholds.
        n_chunks: of the corpus.
        embedder: the fingerprint of the model behind the cosines.
        asked: why the question is of its type.
    """
    reachable = _reachable_share(n_chunks, config.domain_chunks)
    shares = np.minimum(shares / reachable, 1.0)
    lexical = _best(shares, found)
    told = {"lexical_share": lexical}
    if reachable < 1:
        told |= {"chunks": float(n_chunks), "reachable_share": reachable}
    is_expected = asked is not None and asked.by == "example"
    if asked is not None and is_expected:
        told["example"] = asked.similarity
    of_cosines, closeness, nearest = None, 0.0, 0.0
    if cosines is not None:
        of_cosines = thresholds(config, embedder)
        closeness = _best(fused(shares, cosines, 0.5, 0.5), found)
        nearest = _best(cosines, found & np.isfinite(shares))
        # Told where nobody judges by it as well: thresholds are found from it.
        told |= {"closeness": closeness, "max_similarity": nearest}
    if of_cosines is None:
        told["min_domain_share"] = config.min_domain_share
        is_inside = lexical >= config.min_domain_share or (is_expected and lexical > 0)
    else:
        told["min_domain_closeness"] = of_cosines.closeness
        is_near = closeness >= of_cosines.closeness
        if not is_near and nearest >= of_cosines.sure_cosine:
            told["sure_domain_cosine"] = of_cosines.sure_cosine
            is_near = True
        is_inside = is_near or (is_expected and closeness > 0)
    return Domain(is_inside=is_inside, evidence=tuple(sorted(told.items())))


def _reachable_share(n_chunks: int, enough: int) -> float:
    """Of the share that words reach in a corpus of `enough` chunks, what they reach here; 0..1."""
    if n_chunks >= enough:
        return 1.0
    # By the standard library: NumPy's logarithm differs between processors.
    return round(math.log1p(max(1, n_chunks)) / math.log1p(enough), 6)


def _best(column: FloatArray, found: npt.NDArray[np.bool_]) -> float:
    """The highest of the found rows, six decimals; 0 where none has a finite number above 0."""
    usable = column[found & np.isfinite(column)]
    return round(float(usable.max(initial=0.0)), 6)

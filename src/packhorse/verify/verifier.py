"""Runs every check on what was packed, in one fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.errors import VerificationError
from packhorse.types.verdict import Check, Status, Verdict
from packhorse.verify.consistency import consistency_check, find_conflicts
from packhorse.verify.consistency.conflicts import by_model, compared, conflicts_of
from packhorse.verify.coverage import coverage_check, measure_coverage
from packhorse.verify.diversity import diversity_check, measure_diversity
from packhorse.verify.domain import domain_check
from packhorse.verify.injection import injection_check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.config import CoverageConfig, VerifyConfig
    from packhorse.protocols import ContradictionModel
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.query import Query
    from packhorse.types.verdict import Conflict

__all__ = ["EvidenceVerifier"]

_NOTES: Mapping[str, str] = {
    "empty_knowledge_base": "the knowledge base holds no chunks",
    "no_searchable_text": "the knowledge base holds no searchable text",
    "no_searchable_terms": "the query holds no searchable words",
    "zero_query_vector": "the query has no direction for the embedder; words alone searched",
}


@dataclass(frozen=True, slots=True)
class EvidenceVerifier:
    """Checks packed chunks: domain, coverage, consistency, diversity, injection, retrieval.

    Every check either passes or warns; `retrieval` and `contradiction_model` are there only when
    they warn. The budget check
    is made from the rendered text (`budget_check`), which this stage does not see.
    """

    coverage: CoverageConfig
    verify_config: VerifyConfig
    contradiction: ContradictionModel | None = None
    """Judges what the rules of the consistency check leave open; None is the classifier."""

    def verify(self, query: Query, pool: CandidatePool, packed: Sequence[Chunk]) -> Verdict:
        """Looks at `packed` in reading order; changes nothing and raises nothing."""
        coverage = measure_coverage(query, pool, packed, self.coverage)
        conflicts, unused = self._conflicts(packed)
        diversity = measure_diversity(packed)
        checks = (
            domain_check(pool),
            coverage_check(coverage, self.coverage, pool),
            consistency_check(packed, conflicts),
            diversity_check(packed, diversity, self.verify_config),
            injection_check(packed),
            *unused,
            *_retrieval_checks(pool, packed),
        )
        return Verdict(coverage=coverage, conflicts=conflicts, diversity=diversity, checks=checks)

    def _conflicts(self, packed: Sequence[Chunk]) -> tuple[tuple[Conflict, ...], tuple[Check, ...]]:
        """The conflicts, and a warning when a model was to judge and did not."""
        model = self.contradiction
        if model is None:
            return find_conflicts(packed), ()
        pairs = list(compared(packed))
        try:
            judged = by_model(model, [each for each in pairs if each.candidate])
        except VerificationError as exc:
            detail = f"{exc.with_hint}; the built-in classifier judged instead"
            warning = Check(name="contradiction_model", status=Status.WARN, detail=detail)
            return find_conflicts(packed), (warning,)
        return conflicts_of(pairs, judged), ()


def _retrieval_checks(pool: CandidatePool, packed: Sequence[Chunk]) -> tuple[Check, ...]:
    """A warning when the search said something about itself, or when nothing was packed."""
    note = _NOTES.get(pool.note, pool.note)
    if packed and not note:
        return ()
    if not packed:
        why = note or (
            f"none of {len(pool)} candidates was packed" if len(pool) else "no candidate was found"
        )
        note = f"no evidence packed: {why}"
    return (Check(name="retrieval", status=Status.WARN, detail=note),)

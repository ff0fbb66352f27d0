"""Is the query about anything in the knowledge base?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.types.verdict import Check, Status

if TYPE_CHECKING:
    from packhorse.types.candidate import CandidatePool

__all__ = ["domain_check"]


def domain_check(pool: CandidatePool) -> Check:
    """Warns when retrieval found the query outside the corpus, with the figures it went by."""
    figures = ", ".join(
        f"{name} {value:.0f}" if name == "chunks" else f"{name} {value:.2f}"
        for name, value in pool.domain_evidence
    )
    shown = f" ({figures})" if figures else ""
    if pool.in_domain:
        return Check(
            name="domain", status=Status.PASS, detail=f"query is inside corpus domain{shown}"
        )
    return Check(
        name="domain", status=Status.WARN, detail=f"query appears outside corpus domain{shown}"
    )

"""The certificate: the recount of the rendered evidence against its budget."""

from packhorse.types.verdict import Check, Status

__all__ = ["budget_check"]


def budget_check(rendered_tokens: int, evidence_budget: int) -> Check:
    """Passes when the rendered section, counted as one text, is within its budget; else fails.

    Args:
        rendered_tokens: tokens of the whole section, recounted.
        evidence_budget: its cap in the same tokens.
    """
    detail = f"{rendered_tokens}/{evidence_budget} tokens"
    if evidence_budget > 0:
        detail += f" ({rendered_tokens / evidence_budget:.1%} utilization)"
    if rendered_tokens > evidence_budget:
        over = rendered_tokens - evidence_budget
        return Check(name="budget", status=Status.FAIL, detail=f"{detail}, {over} over")
    return Check(name="budget", status=Status.PASS, detail=detail)

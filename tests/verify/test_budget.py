"""The certificate passes at the budget and fails one token over it."""

import pytest

from packhorse.types.verdict import Status
from packhorse.verify.budget import budget_check


@pytest.mark.parametrize(
    ("tokens", "budget", "status", "detail"),
    [
        (2741, 2800, Status.PASS, "2741/2800 tokens (97.9% utilization)"),
        (2800, 2800, Status.PASS, "2800/2800 tokens (100.0% utilization)"),
        (2801, 2800, Status.FAIL, "2801/2800 tokens (100.0% utilization), 1 over"),
        (0, 0, Status.PASS, "0/0 tokens"),
        (1, 0, Status.FAIL, "1/0 tokens, 1 over"),
    ],
)
def test_the_recount_decides(tokens: int, budget: int, status: Status, detail: str) -> None:
    check = budget_check(tokens, budget)
    assert (check.name, check.status, check.detail) == ("budget", status, detail)

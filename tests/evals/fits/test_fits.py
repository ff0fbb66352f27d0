"""The search for faults finds none in a run that is fitted, and each kind where there is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from evals.fits.__main__ import budgets, faults_of, wrong_with
from evals.fits.shapes import MODELS, in_shape
from packhorse.window.messages import fit_messages
from tests.window.conversations import FIELDS, SHAPES


def run() -> Iterator[dict[str, Any]]:
    """An agent's run in which results do not name their calls."""
    yield {"role": "system", "content": "Be terse."}
    yield {"role": "user", "content": "Find the file"}
    for number in range(4):
        call = {"name": "find", "arguments": f'{{"name": "f{number}"}}'}
        calls = [{"id": f"c{number}", "type": "function", "function": call}]
        yield {"role": "assistant", "content": None, "tool_calls": calls}
        yield {"role": "tool", "content": f"Found {number} " * 20}
    yield {"role": "user", "content": "And then?"}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_run_whose_results_name_no_call_has_no_fault_at_any_budget(shape: str) -> None:
    body = in_shape(shape, list(run()))
    told = list(faults_of(shape, body, 4, grows=True))
    assert [said for _, said in told if said] == []
    assert {kind for kind, _ in told} == {"fits", "refused below the least", "turns grown"}


def test_each_kind_of_fault_is_told() -> None:
    body = in_shape("openai", list(run()))
    fitted = fit_messages(body, model=MODELS["openai"], max_tokens=200)
    some = body[FIELDS["openai"]][3:5]
    request = {**body, "messages": some, "user": "x"}
    broken = replace(fitted, messages=tuple(some), request=request, max_tokens=10)
    kinds = [said.partition(":")[0] for said in wrong_with("openai", body, broken, "summary")]
    refused = "refused by the provider"
    assert kinds == ["over", refused, refused, "changed", "lost", "lost"]


def test_budgets_go_from_the_least_to_the_whole() -> None:
    assert budgets(10, 1_000, 3) == [10, 100, 1_000]
    assert budgets(0, 3, 4) == [1, 2, 3]

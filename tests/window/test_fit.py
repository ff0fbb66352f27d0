"""A fitted conversation is one that its provider takes, within its limit, whatever went in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import BudgetExceededError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.count import count_request
from packhorse.window.messages import fit_messages
from packhorse.window.policies.registry import POLICIES
from packhorse.window.report import FittedMessages
from tests.window.conversations import FIELDS, SHAPES, conversations, faults

VERBATIM = sorted(set(POLICIES) - {"summary"})
"""Policies that put nothing in."""

MODELS = {
    "openai": "gpt-4o",
    "openai-responses": "gpt-4o",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-pro",
}


def recounted(body: Mapping[str, Any], model: str) -> int:
    return count_request(body, model_spec(model), counter_for(model)).total_tokens


def fitted_or_none(
    body: Mapping[str, Any], shape: str, limit: int, policy: str
) -> FittedMessages | None:
    try:
        return fit_messages(body, model=MODELS[shape], max_tokens=limit, policy=policy)
    except BudgetExceededError:
        return None


@pytest.mark.parametrize("shape", SHAPES)
@given(data=st.data())
def test_any_conversation_comes_back_valid_and_within_its_limit(
    shape: str, data: st.DataObject
) -> None:
    body = data.draw(conversations(shape))
    limit = data.draw(st.integers(0, 2500))
    policy = data.draw(st.sampled_from(VERBATIM))
    fitted = fitted_or_none(body, shape, limit, policy)
    if fitted is None:
        return
    assert fitted.tokens == recounted(fitted.request, MODELS[shape]) <= limit
    assert faults(shape, fitted.messages) == []
    given_items = body[FIELDS[shape]]
    kept = [decision.index for decision in fitted.decisions if decision.kept]
    assert len(fitted.decisions) == len(given_items)
    assert len(kept) == len(fitted.messages)
    assert len(fitted.dropped) == len(given_items) - len(kept)
    changed = {result.place for result in fitted.elided}
    assert all(
        item == given_items[at]
        for at, item in zip(kept, fitted.messages, strict=True)
        if at not in changed and not fitted.report.endswith("what the user said")
    )
    instructions = [
        at for at, item in enumerate(given_items) if item.get("role") in ("system", "developer")
    ]
    assert set(instructions) <= set(kept)
    assert "last_user_message" in [
        decision.reason_code for decision in fitted.decisions if decision.kept
    ]
    again = fit_messages(fitted.request, model=MODELS[shape], max_tokens=limit, policy=policy)
    assert again.messages == fitted.messages
    # What the provider will refuse, because it was given so, is told each time.
    assert again.warnings == fitted.warnings
    assert again.report == "; ".join(fitted.warnings)

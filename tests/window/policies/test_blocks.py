"""Block trimming: the start stands still, then jumps, the same way in each later request."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import ConfigError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.window.conversation import read_conversation
from packhorse.window.costs import Costs
from packhorse.window.fit import Fitted, Job, fit_conversation
from packhorse.window.policies.blocks import BlockTrimming

COSTS = Costs(spec=model_spec("gpt-4o"), counter=counter_for("gpt-4o"))


def talk(n_turns: int) -> list[dict[str, Any]]:
    said = [{"role": "system", "content": "Be terse."}]
    for turn in range(n_turns):
        said.append({"role": "user", "content": f"Question {turn} of many."})
        said.append({"role": "assistant", "content": f"Answer {turn} of many."})
    return [*said, {"role": "user", "content": "And the last?"}]


def fitted_by(policy: BlockTrimming, said: list[dict[str, Any]], limit: int) -> Fitted:
    conversation = read_conversation(said)
    return fit_conversation(Job(conversation=conversation, costs=COSTS, limit=limit, policy=policy))


def requests(n_turns: int, policy: BlockTrimming, limit: int) -> list[list[dict[str, Any]]]:
    """What each request of a growing conversation sends."""
    return [list(fitted_by(policy, talk(n), limit).items) for n in range(n_turns)]


def test_the_start_stands_still_for_many_requests_and_then_jumps() -> None:
    sent = requests(60, BlockTrimming(), 400)
    jumps = [after for before, after in pairwise(sent) if after[: len(before) - 1] != before[:-1]]
    assert 1 < len(jumps) < len(sent) / 4
    sliding = requests(60, BlockTrimming(keep_share=1, head_share=0), 400)
    moved = [1 for before, after in pairwise(sliding) if after[: len(before) - 1] != before[:-1]]
    assert len(moved) > 2 * len(jumps)


def test_the_beginning_stays_for_good() -> None:
    sent = requests(60, BlockTrimming(head_share=0.3), 400)
    assert all(request[:3] == sent[5][:3] for request in sent[5:])
    moved = requests(60, BlockTrimming(head_share=0), 400)
    assert moved[-1][1] != moved[5][1]


def test_what_is_left_after_a_jump_is_the_share_of_the_limit() -> None:
    fitted = [fitted_by(BlockTrimming(0.5, 0), talk(n), 400).tokens for n in range(60)]
    assert max(fitted) <= 400
    after_jumps = [after for before, after in pairwise(fitted) if after < before]
    assert all(tokens <= 0.5 * 400 + 30 for tokens in after_jumps)


@given(
    sizes=st.lists(st.integers(1, 60), min_size=2, max_size=30),
    limit=st.integers(80, 400),
    keep=st.sampled_from((0.2, 0.5, 1.0)),
    head=st.sampled_from((0.0, 0.3, 1.0)),
)
def test_a_continued_conversation_keeps_its_start_until_the_limit_is_reached(
    sizes: list[int], limit: int, keep: float, head: float
) -> None:
    """As the conversation grows, messages only leave, and only at requests that would be over."""
    said: list[dict[str, Any]] = []
    before: set[int] = set()
    for size in sizes:
        said = [*said, {"role": "user", "content": "word " * size}]
        fitted = fitted_by(BlockTrimming(keep, head), said, limit)
        kept = set(fitted.kept)
        assert fitted.tokens <= limit
        assert kept <= before | {len(said) - 1}
        whole = COSTS.whole({"messages": [said[at] for at in sorted(before | {len(said) - 1})]})
        if whole.total_tokens <= limit:
            assert kept == before | {len(said) - 1}
        before = kept


@pytest.mark.parametrize(("keep", "head"), [(0, 0.3), (1.1, 0.3), (0.5, -0.1), (0.5, 2)])
def test_shares_are_shares(keep: float, head: float) -> None:
    with pytest.raises(ConfigError):
        BlockTrimming(keep, head)

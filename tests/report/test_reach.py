"""How far a budget reached, and the stage at which a candidate lost its place."""

from typing import Any

import pytest

from packhorse.packet.explanation import Stage
from packhorse.report.reach import Fall, Reach, largest_fall, reach_of


def packed(rank: int, tokens: int, code: str = "ranked") -> dict[str, Any]:
    return {"rank": rank, "tokens": tokens, "reason_code": code}


def stages(fused: int | None, reranked: int | None, mmr: int | None) -> dict[str, Stage]:
    ranks = {"fused": fused, "reranked": reranked, "mmr": mmr}
    return {name: Stage(name=name, rank=rank, of=None, score=None) for name, rank in ranks.items()}


REACH = Reach(taken=6, last=9, tokens=40.0)


def test_what_is_in_by_a_rule_is_not_reached_by_rank() -> None:
    blocks = [packed(1, 30), packed(4, 50), packed(2, 40), packed(9, 500, "pinned")]
    assert reach_of({"packed_chunks": blocks}) == Reach(taken=3, last=4, tokens=40.0)
    assert reach_of({"packed_chunks": blocks[3:]}) == Reach(taken=0, last=0, tokens=0.0)


@pytest.mark.parametrize(
    ("rank", "tokens", "beyond"),
    [(88, 30, True), (88, 300, True), (7, 30, True), (7, 41, False), (6, 30, False)],
)
def test_a_rank_is_low_where_a_better_one_would_have_done(
    rank: int, tokens: int, *, beyond: bool
) -> None:
    assert REACH.is_beyond(rank, tokens) is beyond


def test_nothing_is_out_for_its_rank_where_nothing_came_in_by_rank() -> None:
    assert not Reach(taken=0, last=0, tokens=0.0).is_beyond(1, 30)


@pytest.mark.parametrize(
    ("ranks", "fall"),
    [
        ((60, 70, 88), Fall(stage="fused", before=6, after=60)),
        ((5, 60, 88), Fall(stage="reranked", before=5, after=60)),
        ((5, 6, 88), Fall(stage="mmr", before=6, after=88)),
        ((12, 24, 48), Fall(stage="fused", before=6, after=12)),
        ((5, 12, None), Fall(stage="reranked", before=5, after=12)),
        ((6, 5, 4), None),
        ((None, None, None), None),
    ],
)
def test_the_worst_stage_is_named(
    ranks: tuple[int | None, int | None, int | None], fall: Fall | None
) -> None:
    assert largest_fall(stages(*ranks), REACH) == fall

"""Random small instances with constraints, and a brute force that tries every set."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from packhorse.testing.packer import ranking_of
from packhorse.types.constraints import Constraints
from packhorse.types.decision import Exclusion, ExclusionCode, InclusionCode
from packhorse.types.packing import Packing
from packhorse.types.ranking import Ranking

TOPICS = ("t0", "t1", "t2")
STALE = Exclusion(code=ExclusionCode.STALE, reason="stale (age 9 days, limit 8)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A ranking with counts, a budget that holds what is required, and constraints."""

    ranking: Ranking
    tokens: tuple[int, ...]
    budget: int
    constraints: Constraints

    @property
    def required(self) -> frozenset[int]:
        return frozenset(row for row, _ in self.ranking.reserved)


def instance(seed: int, *, max_rows: int = 14, free: bool = False) -> Instance:
    """The instance of a seed; `free` leaves out all constraints but linked groups."""
    chance = np.random.default_rng(seed)
    n_rows = int(chance.integers(1, max_rows + 1))
    tokens = tuple(chance.integers(0, 60, n_rows).tolist())
    scores = np.round(
        0.5 + chance.integers(0, 40, n_rows) / 400 + chance.integers(0, 3, n_rows) / 1e6, 6
    )
    roles = chance.random(n_rows)
    reserved = {row: InclusionCode.PINNED for row in range(n_rows) if roles[row] < 0.08}
    excluded = {row: STALE for row in range(n_rows) if roles[row] > 0.93}
    tags = [
        tuple(
            (topic, round(float(chance.random()), 2)) for topic in TOPICS if chance.random() < 0.3
        )
        for _ in range(n_rows)
    ]
    rows = chance.permutation(n_rows).tolist()
    linked = []
    while len(rows) > 3 and chance.random() < 0.5:
        size = int(chance.integers(2, 4))
        linked.append(tuple(rows.pop() for _ in range(size)))
    pairs = list(combinations(range(n_rows), 2))
    n_pairs = 0 if free else min(len(pairs), int(chance.integers(0, 4)))
    chosen = chance.permutation(len(pairs))[:n_pairs].tolist()
    needed = sum(tokens[row] for row in reserved)
    return Instance(
        ranking=ranking_of(
            scores.tolist(),
            reserved=reserved,
            excluded=excluded,
            sources=[f"s{int(k)}" for k in chance.integers(0, 4, n_rows)],
            topic_tags=tags,
        ),
        tokens=tokens,
        budget=needed + int(chance.integers(0, max(2, sum(tokens)))),
        constraints=Constraints(
            max_per_source=None if free or chance.random() < 0.4 else int(chance.integers(1, 4)),
            topics=() if free or chance.random() < 0.4 else TOPICS[: int(chance.integers(1, 4))],
            topic_strength=0.5,
            exclusive=tuple(pairs[at] for at in chosen),
            linked=tuple(linked),
        ),
    )


def groups_of(case: Instance) -> list[frozenset[int]]:
    """Every row in exactly one group, groups that share a row joined."""
    groups = [frozenset((row,)) for row in range(len(case.tokens))]
    for link in case.constraints.linked:
        touched = [group for group in groups if group & set(link)]
        groups = [group for group in groups if group not in touched]
        groups.append(frozenset().union(*touched))
    return groups


def is_allowed(case: Instance, rows: frozenset[int], added: frozenset[int]) -> bool:
    """Whether `added` breaks no rule beside the other rows of `rows`; groups aside."""
    rules, chunks = case.constraints, case.ranking.pool.chunks
    if sum(case.tokens[row] for row in rows) > case.budget:
        return False
    if any(
        set(pair) <= rows and set(pair) & added and pair[0] != pair[1] for pair in rules.exclusive
    ):
        return False
    if rules.max_per_source is not None:
        for source in {chunks[row].source_id for row in added}:
            if sum(chunks[row].source_id == source for row in rows) > rules.max_per_source:
                return False
    return True


def drawn_in(case: Instance) -> tuple[frozenset[int], frozenset[int]]:
    """Rows that come in because they are linked with a required row, and rows that cannot."""
    order = case.ranking.order
    taken, lost = frozenset[int](), frozenset[int]()
    groups = [group for group in groups_of(case) if group & case.required and group & set(order)]
    for group in sorted(groups, key=lambda g: min(order.index(row) for row in g & set(order))):
        rest = group & set(order)
        is_whole = not group & case.ranking.excluded.keys()
        if is_whole and is_allowed(case, case.required | taken | rest, rest):
            taken |= rest
        else:
            lost |= rest
    return taken, lost


def topics_covered(case: Instance, rows: frozenset[int]) -> int:
    """How many of the required topics one of `rows` offers."""
    offered = {
        topic
        for row in rows
        for topic, strength in case.ranking.pool.chunks[row].topic_tags
        if strength >= case.constraints.topic_strength
    }
    return len(offered & set(case.constraints.topics))


def value_of(case: Instance, rows: frozenset[int]) -> int:
    """Worth of the competing rows among `rows` together, in millionths."""
    return sum(worth_of(case, row) for row in rows - case.required)


def worth_of(case: Instance, row: int) -> int:
    """Worth of a row in millionths, written out."""
    score, order = case.ranking.signals.score, case.ranking.order
    best = max((float(score[other]) for other in order), default=float(score[row]))
    below = max(0.0, round(best - float(score[row]), 6))
    share: float = 0.5 ** (below / 0.02)
    return max(1, round(share * 1e6))


def kept_rows(packing: Packing) -> frozenset[int]:
    return frozenset(row for row, _ in packing.kept)


def allowed_sets(case: Instance) -> list[frozenset[int]]:
    """Every set that keeps the rules, required rows and what they draw in included."""
    taken, lost = drawn_in(case)
    competing = set(case.ranking.order)
    free = [
        group
        for group in sorted(groups_of(case), key=min)
        if group <= competing and not group & taken and not group & lost
    ]
    start = case.required | taken
    found = [start]
    for group in free:
        grown = (rows | group for rows in list(found))
        found += [rows for rows in grown if is_allowed(case, rows, rows - start)]
    return found


def best_worth(case: Instance) -> tuple[int, int]:
    """Most topics that any allowed set covers, and the highest value among those sets."""
    return max((topics_covered(case, rows), value_of(case, rows)) for rows in allowed_sets(case))


def counts(case: Instance) -> npt.NDArray[np.int64]:
    return np.array(case.tokens, dtype=np.int64)

"""Contract of a packer, for every implementation of `packhorse.protocols.Packer`.

Use it from any test runner:

    from packhorse.testing.packer import PackerContract

    class TestMyPacker(PackerContract):
        def packer(self):
            return MyPacker()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from packhorse.errors import BudgetExceededError
from packhorse.packing.bound import MILLIONTHS
from packhorse.packing.outcome import OBJECTIVE
from packhorse.packing.worth import worths
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints
from packhorse.types.decision import Exclusion, ExclusionCode, InclusionCode
from packhorse.types.ranking import Ranking, Signals

if TYPE_CHECKING:
    from packhorse.protocols import Packer
    from packhorse.types.arrays import FloatArray
    from packhorse.types.packing import Packing

__all__ = ["SUM_OF_SCORES", "SUM_OF_WORTH", "PackerContract", "ranking_of"]

SUM_OF_SCORES = "sum of composite scores of ranked chunks"
"""An objective whose best value the suite can compute, as it can that of `SUM_OF_WORTH`; a packer
may state another one."""

SUM_OF_WORTH = OBJECTIVE
"""The objective of the packers that Packhorse has; see `packhorse.packing.worth`."""


def ranking_of(
    scores: Sequence[float],
    *,
    ids: Sequence[str] | None = None,
    reserved: Mapping[int, InclusionCode] | None = None,
    excluded: Mapping[int, Exclusion] | None = None,
    sources: Sequence[str] | None = None,
    topic_tags: Sequence[tuple[tuple[str, float], ...]] | None = None,
    vectors: FloatArray | None = None,
) -> Ranking:
    """A ranking made by hand: row i has `scores[i]`; rows compete in the order given.

    Args:
        scores: composite score of each row.
        ids: chunk ids; `c0`, `c1`, ... when left out.
        reserved: rows that must be in, in the order of reservation.
        excluded: rows that are out before packing.
        sources: source id of each row; `s` for all of them when left out.
        topic_tags: topics with strengths of each row; none when left out.
        vectors: (n, d) direction of each row; none when left out.
    """
    n_rows = len(scores)
    required, out = dict(reserved or {}), dict(excluded or {})
    names = [f"c{row}" for row in range(n_rows)] if ids is None else list(ids)
    column = np.array(scores, dtype=np.float64)
    nothing = np.zeros(n_rows, dtype=np.float64)
    date = datetime(2026, 1, 1, tzinfo=UTC)
    chunks = (
        Chunk(
            chunk_id=name,
            source_id="s" if sources is None else sources[row],
            text=name,
            timestamp=date,
            topic_tags=() if topic_tags is None else topic_tags[row],
        )
        for row, name in enumerate(names)
    )
    return Ranking(
        pool=CandidatePool(chunks=tuple(chunks), relevance=column, vectors=vectors),
        signals=Signals(
            relevance=column,
            trust=nothing,
            freshness=nothing,
            coverage=nothing,
            deduplication=nothing,
            score=column,
        ),
        reserved=tuple(required.items()),
        order=tuple(row for row in range(n_rows) if row not in required and row not in out),
        excluded=out,
    )


_RESERVED = {3: InclusionCode.MANDATORY, 1: InclusionCode.PINNED}
_EXCLUDED = {0: Exclusion(code=ExclusionCode.STALE, reason="stale (age 9 days, limit 8)")}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Instance:
    ranking: Ranking
    tokens: tuple[int, ...]
    budget: int
    constraints: Constraints = NO_CONSTRAINTS

    def turned(self, old_row: tuple[int, ...]) -> _Instance:
        """The same instance with row i where `old_row[i]` was."""
        new_row = {old: new for new, old in enumerate(old_row)}
        ranking, rules = self.ranking, self.constraints
        rows = list(old_row)
        signals = {
            name: getattr(ranking.signals, name)[rows]
            for name in ("relevance", "trust", "freshness", "coverage", "deduplication", "score")
        }
        return _Instance(
            ranking=Ranking(
                pool=CandidatePool(
                    chunks=tuple(ranking.pool.chunks[old] for old in rows),
                    relevance=ranking.pool.relevance[rows],
                ),
                signals=Signals(**signals),
                reserved=tuple((new_row[row], code) for row, code in ranking.reserved),
                order=tuple(new_row[row] for row in ranking.order),
                excluded={new_row[row]: why for row, why in ranking.excluded.items()},
            ),
            tokens=tuple(self.tokens[old] for old in rows),
            budget=self.budget,
            constraints=Constraints(
                max_per_source=rules.max_per_source,
                topics=rules.topics,
                exclusive=tuple((new_row[a], new_row[b]) for a, b in rules.exclusive),
                linked=tuple(tuple(new_row[row] for row in group) for group in rules.linked),
            ),
        )

    @property
    def reserved_tokens(self) -> int:
        return sum(self.tokens[row] for row, _ in self.ranking.reserved)


class PackerContract:
    """Tests that any packer passes. Subclass it, and give `packer`."""

    def packer(self) -> Packer:
        """The packer under test, new for each test."""
        raise NotImplementedError

    def test_never_over_budget(self) -> None:
        """Used tokens are the sum of the kept rows' tokens, and within the budget."""
        for case, packing in self._packed():
            used = sum(case.tokens[row] for row, _ in packing.kept)
            _require(packing.used_tokens == used, case, "used_tokens is not the sum of what is in")
            _require(used <= case.budget, case, f"{used} tokens are over the budget")

    def test_every_row_is_kept_or_excluded_once(self) -> None:
        """No row is lost, doubled, or both in and out."""
        for case, packing in self._packed():
            rows = [row for row, _ in packing.kept] + list(packing.excluded)
            _require(sorted(rows) == list(range(len(case.tokens))), case, f"rows are {rows}")

    def test_reserved_rows_are_kept_first_under_their_code(self) -> None:
        """Required material is in, in the order of reservation."""
        for case, packing in self._packed():
            first = [(row, why.code) for row, why in packing.kept[: len(case.ranking.reserved)]]
            _require(first == list(case.ranking.reserved), case, f"kept starts with {first}")

    def test_kept_rows_follow_by_rank(self) -> None:
        """After the reserved rows, `kept` is in rank order under the code `ranked`."""
        for case, packing in self._packed():
            rest = packing.kept[len(case.ranking.reserved) :]
            ranks = [case.ranking.order.index(row) for row, _ in rest]
            _require(ranks == sorted(ranks), case, f"ranks are {ranks}")
            codes = {why.code for _, why in rest}
            _require(codes <= {InclusionCode.RANKED}, case, f"codes are {codes}")

    def test_earlier_exclusions_stay_as_they_are(self) -> None:
        """What reranking took out stays out, for its own reason."""
        for case, packing in self._packed():
            for row, why in case.ranking.excluded.items():
                _require(packing.excluded.get(row) == why, case, f"row {row} has another reason")

    def test_whoever_is_left_out_has_a_reason(self) -> None:
        """A ranked row that is out for size says so, and the budget it names is the smallest."""
        for case, packing in self._packed():
            size = ExclusionCode.EXCEEDED_BUDGET
            out = {row for row, why in packing.excluded.items() if why.code is size}
            _require(set(packing.skipped_for_size) == out, case, "skipped_for_size differs")
            _require(set(packing.would_fit_at) <= out, case, "would_fit_at differs")
            _require(all(why.reason for why in packing.excluded.values()), case, "reason is empty")
            for row, budget in packing.would_fit_at.items():
                tried = range(case.budget, budget + 1)
                keeping = [each for each in tried if row in self._kept_at(case, each)]
                _require(keeping == [budget], case, f"row {row} fits at {keeping}, not {budget}")

    def test_bound_is_above_the_best_selection_and_the_value(self) -> None:
        """The bound holds for the value, and for known objectives it is above any selection."""
        for case, packing in self._packed():
            quality = packing.quality
            slack = 1e-6
            _require(quality.value <= quality.upper_bound + slack, case, f"{quality}")
            values = _values(case, quality.objective)
            if values is not None:
                _require(_best(case, values) <= quality.upper_bound + slack, case, f"{quality}")
            _require(0.0 <= quality.optimality <= 1.0, case, f"{quality}")

    def test_same_input_same_packing(self) -> None:
        """Packing is a function of its input."""
        for case, packing in self._packed():
            again = self.packer().pack(case.ranking, np.array(case.tokens), case.budget)
            _require(again == packing, case, "a second run differs")

    def test_reserved_rows_over_budget_are_an_error_with_the_sum(self) -> None:
        """Required material is never dropped in silence."""
        ranking = ranking_of(
            [0.5, 0.4, 0.9], reserved={1: InclusionCode.MANDATORY, 0: InclusionCode.PINNED}
        )
        try:
            self.packer().pack(ranking, np.array([2500, 900, 10]), 3000)
        except BudgetExceededError as error:
            parts = (("c1", 900), ("c0", 2500))
            told = (error.needed, error.available, error.parts)
            _require(told == (3400, 3000, parts), None, f"the error says {told}")
        else:
            _require(False, None, "3400 reserved tokens went into 3000")  # noqa: FBT003 - a failure

    def test_constraints_are_kept_or_said_to_be_unmet(self) -> None:
        """Caps, pairs and groups hold for what competed; a topic left out is in `unmet`."""
        for case, packing in self._constrained():
            rows = {row for row, _ in packing.kept}
            required = {row for row, _ in case.ranking.reserved}
            chunks, rules = case.ranking.pool.chunks, case.constraints
            for row in rows - required:
                same = [each for each in rows if chunks[each].source_id == chunks[row].source_id]
                cap = rules.max_per_source
                _require(cap is None or len(same) <= cap, case, f"{rows} break the source cap")
            for pair in rules.exclusive:
                _require(not rows.issuperset(pair), case, f"{rows} hold the exclusive {pair}")
            unmet = {each.kind for each in packing.unmet}
            for group in rules.linked:
                is_whole = rows.issuperset(group) or rows.isdisjoint(group)
                _require(is_whole or "linked" in unmet, case, f"{rows} cut the group {group}")
            offered = {topic for chunk in chunks for topic, _ in chunk.topic_tags}
            covered = {topic for row in rows for topic, _ in chunks[row].topic_tags}
            missing = (offered & set(rules.topics)) - covered
            _require(not missing or "topic" in unmet, case, f"{missing} missing without a word")

    def test_constrained_rows_are_kept_or_excluded_once_and_never_over_budget(self) -> None:
        """Constraints change who is in, and nothing about how it is accounted for."""
        for case, packing in self._constrained():
            rows = [row for row, _ in packing.kept]
            everyone = sorted([*rows, *packing.excluded])
            _require(everyone == list(range(len(case.tokens))), case, f"rows are {everyone}")
            used = sum(case.tokens[row] for row in rows)
            _require(packing.used_tokens == used <= case.budget, case, f"{used} tokens")
            _require(packing.quality.value <= packing.quality.upper_bound, case, "bound too low")

    def test_the_order_of_the_pool_decides_nothing(self) -> None:
        """The same candidates in other rows give the same packing, row by row."""
        for case, packing in self._constrained():
            n_rows = len(case.tokens)
            turned = case.turned(tuple(reversed(range(n_rows))))
            again = self.packer().pack(
                turned.ranking, np.array(turned.tokens), turned.budget, turned.constraints
            )
            rows = [n_rows - 1 - row for row, _ in packing.kept]
            _require([row for row, _ in again.kept] == rows, case, "another set")
            _require(again.quality == packing.quality, case, "another quality")

    def test_what_is_linked_with_required_material_comes_in_first(self) -> None:
        """It is packed before anything that competes, and where it does not fit that is said."""
        ranking = ranking_of([0.9, 0.1, 0.2], reserved={2: InclusionCode.PINNED})
        linked = Constraints(linked=((2, 1),))
        packing = self.packer().pack(ranking, np.array([50, 40, 30]), 90, linked)
        _require([row for row, _ in packing.kept] == [2, 1], None, f"kept is {packing.kept}")
        tight = self.packer().pack(ranking, np.array([50, 80, 30]), 90, linked)
        _require([row for row, _ in tight.kept] == [2, 0], None, f"kept is {tight.kept}")
        told = [each.kind for each in tight.unmet]
        _require(told == ["linked"], None, f"unmet is {tight.unmet}")

    def _constrained(self) -> Iterator[tuple[_Instance, Packing]]:
        for case in _constrained_instances():
            tokens = np.array(case.tokens)
            yield case, self.packer().pack(case.ranking, tokens, case.budget, case.constraints)

    def _kept_at(self, case: _Instance, budget: int) -> set[int]:
        packing = self.packer().pack(case.ranking, np.array(case.tokens), budget)
        return {row for row, _ in packing.kept}

    def _packed(self) -> Iterator[tuple[_Instance, Packing]]:
        for case in _instances():
            yield case, self.packer().pack(case.ranking, np.array(case.tokens), case.budget)


def _instances() -> Iterator[_Instance]:
    """A fixed grid of small instances: sizes and scores from a linear congruence, no chance."""
    state = 1
    for n_rows in range(9):
        for budget in (0, 7, 20, 45, 1_000):
            numbers = []
            for _ in range(2 * n_rows):
                state = (state * 1_103_515_245 + 12_345) % 2**31
                numbers.append(state >> 16)
            tokens = [number % 23 for number in numbers[:n_rows]]
            scores = [0.5 + number % 101 / 1_000 for number in numbers[n_rows:]]
            ranking = ranking_of(
                scores,
                reserved={row: code for row, code in _RESERVED.items() if row < n_rows - 2},
                excluded={row: why for row, why in _EXCLUDED.items() if row < n_rows - 2},
            )
            case = _Instance(ranking=ranking, tokens=tuple(tokens), budget=budget)
            if case.reserved_tokens <= budget:
                yield case


def _constrained_instances() -> Iterator[_Instance]:
    """A fixed grid of ten rows with every kind of constraint, alone and together."""
    tokens = (30, 12, 25, 18, 40, 9, 22, 15, 35, 11)
    ranking = ranking_of(
        [0.95, 0.94, 0.93, 0.92, 0.91, 0.9, 0.89, 0.88, 0.86, 0.85],
        reserved={3: InclusionCode.MANDATORY},
        sources=["a", "a", "b", "b", "a", "c", "b", "c", "a", "d"],
        topic_tags=[
            *[()] * 5, (("limits", 0.9),), (), (("forms", 1.0),), (("forms", 1.0),), (),
        ],
    )  # fmt: skip
    caps = {"max_per_source": 2}
    topics = {"topics": ("forms", "limits", "nowhere")}
    pairs = {"exclusive": ((0, 2), (1, 5))}
    groups = {"linked": ((4, 9), (6, 7), (7, 8))}
    for kinds in ({}, caps, topics, pairs, groups, {**caps, **topics, **pairs, **groups}):
        for budget in (18, 40, 75, 130, 400):
            yield _Instance(
                ranking=ranking,
                tokens=tokens,
                budget=budget,
                constraints=Constraints(**kinds),
            )


def _values(case: _Instance, objective: str) -> FloatArray | None:
    """(n,) what each row adds to an objective that the suite knows; None for another one."""
    if objective == SUM_OF_SCORES:
        return case.ranking.signals.score
    return worths(case.ranking) / MILLIONTHS if objective == SUM_OF_WORTH else None


def _best(case: _Instance, values: FloatArray) -> float:
    """Value of the best selection, by trying all of them."""
    room = case.budget - case.reserved_tokens
    best = 0.0
    for size in range(len(case.ranking.order) + 1):
        for rows in combinations(case.ranking.order, size):
            if sum(case.tokens[row] for row in rows) <= room:
                best = max(best, sum(float(values[row]) for row in rows))
    return best


def _require(holds: bool, case: _Instance | None, otherwise: str) -> None:  # noqa: FBT001 - a test
    if not holds:
        where = "" if case is None else f" (tokens {case.tokens}, budget {case.budget})"
        raise AssertionError(otherwise + where)

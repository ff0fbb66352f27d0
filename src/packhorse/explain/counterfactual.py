"""The smallest change of each kind that flips a decision, found by selecting again.

Own signals. With strategy `ranked`, a candidate whose relevance or trust rises, or whose date is
newer, is chosen no later, and finds no less room: before it stand some of those that stood before
it already, in the same order. The one exception are copies of its text, which it may drop or be
dropped for, and these change at known steps. So between such steps being in is monotone, and
bisection finds the first step that flips. Other strategies weigh sets; linked chunks rise and fall
with others, and a topic is covered by whoever comes first. There a number of steps is looked at,
near ones densely, and bisection finds an edge below the first that flips. So it is where chunks
are in because of others that they stand around.

Budget. A walk decides each piece by what is left at its turn. With more budget, the first piece
that is decided otherwise is taken instead of skipped; so a set of chunks that two budgets pack is
packed by every budget between them, and all sets can be visited one by one. Other strategies are
searched as above. Where a closing notice begins to have room of its own, passages have less at the
larger of two budgets; a search over that edge says that it did not try every budget.

Lambda. Every hundredth is tried, from the present value outward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from packhorse.explain.axes import Axis, date_axis, relevance_axis, trust_axis
from packhorse.explain.selection import NO_CHANGE, Change, Selection
from packhorse.packet.explanation import Counterfactual
from packhorse.types.decision import ExclusionCode

if TYPE_CHECKING:
    from packhorse.types.decision import Exclusion

__all__ = ["KINDS", "counterfactuals"]

KINDS = ("budget", "relevance", "trust", "date", "lambda")

_WALKS = frozenset({"ranked", "density"})

_UNRANKED = frozenset(
    {
        *(ExclusionCode.UNSCORED, ExclusionCode.BLOCKED_SOURCE, ExclusionCode.BELOW_TRUST),
        *(ExclusionCode.STALE, ExclusionCode.BELOW_RELEVANCE, ExclusionCode.DUPLICATE),
    }
)
"""Out before anything is ranked: neither lambda nor the budget has a part in it."""

_MOST_SETS = 2_000
"""Sets of chunks that a search over budgets visits; beyond them it looks at some budgets only."""

_DENSE = 16
"""Evenly spaced steps that are looked at besides those 1, 4, 16, ... away."""

_HUNDREDTHS = 100


def counterfactuals(selection: Selection, row: int) -> tuple[Counterfactual, ...]:
    """One answer a kind, in the order of `KINDS`; "nothing of this kind" among them.

    Args:
        selection: of the packet; selecting again without a change gives the packet's decisions.
        row: the candidate.
    """
    return tuple(_Search(selection, row).answers())


class _Search:
    def __init__(self, selection: Selection, row: int) -> None:
        self.selection = selection
        self.own = selection.recorded
        self.row = row
        self.ranking = selection.ranking()
        self.packing = selection.packing(ranking=self.ranking)
        self.is_in = row in dict(self.packing.kept)
        self.exclusion: Exclusion | None = self.packing.excluded.get(row)
        rules = self.own.constraints
        is_walk_by_rank = self.own.profile.pack.strategy == "ranked"
        # What stands around a chunk follows it in and out.
        self.has_followers = bool(self.own.pool.around)
        self.is_monotone = is_walk_by_rank and not (
            rules.linked or rules.topics or self.has_followers
        )

    def answers(self) -> Iterator[Counterfactual]:
        fixed = self._fixed()
        yield self._none("budget", self.own.budget, fixed) if fixed else self._budget()
        # For the better where it is out, for the worse where it is in.
        sign = -1 if self.is_in else 1
        for axis_of in (relevance_axis, trust_axis, date_axis):
            axis = axis_of(self.own, self.row, sign)
            yield self._none(axis.kind, axis.was, fixed) if fixed else self._own_signal(axis)
        now = self.own.profile.rerank.mmr_lambda
        yield self._none("lambda", now, fixed) if fixed else self._lambda(now)

    def flips(self, change: Change) -> bool:
        """Whether the decision is the other one with the change."""
        return (self.row in self.selection.chosen(change)) != self.is_in

    def _fixed(self) -> str:
        """Why nothing of any kind can flip it; empty where something may."""
        if any(self.row == row for row, _ in self.ranking.reserved):
            return "a required chunk is in, whatever else changes"
        if self.exclusion is not None and self.exclusion.code is ExclusionCode.BLOCKED_SOURCE:
            return "its source is blocked, whatever else changes"
        return ""

    def _none(
        self, kind: str, was: float | str | None, detail: str, *, smallest: bool = True
    ) -> Counterfactual:
        return Counterfactual(kind=kind, flips=False, was=was, detail=detail, smallest=smallest)

    # ------------------------------------------------------------------------- own signals

    def _own_signal(self, axis: Axis) -> Counterfactual:
        is_exact = self.is_monotone
        points = axis.points if is_exact else (*axis.points, *_spread(axis.n_steps))
        step = first_flip(axis.n_steps, lambda k: self.flips(axis.change_at(k)), points)
        if step is None:
            return self._none(axis.kind, axis.was, _nothing(axis, self.is_in), smallest=is_exact)
        becomes, change = axis.value_at(step), axis.amount_at(step)
        return Counterfactual(
            kind=axis.kind,
            flips=True,
            was=axis.was,
            becomes=becomes,
            stays_at=axis.value_at(step - 1) if step > 1 else axis.was,
            change=change,
            smallest=is_exact,
            detail=_signal_detail(axis.kind, becomes, change) + _hedge(is_exact),
        )

    # ------------------------------------------------------------------------------ lambda

    def _lambda(self, now: float) -> Counterfactual:
        if self.exclusion is not None and self.exclusion.code in _UNRANKED:
            return self._none("lambda", now, "at no lambda: it is out before ranking")
        stays = {1: now, -1: now}
        for step in range(1, _HUNDREDTHS + 1):
            for sign in (-1, 1):
                value = min(1.0, max(0.0, round(now + sign * step / _HUNDREDTHS, 6)))
                if value == stays[sign]:
                    continue
                if self.flips(Change(mmr_lambda=value)):
                    change = round(value - now, 6)
                    detail = f"at lambda {value:g} ({abs(change):g} {_more(change)})"
                    return Counterfactual(
                        kind="lambda",
                        flips=True,
                        was=now,
                        becomes=value,
                        stays_at=stays[sign],
                        change=change,
                        detail=detail,
                    )
                stays[sign] = value
        return self._none("lambda", now, "at no lambda from 0 to 1")

    # ------------------------------------------------------------------------------ budget

    def _budget(self) -> Counterfactual:
        own, now = self.own, self.own.budget
        if not self.is_in and self.row in self.ranking.excluded:
            return self._none("budget", now, "at no budget: size has no part in it")
        if now == 0:
            detail = "not known: what the section opens with was never counted"
            return self._none("budget", now, detail, smallest=False)
        beside = now - own.room
        if self.is_in:
            reserved = sum(int(own.block_tokens[row]) for row, _ in self.ranking.reserved)
            sign, n_steps = -1, own.room + own.kept_for_notice - reserved
        else:
            sign, n_steps = 1, max(0, int(own.block_tokens.sum()) - own.room)
            n_steps += own.longest_notice
        is_exact = own.profile.pack.strategy in _WALKS and not self.has_followers
        found = self._known(beside) if is_exact and sign > 0 else None
        if found is None and is_exact:
            found, is_exact = self._by_sets(sign, n_steps)
        elif found is None:
            found = first_flip(n_steps, lambda k: self._flips_at(now + sign * k), _spread(n_steps))
        end = now + sign * (n_steps if found is None else found)
        is_exact = is_exact and not self.selection.notice_begins_between(now, end)
        if found is None:
            detail = "at no smaller budget" if self.is_in else "at no budget"
            return self._none("budget", now, f"{detail}{_hedge(is_exact)}", smallest=is_exact)
        becomes = now + sign * found
        detail = f"at a budget of {becomes} tokens ({found} {_more(sign)}){_hedge(is_exact)}"
        return Counterfactual(
            kind="budget",
            flips=True,
            was=now,
            becomes=becomes,
            stays_at=becomes - sign,
            change=sign * found,
            smallest=is_exact,
            detail=detail,
        )

    def _known(self, beside: int) -> int | None:
        """Steps to the budget that the packing worked out, once selecting again agrees."""
        at = self.packing.would_fit_at.get(self.row)
        if at is None:
            return None
        budget = at + beside
        agrees = self._flips_at(budget) and not self._flips_at(budget - 1)
        return budget - self.own.budget if agrees else None

    def _by_sets(self, sign: int, n_steps: int) -> tuple[int | None, bool]:
        """Steps to the first set with the other decision, and whether none was passed over."""
        at = 0
        for _ in range(_MOST_SETS):
            here = self._set_at(self.own.budget + sign * at)
            if (self.row in here) != self.is_in:
                return at, True
            following = self._next_set(here, at, sign, n_steps)
            if following is None:
                return None, True
            at = following
        steps = first_flip(
            n_steps,
            lambda k: self._flips_at(self.own.budget + sign * k),
            [at, *_spread(n_steps)],
        )
        return steps, False

    def _next_set(self, here: frozenset[int], at: int, sign: int, n_steps: int) -> int | None:
        """The first step after `at` that packs another set; None where all the rest pack `here`."""
        low, stride = at, 1
        while low < n_steps:
            high = min(n_steps, low + stride)
            if self._set_at(self.own.budget + sign * high) != here:
                while high - low > 1:
                    middle = (low + high) // 2
                    if self._set_at(self.own.budget + sign * middle) == here:
                        low = middle
                    else:
                        high = middle
                return high
            low, stride = high, 2 * stride
        return None

    def _set_at(self, budget: int) -> frozenset[int]:
        change = NO_CHANGE if budget == self.own.budget else Change(budget=budget)
        return self.selection.chosen(change)

    def _flips_at(self, budget: int) -> bool:
        return (self.row in self._set_at(budget)) != self.is_in


def first_flip(
    n_steps: int, is_flipped: Callable[[int], bool], points: tuple[int, ...] | list[int]
) -> int | None:
    """A step that flips while the one before it does not; None where none was found.

    It is the first one of all where flipping is monotone between neighbours among `points`.

    Args:
        n_steps: steps there are; step 0 does not flip.
        is_flipped: asked about steps from 1 on.
        points: steps to look at besides the last one.
    """
    low: int = 0
    for stop in sorted({at for at in (*points, n_steps) if 1 <= at <= n_steps}):
        if is_flipped(stop):
            high: int = stop
            while high - low > 1:
                middle = (low + high) // 2
                if is_flipped(middle):
                    high = middle
                else:
                    low = middle
            return high
        low = stop
    return None


def _spread(n_steps: int) -> list[int]:
    """Steps to look at where nothing is known: 1, 4, 16, ... and some at even distances."""
    near = [1 << power for power in range(0, n_steps.bit_length(), 2)]
    return [*near, *(n_steps * part // _DENSE for part in range(1, _DENSE))]


def _more(change: float) -> str:
    return "more" if change > 0 else "less"


def _hedge(is_exact: bool) -> str:  # noqa: FBT001 - private, and read as a sentence
    return "" if is_exact else "; not every one between was tried"


def _signal_detail(kind: str, becomes: float | str, change: float | None) -> str:
    if kind == "date":
        day = str(becomes)[:10]
        if change is None:
            return f"dated {day} (it has no date)"
        unit = "day" if abs(change) == 1 else "days"
        return f"dated {day} ({abs(change):g} {unit} {'newer' if change > 0 else 'older'})"
    by = "nobody has rated it" if change is None else f"{abs(change):.6f} {_more(change)}"
    if kind == "relevance" and change is None:
        by = "it is unscored"
    return f"at {kind} {float(becomes):.6f} ({by})"


def _nothing(axis: Axis, is_in: bool) -> str:  # noqa: FBT001 - private
    if axis.kind == "date":
        return "at no earlier date" if is_in else "at no later date up to the day of the question"
    return f"at no lower {axis.kind}" if is_in else f"at no higher {axis.kind}"

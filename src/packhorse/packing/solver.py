"""Solves the program of the best set with HiGHS, after most of it has been decided beforehand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from packhorse.errors import MissingExtraError, PackhorseError

if TYPE_CHECKING:
    from packhorse.packing.program import Program
    from packhorse.types.arrays import FloatArray

__all__ = ["Solved", "solved"]

BoolArray = npt.NDArray[np.bool_]

_SMALL = 200
"""Units up to which nothing is decided beforehand, and size of the core otherwise."""

_SLACK = 1e-2
"""Far above what floating point does to sums of whole numbers, far below one of their units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """The best set that was found."""

    chosen: list[int]
    """Units of the program."""
    bound: int
    """No set with as many topics is worth more."""
    is_best: bool
    """Whether the search was carried to its end."""


def solved(program: Program, start: Sequence[int], node_limit: int) -> Solved:
    """The best set of a program.

    The linear relaxation says what each unit would cost if it were decided otherwise. Units for
    which that is more than the relaxation is above a set already known are decided for good
    (reduced cost fixing); a set almost as good as the best comes from solving the few units that
    are nearest to undecided first. What is left is a program of a few dozen units.

    Args:
        program: with at least one unit.
        start: a set that keeps every rule.
        node_limit: branches that each search may look at.

    Raises:
        MissingExtraError: `highspy` is not installed.
    """
    n_units, n_topics = program.values.size, len(program.topics)
    best, at_least, is_best = list(start), program.worth(start)[0], True
    if at_least < n_topics:
        most = _Model(program, at_least=0, topics_alone=True)
        found, _, is_best = most.search(node_limit)
        best = max((best, found), key=program.worth)
        at_least = program.worth(best)[0]
    model = _Model(program, at_least=at_least, topics_alone=False)
    undecided = np.ones(n_units, dtype=np.bool_)
    value = program.worth(best)[1]
    bound = int(program.values.sum())
    if n_units > _SMALL:
        relaxed, ceiling, flips = model.relaxed()
        bound = min(bound, math.floor(ceiling + _SLACK))
        core = np.zeros(n_units, dtype=np.bool_)
        core[np.argsort(flips, kind="stable")[:_SMALL]] = True
        found, _, _ = model.search(node_limit, undecided=core, decided=relaxed)
        best = max((best, found), key=program.worth)
        value = program.worth(best)[1]
        undecided = ceiling - flips >= value + 1 - _SLACK
        found, left_bound, is_proven = model.search(
            node_limit, undecided=undecided, decided=relaxed
        )
    else:
        found, left_bound, is_proven = model.search(node_limit)
    best = max((best, found), key=program.worth)
    value = program.worth(best)[1]
    bound = value if is_proven else min(bound, max(value, left_bound))
    return Solved(chosen=best, bound=bound, is_best=is_best and is_proven)


class _Model:
    """A program in the solver's form: a column for each unit and topic, each 0 or 1."""

    def __init__(self, program: Program, *, at_least: int, topics_alone: bool) -> None:
        self._program = program
        self._n_units = program.values.size
        n_topics = len(program.topics)
        self._objective = np.zeros(self._n_units + n_topics)
        if topics_alone:
            self._objective[self._n_units :] = 1.0
        else:
            self._objective[: self._n_units] = program.values
        rows: list[tuple[Sequence[int], Sequence[int], float, float]] = [
            (row.places, row.weights, -math.inf, float(row.most)) for row in program.rows
        ]
        for topic, places in enumerate(program.topics):
            # A topic counts as brought when one of the units that bring it is in.
            mark = self._n_units + topic
            rows.append(((*places, mark), (*(1,) * len(places), -1), 0.0, math.inf))
        if at_least:
            marks = range(self._n_units, self._n_units + n_topics)
            rows.append((marks, (1,) * n_topics, float(at_least), math.inf))
        self._rows = rows

    def relaxed(self) -> tuple[BoolArray, float, FloatArray]:
        """Units that the linear relaxation takes, its value, and the price of deciding otherwise.

        Units taken in part have the price 0.
        """
        highs = _highs(0)
        highs.passModel(self._lp(whole=False))
        _run(highs)
        solution = highs.getSolution()
        taken = np.asarray(solution.col_value)[: self._n_units]
        prices = np.abs(np.asarray(solution.col_dual)[: self._n_units])
        prices[(taken > _SLACK) & (taken < 1 - _SLACK)] = 0.0
        return taken > 0.5, float(highs.getInfo().objective_function_value), prices  # noqa: PLR2004 - rounding

    def search(
        self,
        node_limit: int,
        *,
        undecided: BoolArray | None = None,
        decided: BoolArray | None = None,
    ) -> tuple[list[int], int, bool]:
        """The best set that the solver finds, its bound, and whether it searched to the end.

        An empty set stands for none. Units that are not `undecided` are as in `decided`.
        """
        lp = self._lp(whole=True)
        if undecided is not None and decided is not None:
            fixed = np.flatnonzero(~undecided)
            lower, upper = np.zeros(self._objective.size), np.ones(self._objective.size)
            lower[fixed] = upper[fixed] = decided[fixed]
            lp.col_lower_, lp.col_upper_ = lower, upper
        highs = _highs(node_limit)
        highs.passModel(lp)
        _run(highs)
        solution = np.asarray(highs.getSolution().col_value)[: self._n_units]
        chosen = np.flatnonzero(solution > 0.5).tolist() if solution.size else []  # noqa: PLR2004 - rounding
        status = highs.getModelStatus().name
        ceiling = highs.getInfo().mip_dual_bound
        keeps_rules = self._program.is_satisfied_by(chosen)
        has_end = status in ("kOptimal", "kInfeasible") and keeps_rules
        bound = math.floor(ceiling + _SLACK) if math.isfinite(ceiling) else 0
        if not math.isfinite(ceiling) and status != "kInfeasible":
            bound = int(self._program.values.sum())
        return chosen if keeps_rules else [], bound, has_end

    def _lp(self, *, whole: bool) -> Any:
        import highspy

        lp = highspy.HighsLp()
        n_columns, rows = self._objective.size, self._rows
        lp.num_col_, lp.num_row_ = n_columns, len(rows)
        lp.sense_ = highspy.ObjSense.kMaximize
        lp.col_cost_ = self._objective
        lp.col_lower_, lp.col_upper_ = np.zeros(n_columns), np.ones(n_columns)
        if whole:
            lp.integrality_ = [highspy.HighsVarType.kInteger] * n_columns
        lp.row_lower_ = np.array([low for _, _, low, _ in rows])
        lp.row_upper_ = np.array([high for _, _, _, high in rows])
        matrix = lp.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        matrix.num_col_, matrix.num_row_ = n_columns, len(rows)
        matrix.start_ = np.cumsum([0, *(len(places) for places, _, _, _ in rows)])
        matrix.index_ = np.concatenate([np.asarray(places) for places, _, _, _ in rows])
        matrix.value_ = np.concatenate([np.asarray(w, dtype=float) for _, w, _, _ in rows])
        return lp


def _highs(node_limit: int) -> Any:
    """A solver that says nothing and searches alike on every run: one thread, no clock."""
    try:
        # The class beneath `highspy.Highs`: that one prints a line when it is made.
        from highspy._core import _Highs
    except ImportError as error:
        raise MissingExtraError("highspy", "optimal", "The packing strategy 'optimal'") from error
    highs = _Highs()
    for option, value in (
        ("output_flag", False),
        ("threads", 1),
        ("parallel", "off"),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", 0.5),
        ("mip_max_nodes", node_limit),
        # With restarts HiGHS 1.16 called a worse set the best one, in 2 of 7,400 small programs.
        ("mip_allow_restart", False),
    ):
        highs.setOptionValue(option, value)
    return highs


def _run(highs: Any) -> None:
    """Runs a solver, beside whatever else this process solves with HiGHS.

    Raises:
        PackhorseError: it came to no answer and no bound.
    """
    if highs.run().name == "kError":
        # All solvers of a process share their threads, and one that asks for another number than
        # the first did is refused. 0 takes what is there; the search stays on one of them.
        highs.setOptionValue("threads", 0)
        if highs.run().name == "kError":
            raise PackhorseError(
                "HiGHS failed on the program of the packing strategy 'optimal'",
                hint="Pack with another strategy, for example --strategy density",
            )

"""What a selection has to respect besides the budget, in rows of a pool."""

from dataclasses import dataclass

__all__ = ["NO_CONSTRAINTS", "Constraints", "UnmetConstraint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """Rules about groups of rows. Rows are numbered as in `Ranking.pool`.

    Required rows are in whatever a rule says; they count towards every rule. A rule that cannot
    be kept is data in the packing (`unmet`), never an error.
    """

    max_per_source: int | None = None
    """Most packed rows of one source, required ones included; None is no limit."""
    topics: tuple[str, ...] = ()
    """Topics of which each that a competing row offers needs a packed row that offers it."""
    topic_strength: float = 0.8
    """Strength, 0..1, from which a row offers a topic."""
    exclusive: tuple[tuple[int, int], ...] = ()
    """Pairs of rows of which at most one may be packed."""
    linked: tuple[tuple[int, ...], ...] = ()
    """Groups of rows that are packed together or not at all; groups that share a row are one."""

    def __bool__(self) -> bool:
        """Whether there is any rule."""
        return bool(self.max_per_source is not None or self.topics or self.exclusive or self.linked)


NO_CONSTRAINTS = Constraints()
"""The budget alone decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmetConstraint:
    """A rule that the selection breaks, because nothing else was possible."""

    kind: str
    """`max_per_source`, `topic`, `exclusive` or `linked`."""
    detail: str
    """For people: which rule, and why it is not kept."""

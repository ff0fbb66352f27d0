"""Factual conflicts between packed chunks: two sentences that say the same thing differently.

Precision comes first: a false alarm costs a reader more than a missed conflict, and a clean
result is no proof that there is none. Two sentences conflict where they run in parallel and
differ in one value, in a negation or opposite, or (for long parallels) in one name. Anything else
in which they differ, such as a year, a place or another condition, is taken for the reason of
the difference, and there is no conflict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.types.verdict import Check, Claim, Conflict, Status
from packhorse.verify.facts import Facts, Statement, facts_of
from packhorse.verify.parallel import Difference, compare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packhorse.types.chunk import Chunk

    Stated = tuple[Chunk, Statement]

__all__ = ["consistency_check", "find_conflicts"]

SHOWN = 3
"""Conflicts that the check's sentence spells out."""
MIN_SHARE = 0.6
"""Share of the larger statement's words that both must hold to be compared word by word."""


def find_conflicts(packed: Sequence[Chunk]) -> tuple[Conflict, ...]:
    """The conflicts between different chunks, sorted by chunk ids, then by offsets.

    Both values, their offsets and their sentences are given; nothing says who is right. Costs a
    matrix product of all statements, and an alignment for each pair with enough words in common.
    """
    found = [
        conflict
        for (chunk_a, a), (chunk_b, b) in _similar(packed)
        if (difference := compare(a, b)) is not None
        for conflict in (_conflict(chunk_a, a, chunk_b, b, difference),)
    ]
    return tuple(
        sorted(
            set(found), key=lambda c: (c.chunk_a, c.chunk_b, c.a.start, c.b.start, c.kind, c.a.end)
        )
    )


def consistency_check(packed: Sequence[Chunk], conflicts: Sequence[Conflict]) -> Check:
    """Warns when there is a conflict; names both sides, with their dates and trust if known."""
    if not conflicts:
        return Check(
            name="consistency", status=Status.PASS, detail="no factual conflicts detected"
        )
    by_id = {chunk.chunk_id: chunk for chunk in packed}
    shown = "; ".join(
        f"{_side(by_id[each.chunk_a], each.a)} against {_side(by_id[each.chunk_b], each.b)}"
        for each in conflicts[:SHOWN]
    )
    more = f"; and {len(conflicts) - SHOWN} more" if len(conflicts) > SHOWN else ""
    plural = "" if len(conflicts) == 1 else "s"
    return Check(
        name="consistency",
        status=Status.WARN,
        detail=f"{len(conflicts)} factual conflict{plural}: {shown}{more}",
    )


def _side(chunk: Chunk, claim: Claim) -> str:
    facts = [chunk.timestamp.date().isoformat()] if chunk.timestamp else []
    if chunk.trust_score is not None:
        facts.append(f"trust {chunk.trust_score:g}")
    known = f" ({', '.join(facts)})" if facts else ""
    return f"{chunk.chunk_id}{known} says {' '.join(claim.value.split())!r}"


def _similar(packed: Sequence[Chunk]) -> Iterator[tuple[Stated, Stated]]:
    """Pairs of statements of different chunks with enough words in common, smaller id first."""
    import numpy as np

    chunks = sorted(packed, key=lambda chunk: chunk.chunk_id)
    facts = [facts_of(chunk.text) for chunk in chunks]
    rows = [
        (number, statement) for number, each in enumerate(facts) for statement in each.statements
    ]
    if len(rows) < 2:  # noqa: PLR2004 - a pair is two
        return
    columns: dict[str, int] = {}
    cells = [
        (row, columns.setdefault(stem, len(columns)))
        for row, (_, statement) in enumerate(rows)
        for stem in statement.stems
    ]
    matrix = np.zeros((len(rows), len(columns)), dtype=np.float32)
    where = np.array(cells, dtype=np.intp)
    matrix[where[:, 0], where[:, 1]] = 1.0
    common = matrix @ matrix.T
    sizes = matrix.sum(axis=1)
    owner = np.array([number for number, _ in rows])
    larger = np.maximum(sizes[:, None], sizes[None, :])
    enough = common >= MIN_SHARE * larger
    # one word in common is enough for the shortest statements alone
    enough |= (common >= 1) & (larger <= 2)
    enough &= owner[:, None] < owner[None, :]
    for first, second in np.argwhere(enough).tolist():
        (number_a, a), (number_b, b) = rows[first], rows[second]
        if _same_subject(facts[number_a].subject, facts[number_b].subject, a, b):
            yield (chunks[number_a], a), (chunks[number_b], b)


def _same_subject(subject_a: frozenset[str], subject_b: frozenset[str], a: Statement, b: Statement) -> bool:
    """Whether two texts may be about the same thing: half of the smaller one's names are shared."""
    if not subject_a or not subject_b:
        return True
    common = subject_a & subject_b
    if subject_a == common or subject_b == common: return True
    names = {t.key for t in a.tokens if t.is_name} & {t.key for t in b.tokens if t.is_name}
    return bool(names) and 2 * len(common) >= min(len(subject_a), len(subject_b))


def _conflict(
    chunk_a: Chunk, a: Statement, chunk_b: Chunk, b: Statement, difference: Difference
) -> Conflict:
    return Conflict(
        chunk_a=chunk_a.chunk_id,
        chunk_b=chunk_b.chunk_id,
        kind=difference.kind,
        a=_claim(chunk_a.text, a, difference.a),
        b=_claim(chunk_b.text, b, difference.b),
    )


def _claim(text: str, statement: Statement, span: tuple[int, int]) -> Claim:
    start, end = span
    return Claim(text=statement.sentence.text, value=text[start:end], start=start, end=end)

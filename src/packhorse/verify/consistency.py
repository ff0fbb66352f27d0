"""Factual conflicts between packed chunks: two sentences that say the same thing differently.

Precision comes first: a false alarm costs a reader more than a missed conflict, and a clean
result is no proof that there is none. Two sentences conflict where they run in parallel and
differ in one value, in a negation or opposite, or (for long parallels) in one name. Anything else
in which they differ, such as a year, a place or another condition, is taken for the reason of
the difference, and there is no conflict.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from packhorse.types.verdict import Check, Claim, Conflict, Status
from packhorse.verify.facts import Facts, Statement, facts_of
from packhorse.verify.parallel import Difference, difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packhorse.types.chunk import Chunk

    Stated = tuple[int, Statement]

__all__ = ["consistency_check", "find_conflicts"]

SHOWN = 3
"""Conflicts that the check's sentence spells out."""
SHORT = 2
"""Words up to which a statement is so short that one word in common is enough."""
MIN_SHARE = 0.6
"""Share of the larger statement's words that both must hold to be compared word by word."""


def find_conflicts(packed: Sequence[Chunk]) -> tuple[Conflict, ...]:
    """The conflicts between different chunks, sorted by chunk ids, then by offsets.

    Both values, their offsets and their sentences are given; nothing says who is right. Costs a
    matrix product of all statements, and an alignment for each pair with enough words in common.
    """
    chunks = sorted(packed, key=lambda chunk: chunk.chunk_id)
    facts = [facts_of(chunk.text) for chunk in chunks]
    found: set[Conflict] = set()
    for (row_a, a), (row_b, b) in _similar(facts):
        if a.sentence.text == b.sentence.text:
            continue
        if not _same_subject(facts[row_a], facts[row_b], a, b):
            continue
        differing = difference(a, b)
        if differing is not None and not _told_apart(chunks[row_a], chunks[row_b], differing):
            found.add(_conflict(chunks[row_a], a, chunks[row_b], b, differing))
    return tuple(sorted(found, key=_place))


def _place(conflict: Conflict) -> tuple[str, str, int, int, str]:
    return (conflict.chunk_a, conflict.chunk_b, conflict.a.start, conflict.b.start, conflict.kind)


def consistency_check(packed: Sequence[Chunk], conflicts: Sequence[Conflict]) -> Check:
    """Warns when there is a conflict; names both sides, with their dates and trust if known."""
    if not conflicts:
        return Check(name="consistency", status=Status.PASS, detail="no factual conflicts detected")
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


def _similar(facts: Sequence[Facts]) -> Iterator[tuple[Stated, Stated]]:
    """Pairs of statements of different texts with enough words in common, earlier text first.

    All-pairs search by prefix filtering (Bayardo, Ma and Srikant, 2007): two sets that share
    enough words share one of the rarest, so that only those need an index.
    """
    held = Counter(stem for each in facts for a in each.statements for stem in a.stems)
    index: dict[str, list[tuple[int, int, Statement]]] = {}
    for row, each in enumerate(facts):
        added: list[tuple[str, tuple[int, int, Statement]]] = []
        for place, b in enumerate(each.statements):
            rarest = sorted(b.stems, key=lambda stem: (held[stem], stem))
            prefix = rarest[: len(rarest) - _needed(len(rarest)) + 1]
            met = {(other, at): a for stem in prefix for other, at, a in index.get(stem, ())}
            for (other, _), a in met.items():
                if len(a.stems & b.stems) >= _needed(max(len(a.stems), len(b.stems))):
                    yield (other, a), (row, b)
            added += [(stem, (row, place, b)) for stem in prefix]
        for stem, entry in added:
            index.setdefault(stem, []).append(entry)


def _needed(size: int) -> int:
    """How many words two statements must share when the larger one has `size`."""
    return 1 if size <= SHORT else math.ceil(MIN_SHARE * size)


def _same_subject(facts_a: Facts, facts_b: Facts, a: Statement, b: Statement) -> bool:
    """Whether two texts may be about the same thing, by the names that they open with.

    Opening sentences are compared word by word, names and all. Without a name on one side
    nothing speaks against it. Other names are other things, unless
    the shorter name shares half of its words and the statements have a name in common.
    """
    if a is facts_a.lead and b is facts_b.lead:
        return True
    name_a, name_b = facts_a.subject, facts_b.subject
    common = name_a & name_b
    if not name_a or not name_b or common in (name_a, name_b):
        return True
    return bool(a.names & b.names) and 2 * len(common) >= min(len(name_a), len(name_b))


def _told_apart(chunk_a: Chunk, chunk_b: Chunk, difference: Difference) -> bool:
    """Whether the headings of one document already say what the two statements differ by.

    Under other headings of a document its sentences are about other things: releases, options,
    functions. Under one heading, sentences that are alike but for a name or a negation are items
    of a list. Without headings nothing is known.
    """
    if chunk_a.source_id != chunk_b.source_id or not (chunk_a.header and chunk_b.header):
        return False
    # A heading that is a chunk's own first line is in its section, not in its header.
    headings_a, headings_b = ((c.header, c.section_id) for c in (chunk_a, chunk_b))
    return headings_a != headings_b or difference.kind in {"name", "polarity"}


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

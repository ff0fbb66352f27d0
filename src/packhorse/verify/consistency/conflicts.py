"""Factual conflicts between packed chunks: two sentences that say the same thing differently.

Precision comes first: a false alarm costs a reader more than a missed conflict, and a clean
result is no proof that there is none. Two sentences about one subject conflict where they run in
parallel and differ in one value, in a negation or opposite, in one name, or in what the subject
is said to be. What the rules leave open, a small classifier decides. Anything else in which they
differ, such as a year, a place or another condition, is taken for the reason of the difference,
and there is no conflict.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from packhorse.errors import VerificationError
from packhorse.types.verdict import Claim, Conflict
from packhorse.verify.consistency.align import align
from packhorse.verify.consistency.classifier import shipped_classifier
from packhorse.verify.consistency.features import features_of
from packhorse.verify.consistency.likely import candidate_difference
from packhorse.verify.consistency.placed import heading_of, told_apart
from packhorse.verify.consistency.rules import difference
from packhorse.verify.consistency.similar import similar_statements
from packhorse.verify.consistency.statements import Facts, Statement, facts_of
from packhorse.verify.consistency.subject import (
    Subject,
    explained_by_titles,
    same_subject,
    title_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from packhorse.protocols import ContradictionModel
    from packhorse.types.chunk import Chunk
    from packhorse.verify.consistency.align import Difference
    from packhorse.verify.consistency.classifier import Classifier

__all__ = ["Compared", "by_model", "compared", "conflicts_of", "find_conflicts"]

MAX_ASKED = 64
"""Pairs of one packet that a contradiction model is asked about, in the order of chunk ids."""
MODEL_THRESHOLD = 0.5
"""Probability from which a contradiction model's answer is a conflict."""
TWIN_TOKENS = 5
"""Tokens from which a sentence in both texts says that one is a copy of the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two statements that may be about one thing, and what they differ in."""

    chunk_a: Chunk
    a: Statement
    chunk_b: Chunk
    b: Statement
    ruled: Difference | None
    """What a rule finds: a conflict."""
    candidate: Difference | None
    """Where no rule finds anything: what the classifier may call a conflict."""
    features: tuple[float, ...]
    """What the classifier looks at; empty without a candidate."""


def find_conflicts(
    packed: Sequence[Chunk], classifier: Classifier | None = None
) -> tuple[Conflict, ...]:
    """The conflicts between different chunks, sorted by chunk ids, then by offsets.

    Both values, their offsets and their sentences are given; nothing says who is right. Costs an
    alignment for each pair of statements with enough words in common; no model is asked.

    Args:
        packed: the chunks, in any order.
        classifier: decides what the rules leave open. Default: the one in the package.
    """
    pairs = list(compared(packed))
    judge = by_classifier(shipped_classifier() if classifier is None else classifier)
    return conflicts_of(pairs, judge([each for each in pairs if each.candidate]))


def by_classifier(classifier: Classifier) -> Callable[[Sequence[Compared]], list[bool]]:
    """Judges what the rules leave open by the weights of a classifier."""
    return lambda asked: [classifier.is_conflict(each.features) for each in asked]


def by_model(
    model: ContradictionModel, asked: Sequence[Compared], threshold: float = MODEL_THRESHOLD
) -> list[bool]:
    """Judges the first `MAX_ASKED` of what the rules leave open by a model, in both directions.

    A pair is a conflict where the mean of both probabilities, rounded to six decimals, reaches
    `threshold`. What is past `MAX_ASKED` is none.

    Raises:
        VerificationError: the model fails, or gives no probability for each pair.
    """
    sentences = [(each.a.sentence.text, each.b.sentence.text) for each in asked[:MAX_ASKED]]
    if not sentences:
        return [False] * len(asked)
    there = [*sentences, *((second, first) for first, second in sentences)]
    found = [float(each) for each in model.contradictions(there)]
    if len(found) != len(there) or not all(0.0 <= each <= 1.0 for each in found):
        raise VerificationError(
            f"{model.name} gave {len(found)} usable probabilities for {len(there)} pairs",
            hint="A contradiction model gives one number from 0 to 1 for each pair",
        )
    half = len(sentences)
    means = (round((found[at] + found[at + half]) / 2, 6) for at in range(half))
    return [*(mean >= threshold for mean in means), *[False] * (len(asked) - half)]


def conflicts_of(pairs: Sequence[Compared], judged: Sequence[bool]) -> tuple[Conflict, ...]:
    """What the rules found, and the candidates that were judged to be conflicts, in order."""
    verdicts = iter(judged)
    found: set[Conflict] = set()
    for pair in pairs:
        if pair.ruled:
            found.add(_conflict(pair, pair.ruled))
        elif pair.candidate and next(verdicts):
            found.add(_conflict(pair, pair.candidate))
    return tuple(sorted(found, key=_place))


def compared(packed: Sequence[Chunk]) -> Iterator[Compared]:
    """Pairs of statements that a rule calls a conflict, or that the classifier is asked about."""
    chunks = sorted(packed, key=lambda chunk: chunk.chunk_id)
    facts = [
        replace(facts_of(chunk.text), title=title_words(heading_of(chunk))) for chunk in chunks
    ]
    for (row_a, a), (row_b, b) in similar_statements(facts):
        if a.sentence.text == b.sentence.text:
            continue
        subject = same_subject(facts[row_a], facts[row_b], a, b)
        if subject is Subject.OTHER:
            continue
        parallel = align(a, b)
        if explained_by_titles(facts[row_a], facts[row_b], parallel):
            continue
        ruled = difference(parallel)
        candidate = None
        if not ruled and _is_open(facts[row_a], facts[row_b], subject):
            candidate = candidate_difference(parallel)
        differing = ruled or candidate
        if differing is None or told_apart(chunks[row_a], a, chunks[row_b], b, differing):
            continue
        features: tuple[float, ...] = ()
        if candidate:
            features = features_of(
                parallel,
                _twins(facts[row_a], facts[row_b]),
                leads=a is facts[row_a].lead and b is facts[row_b].lead,
                named=subject is Subject.SAME,
            )
        yield Compared(
            chunk_a=chunks[row_a],
            a=a,
            chunk_b=chunks[row_b],
            b=b,
            ruled=ruled,
            candidate=candidate,
            features=features,
        )


def _is_open(facts_a: Facts, facts_b: Facts, subject: Subject) -> bool:
    """Whether the classifier may be asked: never under two titles that differ."""
    return subject is Subject.SAME or not (facts_a.title and facts_b.title)


def _twins(facts_a: Facts, facts_b: Facts) -> int:
    return len(_whole(facts_a.statements) & _whole(facts_b.statements))


@lru_cache(maxsize=512)
def _whole(statements: tuple[Statement, ...]) -> frozenset[tuple[str, ...]]:
    """Long statements, word for word, values and all."""
    return frozenset(
        tuple(f"{t.key} {t.quantity.amount}" if t.quantity else t.key for t in each.tokens)
        for each in statements
        if len(each.tokens) >= TWIN_TOKENS
    )


def _place(conflict: Conflict) -> tuple[str, str, int, int, str]:
    return (conflict.chunk_a, conflict.chunk_b, conflict.a.start, conflict.b.start, conflict.kind)


def _conflict(pair: Compared, difference: Difference) -> Conflict:
    return Conflict(
        chunk_a=pair.chunk_a.chunk_id,
        chunk_b=pair.chunk_b.chunk_id,
        kind=difference.kind,
        a=_claim(pair.chunk_a.text, pair.a, difference.a),
        b=_claim(pair.chunk_b.text, pair.b, difference.b),
    )


def _claim(text: str, statement: Statement, span: tuple[int, int]) -> Claim:
    start, end = span
    return Claim(text=statement.sentence.text, value=text[start:end], start=start, end=end)

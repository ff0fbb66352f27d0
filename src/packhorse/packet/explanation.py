"""Why one candidate is in or out: the decision, what led to it, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.packet.rows import SIGNALS
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from packhorse.packet.entries import ExcludedChunk, PackedChunk

__all__ = [
    "Cause",
    "Counterfactual",
    "Explanation",
    "Penalty",
    "SignalShare",
    "Stage",
    "explain_entry",
]

MICRO = 1_000_000
"""Scores have six decimals; shares are added in whole millionths, so that the sum is exact."""

WIDTH = 100
"""Columns of the text for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalShare:
    """One summand of a composite score."""

    name: str
    value: float
    """0..1."""
    weight: float
    share: float
    """weight x value in six decimals; the shares of a candidate add up to its score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where a candidate stood at one stage."""

    name: str
    """`lexical` and `dense` (the retrievers), where a reranker judged `retrieval` (relevance
    before it) and `reranker` (its probability), `fused` (by relevance), `reranked` (by relevance,
    trust and freshness), `mmr` (coverage and diversity counted in)."""
    rank: int | None
    """1-based; None where the stage did not place it."""
    of: int | None
    """How many were placed; None where the packet does not say."""
    score: float | None
    """On the stage's own scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """What being like a chunk that was chosen before costs."""

    chunk_id: str
    """The chosen chunk that it is most like; the first of them among equals."""
    similarity: float
    """Cosine, 0..1, six decimals."""
    score: float
    """What that takes off the composite score."""
    value: float
    """What (1 - lambda) x similarity takes off the marginal value besides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What stood in the way, where it is a rule or another chunk; or a near copy beside it."""

    detail: str
    """For people."""
    chunk_ids: tuple[str, ...] = ()
    """The survivor of a duplicate; the near copy beside it; who took the places of a source."""
    value: float | None = None
    """What the chunk has of what a rule asks for."""
    limit: float | None = None
    """What the rule asks for."""
    overlap: float | None = None
    """For a duplicate or near copy: the share of its word triples that stand in the other chunk; 1
    for the same text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterfactual:
    """The smallest change of one kind at which the decision is the other one.

    Found by selecting again with the change: at `becomes` the decision flips, at `stays_at`, one
    step nearer to what it is now, it does not.
    """

    kind: str
    """`budget`, `relevance`, `trust`, `date` or `lambda`."""
    flips: bool
    """Whether any change of this kind flips the decision; False is an answer, too."""
    was: float | str | None
    """What it is now; None where nobody said."""
    becomes: float | str | None = None
    stays_at: float | str | None = None
    """None where one step less is no change at all."""
    change: float | None = None
    """Tokens, days, or units of the setting, with a sign; None from what nobody said."""
    smallest: bool = True
    """Whether it is certain that no smaller change of this kind flips it. False where the
    strategy allows no such conclusion, and the search looked at some changes only."""
    detail: str
    """For people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The decision about one candidate. `str()` of it is for people, at most 100 columns."""

    chunk_id: str
    decision: str
    """`included` or `excluded`."""
    reason: str
    reason_code: str
    signals: tuple[SignalShare, ...]
    """Empty for an unscored candidate."""
    score: float | None
    """Sum of the shares."""
    rank: int | None
    """1-based place in the ranked list; None for a candidate that never competed."""
    ranked: int
    """Length of that list."""
    lexical_rank: int | None
    dense_rank: int | None
    position: int | None
    """1-based place in the text; None for an excluded one."""
    tokens: int
    duplicate_of: str | None
    would_fit_at_budget: int | None
    """Smallest budget that keeps it; None where size is not what keeps it out."""
    text_topics: tuple[tuple[str, float], ...] = ()
    """(topic, strength) that its text offers of the required topics, where it has no tags."""
    relevance_parts: Mapping[str, float] | None = None
    """What relevance is the sum of, by name; None where the packet does not say."""
    named_as: str | None = None
    """How the question names it."""
    followed_from: Mapping[str, str] | None = None
    """`chunk_id` and `name`: where it is mentioned, if that led to it or lifted it."""
    stages: tuple[Stage, ...] = ()
    penalty: Penalty | None = None
    """None for a candidate that is like nothing chosen before it."""
    cause: Cause | None = None
    """None where ranking and size alone decided, and nothing packed is nearly the same."""
    counterfactuals: tuple[Counterfactual, ...] = ()
    """One a kind; empty where `note` says why."""
    note: str = ""
    """What a reader has to know about the counterfactuals; empty for nothing."""
    expanded_from: str | None = None
    """The chunk that it stands around and has its relevance from; None for one by itself."""
    expanded_steps: int | None = None
    """How many chunks after that one it stands; below 0: before it."""
    own_relevance: float | None = None
    """Relevance without that; None for one that stands by itself."""

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _lines(told: Explanation) -> Iterator[str]:
    yield from _wrapped(f"{told.chunk_id}: {told.decision}, {told.reason}", "", "  ")
    if told.cause is None and told.duplicate_of is not None:
        yield from _wrapped(f"duplicate of {told.duplicate_of}, which was kept", "  ", "  ")
    if told.cause is not None:
        yield from _wrapped(told.cause.detail, "  ", "  ")
    for share in told.signals:
        product = f"{share.weight:>9g} x {share.value:.6f} = {share.share:>9.6f}"
        yield f"  {share.name:<14}{product}"
    if told.text_topics:
        offered = ", ".join(f"{topic} {strength:.2f}" for topic, strength in told.text_topics)
        yield from _wrapped(f"without tags, its text speaks of {offered}", "  ", "    ")
    if told.score is not None:
        yield f"  {'score':<14}{'= ':>22}{told.score:>9.6f}"
    yield from _expansion(told)
    yield from _relevance(told)
    yield f"  {_place(told)}, {told.tokens} tokens"
    for stage in told.stages:
        yield f"    {stage.name:<10}{_standing(stage)}"
    if told.penalty is not None:
        yield from _wrapped(_penalty(told.penalty), "  ", "    ")
    if not told.counterfactuals and told.would_fit_at_budget is not None:
        yield f"  would be in at a budget of {told.would_fit_at_budget} tokens"
    yield from _changes(told)
    if told.note:
        yield from _wrapped(told.note, "  ", "  ")


def _relevance(told: Explanation) -> Iterator[str]:
    """What the relevance is made of, in words; nothing where the packet does not say."""
    if told.relevance_parts is None:
        return
    parts = dict(told.relevance_parts)
    said = [
        f"words {parts['lexical']:.6f}",
        f"meaning {parts['dense']:.6f}",
        *(
            f"{name} {parts[name]:+.6f}"
            for name in ("named", "mention", "length", "alike")
            if parts.get(name)
        ),
    ]
    if "clipped" in parts:
        said.append(f"cut to 0..1 {parts['clipped']:+.6f}")
    yield from _wrapped(f"relevance is {', '.join(said)}", "  ", "    ")
    if told.named_as is not None:
        yield from _wrapped(f"named by the question, as {told.named_as!r}", "  ", "    ")
    mention = told.followed_from
    if mention is not None:
        text = f"mentioned by {mention['chunk_id']}, as {mention['name']!r}"
        yield from _wrapped(text, "  ", "    ")


def _expansion(told: Explanation) -> Iterator[str]:
    if told.expanded_from is None:
        return
    steps = told.expanded_steps or 0
    n = abs(steps)
    where = f"{n} {'chunk' if n == 1 else 'chunks'} {'before' if steps < 0 else 'after'}"
    own = f"{told.own_relevance or 0:.6f}"
    said = f"relevant because it stands {where} {told.expanded_from}; by itself: {own}"
    yield from _wrapped(said, "  ", "    ")


def _changes(told: Explanation) -> Iterator[str]:
    other = "out" if told.decision == "included" else "in"
    details = {each.detail for each in told.counterfactuals}
    if len(details) == 1:
        yield from _wrapped(f"nothing would take it {other}: {details.pop()}", "  ", "  ")
    elif details:
        yield f"  it would be {other}"
        for each in told.counterfactuals:
            yield from _wrapped(f"{each.kind:<10}{each.detail}", "    ", " " * 14)


def _place(told: Explanation) -> str:
    rank = f"rank {told.rank} of {told.ranked}" if told.rank else "not ranked"
    return rank if told.position is None else f"{rank}, cited as [{told.position}]"


_NO_STANDING = {"lexical": "not found", "dense": "not found", "reranker": "not judged"}


def _standing(stage: Stage) -> str:
    if stage.rank is None:
        return _NO_STANDING.get(stage.name, "no place")
    among = "" if stage.of is None else f" of {stage.of}"
    score = "" if stage.score is None else f"  ({stage.score:.6f})"
    return f"{stage.rank}{among}{score}"


def _penalty(penalty: Penalty) -> str:
    return (
        f"most like {penalty.chunk_id} (cosine {penalty.similarity:.6f}), which was chosen before:"
        f" {penalty.score:.6f} off the score, {penalty.value:.6f} off what it was worth next"
    )


def _wrapped(text: str, first: str, rest: str) -> Iterator[str]:
    """The text in lines of at most 100 columns; an id that is longer has a line of its own."""
    import textwrap

    yield from textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def explain_entry(
    entry: PackedChunk | ExcludedChunk, weights: Mapping[str, float], ranked: int
) -> Explanation:
    """What the entry of a candidate says by itself."""
    from packhorse.packet.entries import ExcludedChunk

    is_out = isinstance(entry, ExcludedChunk)
    return Explanation(
        chunk_id=entry.chunk_id,
        decision="excluded" if is_out else "included",
        reason=entry.excluded_reason if isinstance(entry, ExcludedChunk) else entry.included_reason,
        reason_code=entry.reason_code,
        signals=_shares(entry, weights),
        score=entry.score,
        rank=entry.rank,
        ranked=ranked,
        lexical_rank=entry.lexical_rank,
        dense_rank=entry.dense_rank,
        position=None if isinstance(entry, ExcludedChunk) else entry.position,
        tokens=entry.tokens,
        text_topics=entry.text_topics,
        relevance_parts=entry.relevance_parts,
        named_as=entry.named_as,
        followed_from=entry.followed_from,
        duplicate_of=entry.duplicate_of if isinstance(entry, ExcludedChunk) else None,
        expanded_from=entry.expanded_from,
        expanded_steps=entry.expanded_steps,
        own_relevance=entry.own_relevance,
        would_fit_at_budget=(
            entry.would_fit_at_budget if isinstance(entry, ExcludedChunk) else None
        ),
    )


def _shares(
    entry: PackedChunk | ExcludedChunk, weights: Mapping[str, float]
) -> tuple[SignalShare, ...]:
    """The summands; what rounding leaves over goes to the largest, so that they add up."""
    values = {name: getattr(entry, field) for name, field in SIGNALS.items()}
    if entry.score is None or any(value is None for value in values.values()):
        return ()
    millionths = {name: round(weights[name] * values[name] * MICRO) for name in SIGNALS}
    left = round(entry.score * MICRO) - sum(millionths.values())
    if abs(left) <= len(SIGNALS):
        millionths[_largest(list(SIGNALS), millionths)] += left
    return tuple(
        SignalShare(
            name=name,
            value=values[name],
            weight=weights[name],
            share=millionths[name] / MICRO,
        )
        for name in SIGNALS
    )


def _largest(names: Sequence[str], millionths: Mapping[str, int]) -> str:
    return max(names, key=lambda name: (abs(millionths[name]), name))

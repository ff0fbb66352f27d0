"""What to change for one candidate, as far as its entry tells: no selection is run for it.

`packhorse why` finds the smallest change by selecting again; this says where to look first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from packhorse.report.numbers import counted, integer

if TYPE_CHECKING:
    from packhorse.packet.explanation import Stage

__all__ = ["NOT_FOUND", "changes_for", "is_in_the_middle"]

Document = Mapping[str, Any]

FAR = 3
"""A stage that puts a candidate this many times further down is worth a word."""
COMPETED = frozenset({"exceeded_remaining_budget", "not_selected_by_mmr", "not_in_best_set"})
"""Reasons to be out for which the rank counts; the others are rules."""
FEW_BLOCKS = 5
"""With fewer blocks there is no middle to get lost in."""

NOT_FOUND = (
    "It was no candidate: retrieval never found it. Raise --candidates, ask with the words of the"
    " passage, check that it is in the knowledge base, or split its text otherwise."
)


def changes_for(
    document: Document, entry: Document, stages: Mapping[str, Stage]
) -> tuple[str, ...]:
    """Sentences, the most direct one first; at least one."""
    found = [*_by_code(document, entry), *_by_stage(entry, stages)]
    if found:
        return tuple(found)
    return ("Nothing about it: it is in, and not lost in the middle.",)


def is_in_the_middle(position: int, n_blocks: int) -> bool:
    """Whether a place is in the middle third, which models read least closely."""
    return n_blocks >= FEW_BLOCKS and 2 * n_blocks < 6 * position - 3 < 4 * n_blocks


def _by_code(document: Document, entry: Document) -> Iterator[str]:
    if "position" in entry:
        n_blocks = len(document["packed_chunks"])
        if is_in_the_middle(entry["position"], n_blocks):
            yield (
                "It stands in the middle, which models read least closely: --order edges or"
                " sandwich puts the best at the ends, and a smaller --budget leaves less around it."
            )
        return
    advise = _ADVICE.get(entry["reason_code"])
    if advise is not None:
        yield advise(document, entry)


def _by_stage(entry: Document, stages: Mapping[str, Stage]) -> Iterator[str]:
    """Where it lost its place on the way, for one that is out or far down."""
    if entry["reason_code"] not in COMPETED:
        return
    fused, reranked, mmr = (stages[name].rank for name in ("fused", "reranked", "mmr"))
    if stages["lexical"].rank is None and stages["dense"].rank is not None:
        yield "No word of the question is in it: the question's own words would help."
    if fused and reranked and reranked > FAR * fused:
        yield "Trust or date of its source pull it down: look at both, or at `weights`."
    if reranked and mmr and mmr > FAR * reranked and entry["dedup_penalty"]:
        yield "It is like chunks that come before it: a higher --lambda minds that less."


def _too_large(document: Document, entry: Document) -> str:
    at = entry.get("would_fit_at_budget")
    if at is None:
        return "A larger --budget, or smaller chunks."
    more = at - document["budget"]["evidence_budget"]
    free = document["budget"]["available_evidence"]
    if at > free:
        return (
            f"It would fit at a budget of {integer(at)}, and the window leaves {integer(free)}:"
            " smaller chunks, or a model with a larger window."
        )
    return f"It would fit at --budget {at} ({counted(more, 'token')} more). Or split it smaller."


def _duplicate(document: Document, entry: Document) -> str:
    kept = entry["duplicate_of"]
    place = next(
        (each["position"] for each in document["packed_chunks"] if each["chunk_id"] == kept), None
    )
    if place is not None:
        return f"Nothing: its text stands in {kept}, which is in as [{place}]."
    return f"Its text stands in {kept}, which is out itself: look there."


def _stale(document: Document, _: Document) -> str:
    policy = (document["kb"]["policy"] or {}).get("max_age_days")
    own = document["profile"].get("max_age_days")
    where = [name for name, days in (("the profile", own), ("kb.yaml", policy)) if days is not None]
    return (
        f"If its age is no fault, raise max_age_days in {' and '.join(where) or 'the profile'};"
        " if its date is wrong, mend the date."
    )


def _distrusted(_: Document, entry: Document) -> str:
    return (
        f"If {entry['source_id']} deserves more, give it a higher `trust` in kb.yaml, or lower"
        " min_trust."
    )


def _not_selected(document: Document, _: Document) -> str:
    ranked = document["packing"]["ranked"]
    return f"Only {integer(ranked)} could compete for the budget: a larger --top-k lets it in."


_ADVICE: Mapping[str, Callable[[Document, Document], str]] = {
    "exceeded_remaining_budget": _too_large,
    "duplicate": _duplicate,
    "stale": _stale,
    "blocked_source": lambda _, entry: (
        f"{entry['source_id']} is on the list blocked_sources of kb.yaml: take it off, if it"
        " should be heard."
    ),
    "below_trust_threshold": _distrusted,
    "below_relevance_threshold": lambda *_: (
        "It is far from the question: ask with its words, or lower min_relevance."
    ),
    "not_selected_by_mmr": _not_selected,
    "source_cap": lambda *_: "Raise max_per_source or max_packed_per_source in the profile.",
    "unscored": lambda *_: "Its relevance is no number: check the embedder.",
    "linked_chunk_out": lambda *_: (
        "It goes in only together with what it is linked with: a larger --budget, or no link."
    ),
    "exclusive_pair": lambda *_: "It never stands beside what is in: lift that rule, or pin it.",
    "not_in_best_set": lambda *_: "A larger --budget, or --strategy ranked, which goes by rank.",
}

"""What to change for one candidate, as far as its entry tells: no selection is run for it.

`packhorse why` finds the smallest change by selecting again; this says where to look first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from packhorse.report.numbers import counted, integer
from packhorse.report.reach import BY_RANK, Fall, Reach, largest_fall

if TYPE_CHECKING:
    from packhorse.packet.explanation import Stage

__all__ = ["COMPETED", "can_find_more", "changes_for", "is_in_the_middle", "not_found"]

Document = Mapping[str, Any]

FAR = 2
"""A stage that puts a candidate this many times further down is worth a word."""
COMPETED = frozenset({"exceeded_remaining_budget", "not_selected_by_mmr", "not_in_best_set"})
"""Reasons to be out for which the rank counts; the others are rules."""
FEW_BLOCKS = 5
"""With fewer blocks there is no middle to get lost in."""


def can_find_more(document: Document) -> bool:
    """Whether more --candidates can find more: the search gave all it was asked for, and not all.

    Required chunks of the knowledge base are candidates without the search; attached files are
    none of its chunks.
    """
    packing = document["packing"]
    n_own = packing["candidates"] - len(packing.get("attached", ()))
    asked = document["profile"].get("candidates")
    gave_all = asked is None or packing["retrieved"] >= asked
    return bool(gave_all and n_own < document["kb"]["chunks"])


def not_found(document: Document) -> str:
    """What it means that a passage is no candidate, and what to change."""
    if can_find_more(document):
        return (
            "It was no candidate: retrieval never found it. Raise --candidates, ask with the words"
            " of the passage, check that it is in the knowledge base, or split its text otherwise."
            " As a candidate it still has to rank high enough for the budget."
        )
    return (
        "It was no candidate, although retrieval gave everything that it found: check the"
        " spelling, and that the passage is in the knowledge base, or ask with its words."
    )


def changes_for(
    document: Document, entry: Document, stages: Mapping[str, Stage], reach: Reach
) -> tuple[str, ...]:
    """Sentences, the most direct one first; at least one."""
    found = tuple(
        _for_place(document, entry, stages)
        if "position" in entry
        else _for_excluded(document, entry, stages, reach)
    )
    return found or ("Nothing about it: it is in, and not lost in the middle.",)


def is_in_the_middle(position: int, n_blocks: int) -> bool:
    """Whether a place is in the middle third, which models read least closely."""
    return n_blocks >= FEW_BLOCKS and 2 * n_blocks < 6 * position - 3 < 4 * n_blocks


def _for_place(document: Document, entry: Document, stages: Mapping[str, Stage]) -> Iterator[str]:
    n_blocks = len(document["packed_chunks"])
    if not is_in_the_middle(entry["position"], n_blocks):
        return
    middle = "It stands in the middle, which models read least closely"
    reranked, mmr = stages["reranked"].rank, stages["mmr"].rank
    if (
        entry["reason_code"] in BY_RANK
        and reranked
        and mmr
        and mmr >= FAR * reranked
        and entry["dedup_penalty"]
    ):
        fall = Fall(stage="mmr", before=reranked, after=mmr)
        yield f"{middle}: {_lever(document, entry, stages, fall)}"
        return
    ranks = sorted(each["rank"] for each in document["packed_chunks"] if each["rank"])
    place = ranks.index(entry["rank"]) + 1 if entry["rank"] in ranks else len(ranks)
    orders = _orders_with_better_place(document["rendered"]["order"], place, n_blocks)
    if orders:
        yield f"{middle}: {' or '.join(f'--order {name}' for name in orders)} puts it elsewhere."
    else:
        yield f"{middle}; among what is in, its rank is in the middle, too."


def _orders_with_better_place(current: str, place: int, n_blocks: int) -> list[str]:
    """Orders by rank, other than the one in force, that do not leave a rank in the middle."""
    at_edges = (place + 1) // 2 if place % 2 else n_blocks + 1 - place // 2
    places = {"relevance": place, "edges": at_edges}
    return [
        name
        for name, position in places.items()
        if name != current and not is_in_the_middle(position, n_blocks)
    ]


def _for_excluded(
    document: Document, entry: Document, stages: Mapping[str, Stage], reach: Reach
) -> Iterator[str]:
    """For one that is out for its rank, that first; size is named only where it is large."""
    rank, code = entry["rank"], entry["reason_code"]
    is_low = rank is not None and reach.is_beyond(rank, entry["tokens"])
    fall = largest_fall(stages, reach) if code in COMPETED and (is_low or rank is None) else None
    if is_low and fall is not None:
        yield _lever(document, entry, stages, fall)
    advise = _ADVICE.get(code)
    if advise is not None:
        yield advise(document, entry)
    if not is_low and fall is not None:
        yield _lever(document, entry, stages, fall)
    if code == "exceeded_remaining_budget" and reach.is_large(entry["tokens"]):
        usual = counted(int(reach.tokens), "token")
        yield f"It is long beside what is in, of which half has up to {usual}: split it smaller."


def _lever(document: Document, entry: Document, stages: Mapping[str, Stage], fall: Fall) -> str:
    """What moves it at the stage at which it lost its place."""
    way = f"from rank {integer(fall.before)} to {integer(fall.after)}"
    if fall.stage == "fused":
        only = f"By relevance it is rank {integer(fall.after)} only"
        if stages["lexical"].rank is None and stages["dense"].rank is not None:
            return (
                f"{only}, and no word of the question is in it: the question's own words would"
                " help."
            )
        return f"{only}: ask with the words of the passage."
    if fall.stage == "reranked":
        return (
            f"Trust or date of its source took it {way}: look at both, or at `weights` of trust"
            " and freshness."
        )
    if not entry["dedup_penalty"]:
        return f"Topics took it {way}: look at its topic tags, or at `weights` of coverage."
    similarity = f"{entry['dedup_penalty']:.2f}"
    like = f"Diversity took it {way}, as it is like what came before it ({similarity})"
    if document["profile"].get("mmr_lambda") == 1:
        return f"{like}: `weights` of deduplication nearer to 0."
    return (
        f"{like}: --lambda nearer to 1, which is score alone. `packhorse why` names what it is"
        " most like."
    )


def _too_large(document: Document, entry: Document) -> str:
    at = entry.get("would_fit_at_budget")
    if at is None:
        return "A larger --budget; `packhorse why` finds which."
    more = at - document["budget"]["evidence_budget"]
    free = document["budget"]["available_evidence"]
    if at > free:
        return (
            f"It would fit at a budget of {integer(at)}, and the window leaves {integer(free)}:"
            " a model with a larger window."
        )
    return f"It would fit at --budget {at} ({counted(more, 'token')} more)."


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
    return (
        f"Only {integer(ranked)} could compete for the budget: a larger --top-k lets it compete,"
        " and the budget has to reach it then."
    )


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
    "origin_out": lambda _, entry: (
        f"It goes in only beside {entry['expanded_from']}: a larger --budget, or --pin."
    ),
    "exclusive_pair": lambda *_: "It never stands beside what is in: lift that rule, or pin it.",
    "not_in_best_set": lambda *_: "A larger --budget, or --strategy ranked, which goes by rank.",
}

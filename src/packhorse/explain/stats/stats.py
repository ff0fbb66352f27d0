"""Many packets at a glance: how full, what was skipped, what was kept out, how good.

Packets are added one by one and not kept. Memory grows with the number of different chunks,
sources and topics, never with the number of packets, and their order changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from packhorse.explain.stats.distribution import Distribution, Tally
from packhorse.packet.omitted import omitted_entries, relevant_among

__all__ = [
    "FULL",
    "LISTED",
    "LOW",
    "Collector",
    "ModelUse",
    "Often",
    "Share",
    "Stats",
    "TopicUse",
]

Document = Mapping[str, Any]

FULL = 0.9
"""Utilisation from which a budget that kept relevant passages out counts as exhausted."""

LOW = 0.5
"""Trust and freshness below this are low; what nobody rated or dated has exactly this."""

LISTED = 10
"""Chunks and sources that a list names, and topics that are printed."""

_UNTRUSTED = frozenset({"below_trust_threshold", "blocked_source"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many of how many."""

    count: int
    of: int

    @property
    def share(self) -> float:
        """`count / of`, six decimals; 0 of nothing is 0."""
        return round(self.count / self.of, 6) if self.of else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Often:
    """A chunk or source that packets have in common."""

    kb: str
    name: str
    """Chunk id or source id."""
    count: int
    """Packets; for a source, chunks in packets."""
    reasons: tuple[tuple[str, int], ...]
    """(reason code, how often), most often first, ties by code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicUse:
    """A required topic over all packets."""

    topic: str
    required: int
    missing: int
    partial: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """One target model."""

    model: str
    packets: int
    exact: int
    """Packets that were counted exactly."""
    budget: Distribution
    """Of the evidence section, in tokens."""
    utilization: Distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What many packets say together."""

    packets: int
    warned: int
    """Packets with status `warning`."""
    checks: tuple[tuple[str, int], ...]
    """(check that did not pass, packets), most often first, ties by name."""
    utilization: Distribution | None
    skipped: Distribution | None
    """Candidates a packet that only their size kept out."""
    relevant_skipped: Distribution | None
    """Of these, relevant ones, as a closing notice counts them."""
    skipped_tokens: Distribution | None
    """Blocks of the best-ranked candidates that were skipped for size, in tokens."""
    packed_tokens: Distribution | None
    """Blocks that were packed, in tokens."""
    wanted_budget: Distribution | None
    """Budget at which all relevant passages would have fitted, of packets that left some out."""
    optimality: Distribution | None
    exhausted: Share
    """Packets that used `FULL` of their budget or more and left relevant passages out."""
    window_bound: Share
    """Of the exhausted ones: those whose budget is all that the window leaves."""
    top_skipped: Share
    """Packets whose best-ranked candidate was skipped for size, of those with a ranked one."""
    stale_candidates: Share
    untrusted_candidates: Share
    """Below the trust threshold or of a blocked source."""
    duplicate_candidates: Share
    old_packed: Share
    """Packed chunks with a freshness below `LOW`: older than the half-life."""
    low_trust_packed: Share
    """Packed chunks with a trust below `LOW`."""
    out_of_domain: Share
    conflicts: Share
    """Packets with contradictory chunks."""
    conflict_kinds: tuple[tuple[str, int], ...]
    reasons: tuple[tuple[str, int], ...]
    """(reason code, excluded candidates), most often first, ties by code."""
    most_excluded: tuple[Often, ...]
    """Relevant chunks that were kept out most often."""
    most_packed: tuple[Often, ...]
    packed_sources: tuple[Often, ...]
    topics: tuple[TopicUse, ...]
    """All that were required, most often missing first."""
    models: tuple[ModelUse, ...]


@dataclass(slots=True, kw_only=True)
class _Model:
    packets: int = 0
    exact: int = 0
    budget: Tally = field(default_factory=lambda: Tally(is_share=False))
    utilization: Tally = field(default_factory=lambda: Tally(is_share=True))


class Collector:
    """Takes packets one by one; `result` is what they say so far."""

    def __init__(self) -> None:
        self._n: Counter[str] = Counter()
        self._checks: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._shares = {name: Tally(is_share=True) for name in ("utilization", "optimality")}
        self._whole = {
            name: Tally(is_share=False)
            for name in ("skipped", "relevant", "skipped_tokens", "packed_tokens", "wanted")
        }
        self._excluded: Counter[tuple[str, str, str]] = Counter()
        self._packed: Counter[tuple[str, str, str]] = Counter()
        self._sources: Counter[tuple[str, str, str]] = Counter()
        self._topics: Counter[tuple[str, str]] = Counter()
        self._models: dict[str, _Model] = {}

    def add(self, document: Document) -> None:
        """Counts one packet, which `Packet.from_json` or `pack` gave."""
        n = self._n
        n["packets"] += 1
        n["warned"] += document["status"] == "warning"
        self._checks.update(
            sorted({each["name"] for each in document["checks"] if each["status"] != "pass"})
        )
        self._add_budget(document)
        self._add_candidates(document)
        coverage = document["coverage"]
        n["outside"] += not coverage["in_domain"]
        for what in ("required_topics", "missing", "partial"):
            self._topics.update((topic, what) for topic in coverage[what])
        kinds = sorted({each["kind"] for each in document["consistency"]["conflicts"]})
        n["conflicts"] += bool(kinds)
        self._kinds.update(kinds)

    def _add_budget(self, document: Document) -> None:
        budget, n = document["budget"], self._n
        omitted = omitted_entries(document)
        relevant = relevant_among(document, omitted)
        self._shares["utilization"].add(budget["utilization"])
        self._whole["skipped"].add(len(omitted))
        self._whole["relevant"].add(len(relevant))
        if document["packing"]["optimality"] is not None:
            self._shares["optimality"].add(document["packing"]["optimality"])
        if relevant:
            needed = sum(entry["tokens"] for entry in relevant)
            self._whole["wanted"].add(budget["packed_evidence"] + needed)
        if relevant and budget["utilization"] >= FULL:
            n["exhausted"] += 1
            n["window_bound"] += budget["evidence_budget"] >= budget["available_evidence"]
        model = self._models.setdefault(document["model"], _Model())
        model.packets += 1
        model.exact += document["tokenizer"]["exact"]
        model.budget.add(budget["evidence_budget"])
        model.utilization.add(budget["utilization"])
        skipped = {entry["chunk_id"] for entry in omitted}
        competing = [
            entry
            for entry in (*document["packed_chunks"], *document["excluded_chunks"])
            if entry["rank"] is not None and entry["reason_code"] in _COMPETING
        ]
        if competing:
            best = min(competing, key=lambda entry: (entry["rank"], entry["chunk_id"]))
            n["with_ranked"] += 1
            if best["chunk_id"] in skipped:
                n["top_skipped"] += 1
                self._whole["skipped_tokens"].add(best["tokens"])

    def _add_candidates(self, document: Document) -> None:
        n, kb = self._n, document["kb"]["name"]
        packed, excluded = document["packed_chunks"], document["excluded_chunks"]
        n["candidates"] += len(packed) + len(excluded)
        n["packed"] += len(packed)
        for entry in packed:
            self._packed[kb, entry["chunk_id"], entry["reason_code"]] += 1
            self._sources[kb, entry["source_id"], entry["reason_code"]] += 1
            self._whole["packed_tokens"].add(entry["tokens"])
            n["old_packed"] += _is_low(entry["freshness_score"])
            n["low_trust_packed"] += _is_low(entry["trust_score"])
        self._reasons.update(entry["reason_code"] for entry in excluded)
        for entry in relevant_among(document, excluded):
            self._excluded[kb, entry["chunk_id"], entry["reason_code"]] += 1

    def result(self) -> Stats:
        """What has been added so far."""
        n, reasons = self._n, self._reasons
        shares = {name: tally.distribution() for name, tally in self._shares.items()}
        whole = {name: tally.distribution() for name, tally in self._whole.items()}
        untrusted = sum(reasons[code] for code in _UNTRUSTED)
        candidates, packets, packed = n["candidates"], n["packets"], n["packed"]
        return Stats(
            packets=packets,
            warned=n["warned"],
            checks=_by_count(self._checks),
            utilization=shares["utilization"],
            skipped=whole["skipped"],
            relevant_skipped=whole["relevant"],
            skipped_tokens=whole["skipped_tokens"],
            packed_tokens=whole["packed_tokens"],
            wanted_budget=whole["wanted"],
            optimality=shares["optimality"],
            exhausted=Share(count=n["exhausted"], of=packets),
            window_bound=Share(count=n["window_bound"], of=n["exhausted"]),
            top_skipped=Share(count=n["top_skipped"], of=n["with_ranked"]),
            stale_candidates=Share(count=reasons["stale"], of=candidates),
            untrusted_candidates=Share(count=untrusted, of=candidates),
            duplicate_candidates=Share(count=reasons["duplicate"], of=candidates),
            old_packed=Share(count=n["old_packed"], of=packed),
            low_trust_packed=Share(count=n["low_trust_packed"], of=packed),
            out_of_domain=Share(count=n["outside"], of=packets),
            conflicts=Share(count=n["conflicts"], of=packets),
            conflict_kinds=_by_count(self._kinds),
            reasons=_by_count(reasons),
            most_excluded=_most(self._excluded),
            most_packed=_most(self._packed),
            packed_sources=_most(self._sources),
            topics=tuple(_topics(self._topics)),
            models=tuple(_models(self._models)),
        )


_COMPETING = frozenset(
    {
        *("ranked", "exceeded_remaining_budget", "not_in_best_set", "linked_chunk_out"),
        *("exclusive_pair", "source_cap", "expanded", "origin_out"),
    }
)
"""Codes of candidates that competed for the budget; required ones did not."""


def _is_low(score: float | None) -> bool:
    return score is not None and score < LOW


def _by_count(counts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    found = [(name, count) for name, count in counts.items() if count]
    return tuple(sorted(found, key=lambda each: (-each[1], each[0])))


def _most(counts: Mapping[tuple[str, str, str], int]) -> tuple[Often, ...]:
    totals: Counter[tuple[str, str]] = Counter()
    for (kb, name, _code), count in counts.items():
        totals[kb, name] += count
    best = sorted(totals, key=lambda each: (-totals[each], each))[:LISTED]
    reasons: dict[tuple[str, str], dict[str, int]] = {each: {} for each in best}
    for (kb, name, code), count in counts.items():
        if (kb, name) in reasons:
            reasons[kb, name][code] = count
    return tuple(
        Often(kb=kb, name=name, count=totals[kb, name], reasons=_by_count(reasons[kb, name]))
        for kb, name in best
    )


def _topics(counts: Mapping[tuple[str, str], int]) -> Iterable[TopicUse]:
    names = {topic for topic, _what in counts}
    uses = [
        TopicUse(
            topic=topic,
            required=counts.get((topic, "required_topics"), 0),
            missing=counts.get((topic, "missing"), 0),
            partial=counts.get((topic, "partial"), 0),
        )
        for topic in names
    ]
    return sorted(uses, key=lambda use: (-use.missing, -use.partial, use.topic))


def _models(models: Mapping[str, _Model]) -> Iterable[ModelUse]:
    for name, model in sorted(models.items()):
        budget, utilization = model.budget.distribution(), model.utilization.distribution()
        if budget is not None and utilization is not None:
            yield ModelUse(
                model=name,
                packets=model.packets,
                exact=model.exact,
                budget=budget,
                utilization=utilization,
            )

"""Selection run again with some inputs from one packet and the others from another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from packhorse.errors import PackhorseError
from packhorse.explain.diff.changed_inputs import settings_of
from packhorse.explain.diff.evidence_room import EvidenceRoom
from packhorse.explain.diff.mixed_pairs import MixedPairs
from packhorse.explain.diff.mixed_pool import MixedPool
from packhorse.explain.diff.ties import Ties
from packhorse.explain.recorded import entries_of
from packhorse.order.registry import orderer
from packhorse.order.together import reading_order
from packhorse.packet.canonical import finite
from packhorse.packing.registry import packer
from packhorse.pipeline import merged_ranks
from packhorse.profiles.profile import profile_from_dict
from packhorse.rerank.five_signals import FiveSignalReranker
from packhorse.types.candidate import CandidatePool
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints

if TYPE_CHECKING:
    from packhorse.config import KnowledgeBasePolicy, Profile
    from packhorse.explain.diff.changed_inputs import ChangedInput
    from packhorse.explain.diff.ties import Group
    from packhorse.explain.recorded import Recorded
    from packhorse.types.query import Query

__all__ = ["Mixture", "Outcome", "Standing", "recorded_outcome"]

Document = Mapping[str, Any]

_SETTINGS = (
    *("weights.relevance", "weights.trust", "weights.freshness", "weights.coverage"),
    *("weights.deduplication", "mmr_lambda", "top_k", "min_relevance", "min_trust"),
    *("freshness_half_life_days", "max_age_days", "max_per_source", "dedup_threshold"),
    *("strategy", "max_packed_per_source", "require_each_topic", "full_strength", "order"),
)
"""Settings that selecting and ordering read."""

_POLICY = ("blocked_sources", "min_trust", "max_age_days")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a candidate stands in one outcome."""

    code: str
    rank: int | None
    position: int | None
    """In the text; None for one that is out."""
    score: float | None


Outcome = Mapping[str, Standing]
"""Candidate -> where it stands; empty where required chunks do not fit."""


def recorded_outcome(document: Document) -> Outcome:
    """What a packet says."""
    return {
        entry["chunk_id"]: Standing(
            entry["reason_code"], entry["rank"], entry.get("position"), entry["score"]
        )
        for entry in entries_of(document)
    }


_MOST_CHUNK_INPUTS = 24
"""Changes of single candidates up to which each is switched by itself."""


def _tie_many(inputs: Sequence[ChangedInput], ties: Ties) -> None:
    """Where very many candidates changed, the same change of all of them is one input."""
    of_field: dict[str, list[str]] = {}
    for each in inputs:
        if each.chunk_id is not None:
            of_field.setdefault(each.key.rpartition(".")[2], []).append(each.key)
    if sum(map(len, of_field.values())) > _MOST_CHUNK_INPUTS:
        for keys in of_field.values():
            ties.tie(keys)


class Mixture:
    """Two packets, of which each changed input can be taken from either."""

    def __init__(
        self,
        documents: tuple[Document, Document],
        sides: tuple[Recorded, Recorded],
        inputs: Iterable[ChangedInput],
    ) -> None:
        self._documents, self._sides = documents, sides
        inputs = tuple(inputs)
        self._ties = ties = Ties(each.key for each in inputs)
        _tie_many(inputs, ties)
        self._settings = tuple(settings_of(document) for document in documents)
        self._pool = MixedPool(documents, sides, ties)
        self._pairs = MixedPairs(sides, self._pool, ties)
        self._room = EvidenceRoom(documents, sides, ties)
        self._topics_key = self._topics()
        self._links = tuple(self._linked())
        for key in ties.changed((*_SETTINGS, "as_of", *(f"policy.{name}" for name in _POLICY))):
            ties.tie([key])
        self.groups: tuple[Group, ...] = ties.groups()
        """Inputs that take part in selecting; those of one group only switch together."""
        self._outcomes: dict[frozenset[Group], Outcome] = {}
        self._failures: dict[frozenset[Group], str] = {}

    @property
    def n_runs(self) -> int:
        """How often selection was run."""
        return len(self._outcomes)

    def group(self, key: str) -> Group | None:
        """The group of an input; None for one that takes no part in selecting."""
        return next((group for group in self.groups if key in group), None)

    def outcome(self, from_b: Iterable[Group]) -> Outcome:
        """What comes out with these groups from B and all others from A."""
        switched = frozenset(from_b)
        if switched not in self._outcomes:
            keys = frozenset(key for group in switched for key in group)
            try:
                self._outcomes[switched] = self._selected(keys)
            # Required chunks that do not fit, a required chunk of a blocked source, settings
            # that contradict each other: with these inputs there is no packet.
            except PackhorseError as error:
                self._outcomes[switched] = {}
                self._failures[switched] = error.message
        return self._outcomes[switched]

    def failure(self, from_b: Iterable[Group]) -> str:
        """Why nothing comes out with these groups from B; empty where something does."""
        switched = frozenset(from_b)
        self.outcome(switched)
        return self._failures.get(switched, "")

    def _selected(self, from_b: frozenset[str]) -> Outcome:
        is_b = from_b.__contains__
        profile, query, policy = self._profile(from_b), self._query(from_b), self._policy(from_b)
        reserved = self._pool.reserved(is_b)
        ids = self._pool.present(is_b, reserved)
        vectors = self._pairs.vectors(ids, is_b)
        around = [self._pool.around(chunk_id, is_b) for chunk_id in ids]
        pool = CandidatePool(
            chunks=tuple(self._pool.chunk(chunk_id, is_b) for chunk_id in ids),
            relevance=np.array(
                [self._pool.relevance(chunk_id, is_b) for chunk_id in ids], dtype=np.float64
            ),
            vectors=vectors,
            keys=None if vectors is None else np.eye(len(ids)),
            mentions={chunk_id: self._pool.mentions(chunk_id, is_b) for chunk_id in ids},
            around={row: each for row, each in enumerate(around) if each is not None},
        )
        copies = self._pairs.copies(ids, is_b)
        reranker = FiveSignalReranker(profile.rerank, policy, copies=copies)
        ranking = reranker.rerank(query, pool, reserved)
        tokens = np.array([self._pool.tokens(each, is_b) for each in ids], dtype=np.int64)
        rules = self._constraints(from_b, profile, query, ids)
        packing = packer(profile.pack.strategy).pack(ranking, tokens, self._room.at(is_b), rules)
        ranked = merged_ranks(ranking)
        rank_of = {row: rank for rank, row in enumerate(ranked, start=1)}
        kept = dict(packing.kept)
        by_rank = [row for row in ranked if row in kept]
        read = reading_order(orderer(profile.render.order), pool, by_rank)
        place_of = {row: at for at, row in enumerate(read, start=1)}
        return {
            chunk_id: Standing(
                (kept[row] if row in kept else packing.excluded[row]).code.value,
                rank_of.get(row),
                place_of.get(row),
                finite(float(ranking.signals.score[row]), []),
            )
            for row, chunk_id in enumerate(ids)
        }

    # ------------------------------------------------------------------------------ inputs

    def _profile(self, from_b: frozenset[str]) -> Profile:
        was, now = self._settings
        settings = {name: (now if name in from_b else was)[name] for name in _SETTINGS}
        weights = {
            name.removeprefix("weights."): settings.pop(name)
            for name in _SETTINGS
            if name.startswith("weights.")
        }
        return profile_from_dict({**settings, "weights": weights})

    def _query(self, from_b: frozenset[str]) -> Query:
        was, now = (side.query for side in self._sides)
        return replace(
            was,
            as_of=now.as_of if "as_of" in from_b else was.as_of,
            required_topics=(now if self._topics_key in from_b else was).required_topics,
        )

    def _policy(self, from_b: frozenset[str]) -> KnowledgeBasePolicy:
        was, now = (side.policy for side in self._sides)
        changes = {name: getattr(now, name) for name in _POLICY if f"policy.{name}" in from_b}
        return replace(was, **changes)

    def _topics(self) -> str:
        """The input that decides which topics are required; empty where they are the same."""
        was, now = (side.query for side in self._sides)
        if was.required_topics == now.required_topics:
            return ""
        types = {was.query_type, now.query_type}
        keys = {"require_topics", *(f"query_types.{name}.required_topics" for name in types)}
        if len(types) > 1:
            keys |= {
                key for each in self._settings for key in each if key.startswith("query_types")
            }
            keys |= {"query", "default_query_type"}
        return self._ties.tie(self._ties.changed(keys))

    def _linked(self) -> Iterator[tuple[str, str, tuple[str, str], bool, bool]]:
        """(input, kind, pair of candidates, whether A says so, whether B does)."""
        for kind in ("linked", "exclusive"):
            said = [
                {
                    tuple(sorted(pair))
                    for pair in (document["packing"].get("constraints") or {}).get(kind, ())
                }
                for document in self._documents
            ]
            for one, two in sorted(said[0] | said[1]):
                pair = (one, two)
                was, now = pair in said[0], pair in said[1]
                key = ""
                if not {one, two} <= self._pool.is_shared:
                    was = now = True
                elif was != now:
                    own = self._pool.own_keys(one) | self._pool.own_keys(two)
                    key = self._ties.tie(own or self._ties.changed(["snapshot"]))
                yield key, kind, pair, was, now

    def _constraints(
        self, from_b: frozenset[str], profile: Profile, query: Query, ids: list[str]
    ) -> Constraints:
        row_of = {chunk_id: row for row, chunk_id in enumerate(ids)}
        pairs: dict[str, list[tuple[int, int]]] = {"linked": [], "exclusive": []}
        for key, kind, (one, two), was, now in self._links:
            if (now if key in from_b else was) and one in row_of and two in row_of:
                low, high = sorted((row_of[one], row_of[two]))
                pairs[kind].append((low, high))
        rules = Constraints(
            max_per_source=profile.pack.max_per_source,
            topics=query.required_topics if profile.pack.require_each_topic else (),
            topic_strength=profile.coverage.full_strength,
            exclusive=tuple(sorted(pairs["exclusive"])),
            linked=tuple(sorted(pairs["linked"])),
        )
        return rules or NO_CONSTRAINTS

"""What the formula is made of, for every question of a set."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from evals.ranking import data, dense
from evals.ranking.data import Features
from evals.ranking.feedback import feedback, gate
from evals.ranking.lexical import Lexicon
from evals.ranking.mention_graph import MentionGraph
from packhorse.retrieve.alike import N_NEAREST, nearest

if TYPE_CHECKING:
    from pathlib import Path

    from evals.ranking.data import Collection
    from packhorse.protocols import Embedder
    from packhorse.types.arrays import FloatArray, IntArray

__all__ = ["FIRST_NAMED", "features_of", "features_of_folder"]

CANDIDATES = 100
"""Of each channel, as the product's profile has it."""

FIRST_NAMED = 0.35
"""Weight of a name in the first relevance, which decides what is followed and compared with."""

_FOLLOWED = 15
"""Passages whose mentions join the candidates, and again of those so found."""
_SOURCES = 40
"""Passages that may ever be among the four that hand on relevance."""


@dataclass(frozen=True, slots=True, eq=False)
class _Set:
    collection: Collection
    lexicon: Lexicon
    graph: MentionGraph
    length: FloatArray


def features_of_folder(folder: Path, embedder: Embedder, cache: Path) -> Features:
    """The features of a set, from the cache or made now and kept there.

    Raises:
        InputError: the folder or a line of it cannot be used.
    """
    found = data.load(folder, embedder, cache)
    if found is None:
        found = features_of(data.read_collection(folder, embedder, cache))
        data.store(found, folder, embedder, cache)
    return found


def features_of(collection: Collection) -> Features:
    """The features of every question. About 10 ms a question over some thousand passages."""
    lexicon = Lexicon(collection.passage_terms)
    graph = MentionGraph(collection.titles, collection.texts, lexicon)
    the_set = _Set(collection, lexicon, graph, lexicon.length_beside_average())
    each = [_of_question(the_set, at) for at in range(len(collection.questions))]
    joined = {
        field.name: np.concatenate([one[field.name] for one in each])
        for field in fields(Features)
        if field.name not in {"ends", "edge_ends"}
    }
    return Features(
        ends=_ends([len(one["costs"]) for one in each]),
        edge_ends=_ends([len(one["edge_sources"]) for one in each]),
        **joined,
    )


def _ends(sizes: list[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _of_question(the_set: _Set, at: int) -> dict[str, FloatArray | IntArray]:
    collection = the_set.collection
    words = the_set.lexicon.shares(collection.question_terms[at])
    direction = dense.cosines(collection.vectors, collection.question_vectors[at])
    sure = the_set.graph.named(collection.questions[at])
    named = np.zeros(len(words))
    named[list(sure)] = list(sure.values())
    first = (words + direction) / 2 + FIRST_NAMED * named
    by_words = _ranks(words)
    by_direction = _ranks(direction)
    found = np.flatnonzero((by_words > 0) | (by_direction > 0) | (named > 0))
    rows, sources = _followed(the_set.graph, first, found)
    alike = feedback(first[rows], rows, the_set.lexicon, collection.vectors)
    near = _nearest(collection.vectors[rows], np.flatnonzero(np.isin(rows, found)))
    named_gate = min(1.0, 2 * float(named.max(initial=0.0)))
    return {
        "n_gold": np.array([len(collection.gold[at])]),
        "agreement_gate": np.array([gate(alike.agreement, named_gate)]),
        "named_gate": np.array([named_gate]),
        "rows": rows,
        "costs": collection.costs[rows],
        "is_gold": np.isin(rows, collection.gold[at]).astype(np.int64),
        "words": words[rows],
        "direction": direction[rows],
        "by_words": by_words[rows],
        "by_direction": by_direction[rows],
        "named": named[rows],
        "length": the_set.length[rows],
        **near,
        "alike_words": alike.words,
        "alike_direction": alike.direction,
        **_edges(the_set, at, rows, sources),
    }


def _nearest(vectors: FloatArray, found: IntArray) -> dict[str, FloatArray | IntArray]:
    """The nearest among the rows that the search found, of each of these."""
    near = nearest(vectors[found])
    rows = np.zeros((len(vectors), N_NEAREST), dtype=np.int64)
    cosines = np.full((len(vectors), N_NEAREST), -1.0)
    rows[found], cosines[found] = found[near.rows], near.cosines
    return {"nearest": rows, "nearest_cosines": cosines}


def _ranks(scores: FloatArray) -> IntArray:
    """Rank from 1 of the first 100 scores above 0, ties by row; 0 for every other row."""
    rounded = np.round(scores, 6)
    order = np.argsort(-rounded, kind="stable")[:CANDIDATES]
    order = order[rounded[order] > 0]
    ranks = np.zeros(len(scores), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def _followed(
    graph: MentionGraph, first: FloatArray, found: IntArray
) -> tuple[IntArray, list[int]]:
    """The candidates with what the best of them mention, and which of them may hand on."""

    def best(rows: set[int], n: int) -> list[int]:
        return sorted(rows, key=lambda row: (-round(float(first[row]), 6), row))[:n]

    pool = {int(row) for row in found}
    followed = best(pool, _FOLLOWED)
    near = {target for row in followed for target in graph.mentioned(row)}
    beyond = best(near, _FOLLOWED)
    far = {target for row in beyond for target in graph.mentioned(row)}
    sources = sorted({*best(pool, _SOURCES), *followed, *beyond})
    return np.array(sorted(pool | near | far), dtype=np.int64), sources


def _edges(
    the_set: _Set, at: int, rows: IntArray, sources: list[int]
) -> dict[str, FloatArray | IntArray]:
    place = {int(row): n for n, row in enumerate(rows)}
    collection = the_set.collection
    asked = {term for term in collection.question_terms[at] if the_set.lexicon.knows(term)}
    found = []
    for source in sources:
        unanswered = asked.difference(collection.title_terms[source])
        for target, strength in sorted(the_set.graph.strengths(source, unanswered).items()):
            if target in place:
                found.append((place[source], place[target], strength))
    return {
        "edge_sources": np.array([each[0] for each in found], dtype=np.int64),
        "edge_targets": np.array([each[1] for each in found], dtype=np.int64),
        "edge_strengths": np.array([each[2] for each in found], dtype=np.float64),
    }

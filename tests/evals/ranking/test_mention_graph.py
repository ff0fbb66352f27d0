"""Mentions between passages, and the flow along them beside a slow reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.ranking.lexical import Lexicon
from evals.ranking.mention_graph import Edges, MentionGraph, flow
from packhorse.text.analysis import terms

TITLES = ["Ed Wood", "Glen or Glenda", "Cats"]
TEXTS = [
    "Ed Wood directed a film. He wrote Glen or Glenda about clothes. He fed Cats.",
    "It was shot in four days.",
    "They sleep.",
]


def graph_of(titles: list[str], texts: list[str]) -> MentionGraph:
    filler = [["filler", str(n)] for n in range(100)]
    passages = [terms(f"{title} {text}") for title, text in zip(titles, texts, strict=True)]
    return MentionGraph(titles, texts, Lexicon([*passages, *filler]))


def test_a_passage_mentions_others_and_not_itself() -> None:
    graph = graph_of(TITLES, TEXTS)
    assert graph.mentioned(0) == {1, 2}
    assert graph.mentioned(1) == set()


def test_a_question_names_passages() -> None:
    graph = graph_of(TITLES, TEXTS)
    assert set(graph.named("Who wrote Glen or Glenda?")) == {1}
    assert graph.named("Who wrote it?") == {}


def test_a_mention_near_words_of_the_question_is_stronger() -> None:
    graph = graph_of(TITLES, TEXTS)
    near_glenda = graph.strengths(0, set(terms("clothes")))
    near_cats = graph.strengths(0, set(terms("fed")))
    assert near_glenda[1] > near_cats[1]
    assert near_cats[2] > near_glenda[2]


def test_a_name_that_many_share_is_weaker_for_each() -> None:
    alone = graph_of(["Mercury (planet)"], [""]).named("Mercury")
    shared = graph_of(["Mercury (planet)", "Mercury (element)"], ["", ""]).named("Mercury")
    assert set(shared) == {0, 1}
    assert 0 < shared[0] < alone[0]


SHARES = st.integers(0, 1000).map(lambda n: n / 1000)


def slow_flow(
    first: list[float], edges: list[tuple[int, int, float]], weight: float
) -> list[float]:
    current = list(first)
    added = [0.0] * len(first)
    for _ in range(2):
        best = sorted(range(len(first)), key=lambda row: (-round(current[row], 6), row))[:4]
        highest = current[best[0]]
        if highest <= 0:
            break
        added = [
            max(
                [
                    max(current[source], 0) / highest * strength
                    for source, target, strength in edges
                    if target == row and source in best
                ],
                default=0.0,
            )
            for row in range(len(first))
        ]
        current = [a + weight * b for a, b in zip(first, added, strict=True)]
    return added


@given(st.data())
def test_flow_is_that_of_the_reference(data: st.DataObject) -> None:
    first = data.draw(st.lists(SHARES, min_size=1, max_size=9))
    row = st.integers(0, len(first) - 1)
    edges = data.draw(st.lists(st.tuples(row, row, SHARES), max_size=20))
    weight = data.draw(st.sampled_from([0.2, 0.65, 1.3]))
    found = flow(
        np.array(first),
        Edges(
            np.array([edge[0] for edge in edges], dtype=np.int64),
            np.array([edge[1] for edge in edges], dtype=np.int64),
            np.array([edge[2] for edge in edges]),
        ),
        weight,
    )
    assert found == pytest.approx(slow_flow(first, edges, weight))
    assert ((found >= 0) & (found <= 1)).all()


def test_relevance_reaches_a_passage_over_two_mentions() -> None:
    first = np.array([1.0, 0.0, 0.0, 0.5, 0.4, 0.3])
    chain = Edges(np.array([0, 1]), np.array([1, 2]), np.array([1.0, 1.0]))
    assert flow(first, chain, 1.0)[2] > 0

"""Neighbours vote: the question moves, scores are mixed, words are shared."""

import numpy as np

from evals.ranking.lexical import Lexicon
from evals.ranking.neighbours import expansion, rocchio, smoothed

EAST, NORTH = np.array([1.0, 0.0]), np.array([0.0, 1.0])


def test_a_question_moves_towards_the_best_passages_alone() -> None:
    vectors = np.stack([NORTH, EAST])
    first = np.array([0.9, 0.1])
    assert rocchio(EAST, vectors, first, n=1, share=0.0).tolist() == [0, 1]
    moved = rocchio(EAST, vectors, first, n=1, share=0.5)
    assert np.allclose(moved, [2**-0.5, 2**-0.5])


def test_relevance_is_mixed_with_that_of_the_nearest() -> None:
    alike = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]])
    mixed = smoothed(np.array([0.8, 0.2, 0.5]), alike, n=1, share=0.5)
    assert np.allclose(mixed, [0.5, 0.5, 0.65])


def test_words_of_half_of_the_best_passages_are_added_the_rarest_first() -> None:
    passages = [["a", "b", "c"], ["a", "b", "d"], ["b", "e"], ["f"]]
    counts: list[dict[str, int]] = [{"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 1, "d": 1}, {"b": 1}]
    added = expansion(["b"], counts, [0.5, 0.4, 0.3], Lexicon(passages), n_terms=5)
    assert added == {"a": 1.0}

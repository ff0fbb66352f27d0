"""Metrics of a ranked list: trec_eval is the judge."""

import math

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from packhorse.evaluate.metrics.average_precision import average_precision
from packhorse.evaluate.metrics.ndcg import ndcg
from packhorse.evaluate.metrics.recall import recall
from packhorse.evaluate.metrics.reciprocal_rank import reciprocal_rank

IDS = tuple("abcdefghijkl")


@given(
    ranked=st.lists(st.sampled_from(IDS), unique=True),
    grades=st.dictionaries(st.sampled_from(IDS), st.integers(1, 4), min_size=1),
)
def test_the_metrics_are_those_of_trec_eval(ranked: list[str], grades: dict[str, int]) -> None:
    measures = {"ndcg_cut.3,10", "recall.5", "map_cut.5,100", "recip_rank"}
    judge = pytrec_eval.RelevanceEvaluator({"q": grades}, measures)
    # trec_eval breaks ties by id; scores that all differ leave it nothing to break. It says
    # nothing about an empty run, whose every metric is 0.
    scores = {name: float(len(ranked) - place) for place, name in enumerate(ranked)}
    expected = judge.evaluate({"q": scores or {"unknown": 1.0}})["q"]
    gold = list(grades)
    ours = {
        "ndcg_cut_3": ndcg(ranked, grades, 3),
        "ndcg_cut_10": ndcg(ranked, grades, 10),
        "recall_5": recall(ranked, gold, 5),
        "map_cut_5": average_precision(ranked, gold, 5),
        "map_cut_100": average_precision(ranked, gold, 100),
        "recip_rank": reciprocal_rank(ranked, gold, len(IDS)),
    }
    assert ours == pytest.approx({name: expected[name] for name in ours}, abs=1e-9)


def test_a_passage_listed_twice_counts_at_its_first_rank_alone() -> None:
    ranked = ["x", "a", "a", "b"]
    assert recall(ranked, ["a", "b"], 3) == 0.5
    assert average_precision(ranked, ["a", "b"], 4) == (1 / 2 + 2 / 4) / 2
    assert ndcg(ranked, {"a": 1, "b": 1}, 4) == pytest.approx(
        (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3))
    )


def test_the_reciprocal_rank_is_cut_at_k() -> None:
    assert reciprocal_rank(["x", "y", "a"], ["a"], 3) == 1 / 3
    assert reciprocal_rank(["x", "y", "a"], ["a"], 2) == 0.0


def test_a_question_without_gold_has_no_figure() -> None:
    for metric in (recall, reciprocal_rank, average_precision):
        assert math.isnan(metric(["a"], [], 10))
    assert math.isnan(ndcg(["a"], {}, 10))

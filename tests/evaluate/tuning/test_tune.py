"""What tuning says it gained is what the questions held out gain; luck is not handed on."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from packhorse.config import Profile, RetrievalConfig, Weights
from packhorse.errors import ConfigError
from packhorse.evaluate.dataset import Dataset, read_dataset
from packhorse.evaluate.tuning.search import Search
from packhorse.evaluate.tuning.space import axes_of, changes, profile_at
from packhorse.evaluate.tuning.tune import Tuned, TuningPlan, _searched, tune
from packhorse.kb.progress import Silent
from tests.evaluate.tuning.sets import write_copies
from tests.evaluate.tuning.test_search import AXES, Scores

PLAN = TuningPlan(base=Profile(), budgets=(60,), evaluations=14, embedder="none", n_folds=3)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return read_dataset(write_copies(tmp_path_factory.mktemp("sets") / "copies"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def tuned(copies: Dataset, cache: Path) -> Tuned:
    return tune(copies, PLAN, cache=cache, clock=time.perf_counter)


def test_a_setting_that_is_wrong_for_a_set_is_found_and_its_gain_shows_held_out(
    tuned: Tuned, copies: Dataset, cache: Path
) -> None:
    assert tuned.is_better
    assert tuned.chosen is not None
    assert [key for key, _ in tuned.chosen.point] == ["dedup_threshold"]
    assert tuned.overall is not None
    assert (tuned.base, tuned.overall.mean) == ((0.5,), 0.5)
    assert tuned.held_out[60] == tuned.overall
    assert tuned.overall.low > 0
    assert [fold.n_held_out for fold in tuned.folds] == [12, 12, 12]
    base = profile_at(Profile(), tuned.chosen.point)
    again = tune(copies, replace(PLAN, base=base), cache=cache, clock=time.perf_counter)
    assert (again.base, again.is_better) == ((1.0,), False)
    assert again.reason.startswith("no other setting is better")


def test_the_same_plan_gives_the_same_result_at_any_speed(
    tuned: Tuned, copies: Dataset, cache: Path
) -> None:
    shuffled = replace(copies, questions=tuple(reversed(copies.questions)))
    assert tune(copies, PLAN, cache=cache, clock=lambda: 0.0) == tuned
    other = tune(shuffled, PLAN, cache=cache, clock=lambda: 0.0)
    assert (other.folds, other.chosen) == (tuned.folds, tuned.chosen)


def test_few_questions_are_not_searched_and_those_without_gold_take_no_part(
    copies: Dataset, cache: Path
) -> None:
    unknown = replace(copies.questions[0], id="unknown", gold=(), grades={})
    few = replace(copies, questions=(unknown, *copies.questions[:29]))
    told = tune(few, PLAN, cache=cache, clock=time.perf_counter)
    assert (told.n_questions, told.n_without_gold, told.n_measured) == (29, 1, 1)
    assert (told.folds, told.overall, told.chosen, told.is_better) == ((), None, None, False)
    assert told.reason.startswith("29 questions with gold are too few")
    with pytest.raises(ConfigError, match="names its gold"):
        tune(replace(few, questions=(unknown,)), PLAN, cache=cache, clock=time.perf_counter)


def test_a_fold_without_a_question_is_refused(copies: Dataset, cache: Path) -> None:
    plan = replace(PLAN, n_folds=37)
    with pytest.raises(ConfigError, match="37 folds, for 36 questions with gold") as caught:
        tune(copies, plan, cache=cache, clock=time.perf_counter)
    assert "--folds 36 or fewer" in caught.value.hint


def test_luck_alone_is_never_worth_a_profile(copies: Dataset) -> None:
    questions = tuple(replace(copies.questions[0], id=f"q{n}") for n in range(60))
    many = replace(copies, questions=questions)
    plan = replace(PLAN, budgets=(60, 120), evaluations=50)
    better = 0
    for seed in range(20):
        search = Search(Scores({}, noise=0.2, seed=seed), AXES, evaluations=plan.evaluations)
        better += _searched(search, many, plan, Silent()).is_better
    assert better <= 1


def test_axes_are_there_only_where_they_can_matter(copies: Dataset) -> None:
    names = [axis.name for axis in axes_of(Profile(), copies, has_vectors=False)]
    assert "mmr_lambda" not in names
    assert not any("trust" in name or "freshness" in name for name in names)
    rated = replace(
        copies, passages=(replace(copies.passages[0], trust_score=0.2), *copies.passages)
    )
    with_vectors = {axis.name: axis for axis in axes_of(Profile(), rated, has_vectors=True)}
    assert {"mmr_lambda", "weights.trust", "lexical_weight and dense_weight"} <= with_vectors.keys()
    for axis in with_vectors.values():
        for option in axis.options:
            profile = profile_at(Profile(), option)
            assert profile != Profile()
            assert all(was != now for was, now in changes(Profile(), option).values())


def test_a_point_is_a_profile_with_these_settings_and_no_other() -> None:
    point = (("dedup_threshold", None), ("dense_weight", 0.8), ("weights.trust", 0.0))
    profile = profile_at(Profile(name="own"), point)
    assert profile.rerank.weights == Weights(trust=0.0)
    assert profile.retrieval == RetrievalConfig(dense_weight=0.8)
    assert profile.rerank.dedup_threshold is None
    assert profile_at(Profile(name="own"), ()) == Profile(name="own")
    assert changes(Profile(), point)["weights.trust"] == (0.2, 0.0)


@pytest.mark.parametrize(
    "wrong",
    [{"metric": "luck"}, {"charge": "money"}, {"budgets": ()}, {"budgets": (1, 1)}, {"n_folds": 1}],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        replace(PLAN, **wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_budgets_count_alike(tuned: Tuned) -> None:
    assert tuned.overall is not None
    assert np.isclose(tuned.overall.mean, np.mean([d.mean for d in tuned.held_out.values()]))

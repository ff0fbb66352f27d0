"""A dataset may be called anything: the profile that is written says the same name again."""

from pathlib import Path

import pytest

from packhorse.config import Profile
from packhorse.evaluate.tuning.profile_file import tuned_profile
from packhorse.evaluate.tuning.search import Chosen
from packhorse.evaluate.tuning.tune import Tuned, TuningPlan
from packhorse.profiles.profile import load_profile

POINT = (("dedup_threshold", None), ("strategy", "density"), ("weights.trust", 0.1))


@pytest.mark.parametrize(
    "name", ["plain", "\U0001f600 \u20ac", 'a"b\\c\n# d: [e]', "\x7f\x85\ufeff"]
)
def test_any_name_and_every_setting_come_back(name: str, tmp_path: Path) -> None:
    chosen = Chosen(point=POINT, best=POINT, gain=0.1, best_gain=0.1, tried=2)
    tuned = Tuned(
        dataset=name,
        digest="0" * 64,
        n_questions=40,
        n_without_gold=0,
        base=(0.5,),
        folds=(),
        held_out={},
        overall=None,
        chosen=chosen,
        n_measured=2,
        reason="",
    )
    out = tmp_path / "tuned.yaml"
    plan = TuningPlan(base=Profile(), budgets=(60,))
    text = tuned_profile(tuned, plan, out=out, base_file=None, version="1", date="2026-01-15")
    out.write_text(text, encoding="utf-8")
    profile = load_profile(out)
    assert profile.name == f"tuned for {name}"
    assert profile.rerank.dedup_threshold is None
    assert profile.pack.strategy == "density"
    assert profile.rerank.weights.trust == 0.1

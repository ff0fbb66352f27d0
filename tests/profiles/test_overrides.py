"""Flags go over a profile, and every setting says where it came from."""

from dataclasses import replace
from pathlib import Path

import pytest

from packhorse.compose import judge_of
from packhorse.config import CoverageConfig, Profile, QueryTypeConfig, RerankConfig, RerankerConfig
from packhorse.errors import ConfigError
from packhorse.profiles.overrides import DEFAULT_SOURCE, explain_settings, flag_sources, override
from packhorse.profiles.profile import (
    load_profile,
    load_profile_with_sources,
    profile_from_dict,
    profile_to_dict,
    recorded_profile,
)


def test_no_flag_changes_nothing() -> None:
    assert override(Profile()) == Profile()


def test_flags_win_over_the_profile_and_leave_it_alone() -> None:
    profile = Profile()
    changed = override(
        profile,
        model="gpt-4",
        strategy="density",
        order="edges",
        format="plain",
        mmr_lambda=0,
        candidates=7,
        top_k=3,
        as_of="2026-01-31",
        output_reservation=0,
    )
    assert profile == Profile()
    assert changed.request.model == "gpt-4"
    assert changed.request.output_reservation == 0
    assert changed.pack.strategy == "density"
    assert (changed.render.order, changed.render.format) == ("edges", "plain")
    assert (changed.rerank.mmr_lambda, changed.rerank.top_k) == (0.0, 3)
    assert changed.retrieval.candidates == 7
    assert changed.as_of == "2026-01-31"


def test_top_k_auto_takes_the_cut_away() -> None:
    assert override(override(Profile(), top_k=3), top_k="auto").rerank.top_k is None


def test_required_topics_are_added_to_every_type_and_to_the_default() -> None:
    types = (QueryTypeConfig(name="tax", required_topics=("a",), keywords=("k",)),)
    profile = Profile(coverage=CoverageConfig(query_types=types))
    changed = override(profile, require_topics=("b", "a"))
    assert changed.coverage.query_types == (
        QueryTypeConfig(name="default", required_topics=("b", "a")),
        QueryTypeConfig(name="tax", required_topics=("a", "b"), keywords=("k",)),
    )


@pytest.mark.parametrize(
    "flags",
    [
        {"mmr_lambda": 1.1},
        {"mmr_lambda": True},
        {"candidates": 0},
        {"top_k": "many"},
        {"model": ""},
    ],
)
def test_a_wrong_flag_is_refused_with_what_it_takes(flags: dict[str, object]) -> None:
    (key,) = flags
    with pytest.raises(ConfigError, match=f"{key} is ") as caught:
        override(Profile(), **flags)  # type: ignore[arg-type]  # wrong on purpose
    assert caught.value.hint.startswith(f"{key} takes ")


def test_every_setting_says_where_it_came_from(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("top_k: 4\nweights: {trust: 0.4}\nquery_types: {t: {keywords: [x]}}\n")
    loaded = load_profile_with_sources(path)
    flags = {"mmr_lambda": 0.0, "model": None, "require_topics": ("a",)}
    profile = override(loaded.profile, mmr_lambda=0.0, require_topics=("a",))
    lines = explain_settings(profile, {**loaded.sources, **flag_sources(profile, **flags)})
    by_key = {line.key: (line.value, line.source) for line in lines}
    assert by_key["top_k"] == (4, f"{path} line 1")
    assert by_key["weights.trust"] == (0.4, f"{path} line 2")
    assert by_key["weights.relevance"] == (0.5, DEFAULT_SOURCE)
    assert by_key["mmr_lambda"] == (0.0, "--lambda")
    assert by_key["model"] == ("gpt-4o", DEFAULT_SOURCE)
    assert by_key["name"] == ("p", f"{path} (file name)")
    assert by_key["query_types.t.keywords"] == (["x"], f"{path} line 3")
    assert by_key["query_types.t.required_topics"] == (["a"], "--require-topic")
    assert {line.key.split(".")[0] for line in lines} == set(profile_to_dict(profile))


def test_a_reranker_from_a_flag_keeps_the_profiles_other_settings() -> None:
    reranker = RerankerConfig(model="own.onnx", top=7, scale="probabilities")
    profile = Profile(rerank=RerankConfig(reranker=reranker))
    changed = override(profile, reranker="http://localhost:8000")
    assert changed.rerank.reranker == replace(reranker, model="http://localhost:8000")
    assert override(Profile(), reranker="m.onnx").rerank.reranker == RerankerConfig(model="m.onnx")
    assert override(profile, reranker="none").rerank.reranker is None
    with pytest.raises(ConfigError, match="reranker"):
        override(profile, reranker=" ")
    said = {"reranker.model": "p.yaml line 2", "reranker.top": "p.yaml line 3"}
    sources = {**said, **flag_sources(profile, reranker="http://localhost:8000")}
    told = {line.key: line.source for line in explain_settings(changed, sources)}
    assert told["reranker.model"] == "--reranker"
    assert told["reranker.top"] == "p.yaml line 3"
    off = explain_settings(Profile(), flag_sources(profile, reranker="none"))
    assert [line.source for line in off if line.key == "reranker"] == ["--reranker"]


@pytest.mark.parametrize(
    "value",
    [7, [], {"model": ""}, {"model": "m.onnx", "top": 0}, {"model": 3}],
)
def test_a_reranker_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(ConfigError, match="reranker"):
        profile_from_dict({"reranker": value})


def test_a_flag_names_the_model_of_a_reranker_that_the_profile_only_sets_up(
    tmp_path: Path,
) -> None:
    (tmp_path / "top.yaml").write_text("reranker: {top: 5, weight: 0.5}\n")
    profile = load_profile(tmp_path / "top.yaml")
    assert recorded_profile(profile) == profile
    named = override(profile, reranker="http://localhost:8000").rerank.reranker
    assert named == RerankerConfig(model="http://localhost:8000", top=5, weight=0.5)
    assert override(profile, reranker="none").rerank.reranker is None
    with pytest.raises(ConfigError, match="reranker of the profile 'top' has no model") as caught:
        override(profile, strategy="density")
    assert "--reranker" in caught.value.hint
    with pytest.raises(ConfigError, match="has no model"):
        judge_of(profile)


def test_a_profile_may_change_the_reranker_of_the_one_it_extends(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("reranker: {model: m.onnx, top: 9}\n")
    (tmp_path / "own.yaml").write_text("extends: base.yaml\nreranker: {top: 5}\n")
    found = load_profile(tmp_path / "own.yaml").rerank.reranker
    assert found == RerankerConfig(model="m.onnx", top=5)
    (tmp_path / "none.yaml").write_text("extends: base.yaml\nreranker: none\n")
    assert load_profile(tmp_path / "none.yaml").rerank.reranker is None

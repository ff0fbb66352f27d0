"""Flags go over a profile, and every setting says where it came from."""

from pathlib import Path

import pytest

from packhorse.config import CoverageConfig, Profile, QueryTypeConfig
from packhorse.errors import ConfigError
from packhorse.profiles.overrides import DEFAULT_SOURCE, explain_settings, flag_sources, override
from packhorse.profiles.profile import load_profile_with_sources, profile_to_dict


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

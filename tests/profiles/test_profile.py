"""Profiles are read strictly, built on each other, and come back whole."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import (
    CoverageConfig,
    PackConfig,
    Profile,
    QueryTypeConfig,
    RenderConfig,
    RequestConfig,
    RerankConfig,
    RetrievalConfig,
    VerifyConfig,
    Weights,
)
from packhorse.errors import ConfigError, UnknownKeyError
from packhorse.profiles.profile import (
    load_profile,
    load_profile_with_sources,
    profile_from_dict,
    profile_to_dict,
)
from packhorse.profiles.settings import SETTINGS

SHARES = st.integers(0, 1_000_000).map(lambda n: n / 1_000_000)
POSITIVE = st.integers(1, 10_000_000).map(lambda n: n / 1_000)
WORDS = st.text(min_size=1, max_size=8).filter(lambda text: bool(text.strip()))
LISTS = st.lists(WORDS, max_size=3, unique=True).map(tuple)


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    names = sorted(draw(st.sets(WORDS, max_size=3)))
    return Profile(
        name=draw(WORDS),
        as_of=draw(st.none() | st.dates().map(lambda day: day.isoformat())),
        request=RequestConfig(
            model=draw(WORDS),
            system_prompt=draw(st.text(max_size=5)),
            safety_preamble=draw(st.text(max_size=5)),
            output_reservation=draw(st.integers(0, 9_000)),
            history_max_tokens=draw(st.none() | st.integers(0, 9_000)),
            min_evidence_tokens=draw(st.integers(0, 9_000)),
        ),
        retrieval=RetrievalConfig(
            candidates=draw(st.integers(1, 500)),
            lexical_weight=draw(POSITIVE),
            dense_weight=draw(POSITIVE),
            follow=draw(st.booleans()),
            named_weight=draw(POSITIVE),
            mention_weight=draw(POSITIVE),
            unnamed_share=draw(SHARES),
            mention_limit=draw(SHARES),
            length_weight=draw(POSITIVE),
            alike_weight=draw(POSITIVE),
            min_domain_closeness=draw(st.none() | SHARES),
            sure_domain_cosine=draw(st.none() | SHARES),
            min_domain_share=draw(SHARES),
            domain_chunks=draw(st.integers(1, 1_000)),
        ),
        rerank=RerankConfig(
            weights=Weights(relevance=draw(POSITIVE), deduplication=-draw(SHARES) + 0.0),
            mmr_lambda=draw(SHARES),
            top_k=draw(st.none() | st.integers(1, 99)),
            min_relevance=draw(SHARES),
            min_trust=draw(SHARES),
            freshness_half_life_days=draw(POSITIVE),
            max_age_days=draw(st.none() | POSITIVE),
            max_per_source=draw(st.none() | st.integers(1, 9)),
            dedup_threshold=draw(st.none() | SHARES),
        ),
        pack=PackConfig(strategy=draw(WORDS)),
        render=RenderConfig(
            format=draw(WORDS),
            order=draw(WORDS),
            evidence_preamble=draw(st.text(max_size=5)),
            show_dates=draw(st.booleans()),
        ),
        coverage=CoverageConfig(
            query_types=tuple(
                QueryTypeConfig(name=name, keywords=draw(LISTS), required_topics=draw(LISTS))
                for name in names
            ),
            default_query_type=draw(st.sampled_from(["default", *names])),
            full_strength=draw(SHARES),
            min_score=draw(SHARES),
        ),
        verify=VerifyConfig(max_source_share=draw(st.none() | SHARES)),
    )


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_profile(write(folder, "p.yaml", text))
    assert caught.value.hint
    return caught.value


@given(profiles())
def test_a_profile_survives_the_round_trip_through_plain_values(profile: Profile) -> None:
    data = profile_to_dict(profile)
    assert list(data) == sorted(data)
    assert profile_from_dict(data) == profile


@given(profiles())
def test_the_plain_values_are_json(profile: Profile) -> None:
    import json

    data = profile_to_dict(profile)
    assert profile_from_dict(json.loads(json.dumps(data))) == profile


def test_every_config_field_has_a_key() -> None:
    sections = ("request", "retrieval", "rerank", "pack", "render", "coverage", "verify")
    profile = Profile()
    for section in sections:
        held = {s.field for s in SETTINGS.values() if s.section == section}
        assert held == set(getattr(type(getattr(profile, section)), "__slots__", ()))


def test_an_empty_file_gives_the_defaults_under_its_own_name(tmp_path: Path) -> None:
    profile = load_profile(write(tmp_path, "quiet.yaml", ""))
    assert profile == Profile(name="quiet")


def test_all_settings_are_read(tmp_path: Path) -> None:
    write(tmp_path, "system.txt", "Be exact.\n\n")
    path = write(
        tmp_path,
        "full.yaml",
        """
name: full
as_of: 2026-01-31
model: gpt-4
system_prompt: {file: system.txt}
evidence_preamble: Cite.
output_reservation: 100
weights: {relevance: 1, deduplication: -0.2}
mmr_lambda: 1
top_k: auto
dedup_threshold: off
max_age_days: 365
query_types:
  tax: {keywords: [deduct], required_topics: [eligibility, limits]}
min_coverage_score: 0.5
""",
    )
    profile = load_profile(path)
    assert profile.name == "full"
    assert profile.as_of == "2026-01-31"
    assert profile.request.model == "gpt-4"
    assert profile.request.system_prompt == "Be exact.\n"
    assert profile.request.output_reservation == 100
    assert profile.render.evidence_preamble == "Cite."
    assert profile.rerank.weights == Weights(relevance=1.0, deduplication=-0.2)
    assert profile.rerank.mmr_lambda == 1.0
    assert profile.rerank.top_k is None
    assert profile.rerank.dedup_threshold is None
    assert profile.rerank.max_age_days == 365.0
    assert profile.coverage.min_score == 0.5
    assert profile.coverage.query_types == (
        QueryTypeConfig(
            name="tax", keywords=("deduct",), required_topics=("eligibility", "limits")
        ),
    )


def test_a_profile_extends_others_in_order_and_wins(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    write(tmp_path, "shared/a.yaml", "name: a\ntop_k: 3\nweights: {trust: 0.4, freshness: 0.3}\n")
    write(tmp_path, "shared/b.yaml", "top_k: 5\nquery_types: {t: {keywords: [x]}}\n")
    path = write(
        tmp_path,
        "own.yaml",
        "extends: [shared/a.yaml, shared/b.yaml]\nweights: {trust: 0.9}\n"
        "query_types: {t: {required_topics: [y]}}\n",
    )
    loaded = load_profile_with_sources(path)
    assert loaded.profile.name == "own"
    assert loaded.profile.rerank.top_k == 5
    assert loaded.profile.rerank.weights == Weights(trust=0.9, freshness=0.3)
    assert loaded.profile.coverage.query_types == (
        QueryTypeConfig(name="t", keywords=("x",), required_topics=("y",)),
    )
    assert loaded.sources["top_k"] == f"{tmp_path / 'shared' / 'b.yaml'} line 1"
    assert loaded.sources["weights.trust"] == f"{path} line 2"
    assert loaded.sources["weights.freshness"] == f"{tmp_path / 'shared' / 'a.yaml'} line 3"
    assert "weights.relevance" not in loaded.sources
    assert "min_trust" not in loaded.sources


def test_text_files_are_relative_to_the_profile_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    write(tmp_path, "shared/prompt.txt", "\ufeffFrom shared\n")
    write(tmp_path, "shared/base.yaml", "system_prompt: {file: prompt.txt}\n")
    profile = load_profile(write(tmp_path, "own.yaml", "extends: shared/base.yaml\n"))
    assert profile.request.system_prompt == "From shared"


def test_profiles_that_extend_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "b.yaml", "extends: p.yaml\n")
    assert "p.yaml -> b.yaml -> p.yaml" in refusal(tmp_path, "extends: b.yaml\n").message


def test_a_base_may_be_reached_twice(tmp_path: Path) -> None:
    write(tmp_path, "l0.yaml", "top_k: 7\n")
    for level in range(1, 40):
        base = f"l{level - 1}.yaml"
        write(tmp_path, f"l{level}.yaml", f"extends: [{base}, {base}]\n")
    assert load_profile(tmp_path / "l39.yaml").rerank.top_k == 7


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("mmr_lambda: '0.7'", "mmr_lambda is '0.7', ", "mmr_lambda takes a number from 0 to 1"),
        ("mmr_lambda: true", "mmr_lambda is True, ", "a number from 0 to 1"),
        ("mmr_lambda: .nan", "mmr_lambda is nan, ", "a number from 0 to 1"),
        ("mmr_lambda: 1.5", "mmr_lambda is 1.5, ", "a number from 0 to 1"),
        ("top_k: 0", "top_k is 0, ", "a whole number of 1 or more, or auto"),
        ("top_k: 2.0", "top_k is 2.0, ", "a whole number of 1 or more, or auto"),
        ("top_k: false", "top_k is False, ", "a whole number of 1 or more, or auto"),
        ("candidates: 1e1", "candidates is '1e1', ", "a whole number of 1 or more"),
        ("dedup_threshold: true", "dedup_threshold is True, ", "a number from 0 to 1, or off"),
        ("max_age_days: 0", "max_age_days is 0, ", "a number above 0, or null"),
        ("output_reservation: -1", "output_reservation is -1, ", "a whole number of 0 or more"),
        ("lexical_weight: -1", "lexical_weight is -1, ", "a number of 0 or more"),
        ("model: 4", "model is 4, ", "text (put it in quotes)"),
        ("model: ' '", "model is ' ', ", "text that is not blank"),
        ("model:", "model is None, ", "text"),
        ("as_of: soon", "as_of is 'soon', ", "an ISO date such as 2026-01-31"),
        ("as_of: 2026-02-30", "as_of is '2026-02-30', ", "an ISO date"),
        ("as_of: 20", "as_of is 20, ", "an ISO date"),
        ("weights: 3", "weights is 3, ", "a mapping"),
        ("weights: {trust: x}", "weights.trust is 'x', ", "weights.trust takes a number of 0"),
        ("query_types: []", "query_types is [], ", "a mapping"),
        ("query_types: {t: 3}", "query_types.t is 3, ", "a mapping"),
        ("query_types: {t: {keywords: no}}", "query_types.t.keywords is False, ", "a list"),
        ("query_types: {t: {keywords: [1]}}", "query_types.t.keywords is [1], ", "a list of texts"),
        ("extends: 3", "extends is 3, ", "Name other profile files"),
        ("extends: [a, 3]", "extends is ['a', 3], ", "Name other profile files"),
        ("system_prompt: {file: 3}", "system_prompt is {'file': 3}, ", "path of a text file"),
        ("system_prompt: {}", "system_prompt is {}, ", "path of a text file"),
        ("system_prompt: {file: none.txt}", "No system_prompt file at ", "Check the path"),
        ("extends: none.yaml", "No profile at ", "Check the path"),
    ],
)
def test_a_wrong_value_is_refused_with_its_path_and_what_is_expected(
    tmp_path: Path, text: str, message: str, hint: str
) -> None:
    error = refusal(tmp_path, text)
    assert message in error.message
    assert str(tmp_path) in error.message
    assert hint in error.hint


def test_a_long_wrong_value_is_shortened(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, f"weights: [{'x, ' * 100}]").message) < 200 + len(str(tmp_path))


def test_settings_that_contradict_each_other_are_refused_with_the_file(tmp_path: Path) -> None:
    error = refusal(tmp_path, "weights: {deduplication: 0.2}\n")
    assert error.message == f"weights.deduplication is 0.2, {tmp_path / 'p.yaml'}"
    assert "retrieval weights" in refusal(tmp_path, "lexical_weight: 0\ndense_weight: 0\n").message


def test_numbers_are_kept_to_six_decimals(tmp_path: Path) -> None:
    profile = load_profile(write(tmp_path, "p.yaml", "mmr_lambda: 0.12345678\n"))
    assert profile.rerank.mmr_lambda == 0.123457


def test_a_huge_number_is_refused(tmp_path: Path) -> None:
    assert "max_age_days" in refusal(tmp_path, f"max_age_days: {'9' * 400}\n").message


@pytest.mark.parametrize("data", [{"mmr_lamda": 1}, {"extends": "x"}, {"weights": {"x": 1}}])
def test_a_recorded_profile_with_unknown_keys_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(UnknownKeyError, match="recorded profile"):
        profile_from_dict(data)


def test_a_recorded_profile_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match="mmr_lambda is 'x', recorded profile"):
        profile_from_dict({"mmr_lambda": "x"})
    with pytest.raises(ConfigError, match="not a mapping"):
        profile_from_dict([])  # type: ignore[arg-type]  # what a damaged packet may hold


def test_two_query_types_of_one_name_are_refused() -> None:
    twice = (QueryTypeConfig(name="a"), QueryTypeConfig(name="a"))
    with pytest.raises(ConfigError, match="'a' is there twice"):
        CoverageConfig(query_types=twice)


def test_a_default_query_type_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    text = "default_query_type: refunds\nquery_types: {refund: {keywords: [refund]}}\n"
    with pytest.raises(ConfigError, match="refunds"):
        load_profile(write(tmp_path, "p.yaml", text))


def test_a_profile_is_named_by_text_as_well(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("", encoding="utf-8")
    assert load_profile(str(path)) == load_profile(path)

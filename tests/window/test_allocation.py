"""What a question's complexity gives it when evidence is packed."""

import json
from pathlib import Path
from typing import Any

import pytest

import packhorse
from packhorse.config import Profile, RequestConfig, RetrievalConfig
from packhorse.errors import BudgetError, ConfigError
from packhorse.evaluate.configuration import read_configurations
from packhorse.profiles.profile import profile_from_dict
from packhorse.window.allocation import ALLOCATIONS, adapted_to
from packhorse.window.complexity import LEVELS

KB = Path(__file__).parents[2] / "fixtures" / "tax_kb"
SIMPLE = "Can I deduct home office expenses?"
COMPLEX = "Which is older, the director of the film or the founder of the band?"


def adaptive(level: str | None = "auto", candidates: int = 100) -> Profile:
    return Profile(
        request=RequestConfig(adaptive=level), retrieval=RetrievalConfig(candidates=candidates)
    )


def test_every_level_has_its_allocation_and_a_higher_one_is_never_given_less() -> None:
    assert list(ALLOCATIONS) == list(LEVELS)
    shares = [each.evidence_percent for each in ALLOCATIONS.values()]
    outputs = [each.output_tokens for each in ALLOCATIONS.values()]
    assert shares == sorted(shares)
    assert shares[-1] == 100
    assert outputs == sorted(outputs)


@pytest.mark.parametrize(
    ("query", "level", "budget", "candidates"),
    [(SIMPLE, "simple", 501, 50), (COMPLEX, "complex", 1001, 100)],
)
def test_the_level_its_share_and_its_candidates_are_in_the_profile(
    query: str, level: str, budget: int, candidates: int
) -> None:
    profile, given = adapted_to(query, adaptive(), 1001)
    assert (profile.request.adaptive, given) == (level, budget)
    assert profile.retrieval.candidates == candidates


def test_a_level_that_is_said_decides_in_place_of_the_question() -> None:
    assert adapted_to(SIMPLE, adaptive("moderate"), 1001)[1] == 751


def test_candidates_are_never_raised() -> None:
    assert adapted_to(SIMPLE, adaptive(candidates=12), 100)[0].retrieval.candidates == 12


@pytest.mark.parametrize("budget", [None, 0, -5, True, "9"])
def test_what_is_no_budget_is_left_for_the_check_of_budgets(budget: Any) -> None:
    assert adapted_to(SIMPLE, adaptive(), budget)[1] is budget


def test_without_the_setting_nothing_changes() -> None:
    profile = adaptive(None)
    assert adapted_to(SIMPLE, profile, 1000) == (profile, 1000)
    assert adaptive(None) == Profile()


@pytest.mark.parametrize(
    ("said", "read"), [(True, "auto"), (False, None), ("off", None), ("complex", "complex")]
)
def test_a_file_says_yes_no_or_a_level(said: object, read: str | None) -> None:
    assert profile_from_dict({"adaptive": said}).request.adaptive == read


def test_another_word_is_refused() -> None:
    with pytest.raises(ConfigError, match="adaptive"):
        profile_from_dict({"adaptive": "very"})


def test_a_packet_is_within_the_share_and_is_made_again_byte_for_byte() -> None:
    with_all = packhorse.pack(SIMPLE, KB, budget=2800, as_of="2026-01-15")
    packet = packhorse.pack(SIMPLE, KB, budget=2800, as_of="2026-01-15", adaptive=True)
    document = json.loads(packet.to_json())
    assert with_all.budget.evidence_budget == 2800
    assert packet.budget.evidence_budget == 1400
    assert document["profile"]["adaptive"] == "simple"
    assert packet.replay(KB).same


def test_a_budget_that_is_none_is_refused_as_without_the_setting() -> None:
    with pytest.raises(BudgetError):
        packhorse.pack(SIMPLE, KB, budget=-1, adaptive=True)


def test_a_measurement_refuses_a_profile_that_changes_its_budgets(tmp_path: Path) -> None:
    path = tmp_path / "adaptive.yaml"
    path.write_text("adaptive: true\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="budgets of its own"):
        read_configurations([str(path)])

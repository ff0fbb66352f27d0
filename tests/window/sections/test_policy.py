"""Declarations over the default policy: what is left open stays as it was."""

from __future__ import annotations

from typing import Any

import pytest

from packhorse.errors import ConfigError
from packhorse.types.section import Section, amount_in
from packhorse.window.sections.policy import DEFAULT_SECTIONS, WITHOUT_EVIDENCE, section_policy


def test_the_default_order_is_instructions_turns_evidence_memory() -> None:
    order = ["instructions", "history", "evidence", "memory"]
    priorities = [DEFAULT_SECTIONS[name].priority or 0 for name in order]
    assert priorities == sorted(priorities)
    assert len(set(priorities)) == len(order)


def test_a_declaration_changes_what_it_names() -> None:
    policy = section_policy([Section(name="memory", floor="10%", priority=1)])
    assert policy["memory"].cap == DEFAULT_SECTIONS["memory"].cap
    demand = policy.demand("memory", 3_000, asked=900)
    assert (demand.floor, demand.cap, demand.priority) == (300, 2_000, 1)
    assert policy["history"] == DEFAULT_SECTIONS["history"]


def test_later_layers_go_over_earlier_ones() -> None:
    policy = section_policy(WITHOUT_EVIDENCE, [Section(name="memory", floor=0)])
    assert policy["memory"].floor == 0
    assert policy["history"].cap == "100%"


def test_a_section_of_ones_own_has_a_text_and_is_never_cut_by_itself() -> None:
    policy = section_policy([Section(name="glossary", text="A term.\n\nAnother.")])
    assert [each.name for each in policy.own] == ["glossary"]
    assert policy.demand("glossary", 100, asked=40).needs == 40
    whole = section_policy([Section(name="glossary", text="A.", rule="whole")])
    assert whole.demand("glossary", 100, asked=40).needs == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "Glossary", "text": "A."},
        {"name": "note", "text": "A."},
        {"name": "glossary"},
        {"name": "glossary", "text": " "},
        {"name": "memory", "text": "A."},
        {"name": "memory", "rule": "window"},
        {"name": "evidence", "rule": "never"},
        {"name": "memory", "floor": -1},
        {"name": "memory", "floor": True},
        {"name": "memory", "cap": "101%"},
        {"name": "memory", "cap": "many"},
        {"name": "memory", "cap": 0.5},
        {"name": "memory", "growth": -1},
        {"name": "memory", "growth": 1001},
        {"name": "memory", "priority": 1.5},
    ],
)
def test_what_cannot_be_used_is_refused_with_a_hint(fields: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        Section(**fields)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("amount", "tokens"), [(0, 0), (7, 7), ("0%", 0), ("12.5%", 124), ("100 %", 999)]
)
def test_shares_are_rounded_down(amount: int | str, tokens: int) -> None:
    assert amount_in(amount, 999) == tokens

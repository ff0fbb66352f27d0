"""A calibration knows what it was made of, and which rules it belongs to."""

from dataclasses import replace

import pytest

from packhorse.tokens.calibration import Calibration, Parts, Seen, rules_of, without_calibration
from packhorse.tokens.models.table import model_spec

SPEC = model_spec("gpt-4o")
ONE = Calibration(
    per_request=2,
    per_message=1,
    without_system=5,
    with_tools=9,
    per_tool=4,
    per_call=3,
    samples=30,
    explained=1.0,
    spread=(0, 0),
    seen=Seen(messages=(1, 4), tools=(0, 2), tokens=(10, 90)),
)


def test_a_request_is_the_sum_of_its_parts() -> None:
    assert ONE.request_tokens(0, system=True) == 2
    assert ONE.request_tokens(2, system=True) == 2 + 9 + 8
    assert ONE.request_tokens(2, system=False) == 2 + 5 + 9 + 8
    assert ONE.message_tokens(4, 2) == 1 + 6


def test_a_message_never_costs_less_than_its_content() -> None:
    lower = replace(ONE, per_message=-9)
    assert lower.message_tokens(4, 0) == -4


@pytest.mark.parametrize(
    ("parts", "outside"),
    [
        (Parts(messages=4, tools=2, tokens=50), ()),
        (Parts(messages=5, tokens=50), ("5 messages, seen 1 to 4",)),
        (
            Parts(messages=1, tools=3, calls=1, tokens=5),
            ("3 tools, seen 0 to 2", "1 tool call, seen 0"),
        ),
        (Parts(messages=1, images=1, tokens=5), ("1 image, seen 0",)),
        (Parts(messages=1, tokens=100_000), ()),
    ],
)
def test_what_was_never_logged_is_named(parts: Parts, outside: tuple[str, ...]) -> None:
    assert ONE.outside(parts) == outside


def test_length_matters_to_an_estimate_and_only_upward() -> None:
    estimate = replace(ONE, margin=0.2)
    assert estimate.outside(Parts(messages=1, tokens=91)) == ("91 tokens, seen 0 to 90",)
    assert estimate.outside(Parts(messages=1, tokens=1)) == ()


def test_another_script_matters_to_an_estimate() -> None:
    estimate = replace(ONE, margin=0.2)
    assert estimate.outside(Parts(messages=1, tokens=20, wide=5)) == ()
    assert estimate.outside(Parts(messages=1, tokens=20, wide=80)) == (
        "80 per cent of text outside ASCII, seen 0 to 5",
    )
    assert ONE.outside(Parts(messages=1, tokens=20, wide=80)) == ()


def test_the_fingerprint_changes_with_every_rule_and_with_nothing_else() -> None:
    same = [
        replace(SPEC, margin=0.5),
        replace(SPEC, window=1, as_of="2026-01-01", source="elsewhere"),
        replace(SPEC, framing=replace(SPEC.framing, source="x", published=False)),
        replace(SPEC, calibration=ONE),
    ]
    other = [
        replace(SPEC, framing=replace(SPEC.framing, per_message=4)),
        replace(SPEC, tools=replace(SPEC.tools, per_tool=1)),
        replace(SPEC, images=None),
        replace(SPEC, tokenizer="cl100k_base"),
        replace(SPEC, exact=False),
        replace(SPEC, template="/a/chat.jinja"),
    ]
    assert {rules_of(spec) for spec in same} == {rules_of(SPEC)}
    assert rules_of(SPEC) not in {rules_of(spec) for spec in other}
    assert len({rules_of(spec) for spec in other}) == len(other)


def test_files_are_known_by_their_names_wherever_they_lie() -> None:
    paths = ["/srv/a/tokenizer.json", "/srv/models/tokenizer.json"]
    assert len({rules_of(replace(SPEC, tokenizer=path)) for path in paths}) == 1


def test_a_calibration_comes_off_with_its_margin() -> None:
    estimate = replace(model_spec("claude-sonnet-4-5"), calibration=None)
    calibrated = replace(
        estimate, margin=0.2, calibration=replace(ONE, margin=0.2, margin_before=estimate.margin)
    )
    assert without_calibration(calibrated) == estimate
    assert without_calibration(SPEC) is SPEC

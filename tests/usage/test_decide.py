"""A correction is made of enough requests that follow a rule, and of nothing less."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.calibration import Calibration, Parts
from packhorse.tokens.models.table import model_spec
from packhorse.usage.decide import MIN_LOWERING, MIN_SAMPLES, Decision, decide
from packhorse.usage.fit import Correction, fit_exact, needed_margin, simplest_group
from packhorse.usage.sample import Sample
from tests.promises import promised
from tests.usage.hidden import estimated_sample, sample

EXACT = model_spec("gpt-4o")
ESTIMATE = model_spec("claude-sonnet-4-5")


def parts_of(drawn: bytes) -> Parts:
    """A request of six bytes: one draw each, where one a field took most of the time."""
    return Parts(
        messages=1 + drawn[0] % 8,
        system=(1, 1, 1, 0, 2)[drawn[1] % 5],
        tools=(0, 0, 0, 1, 2, 3)[drawn[2] % 6],
        calls=(0, 0, 0, 1, 2)[drawn[3] % 5],
        tokens=10 + int.from_bytes(drawn[4:]) % 4_991,
    )


PARTS = st.binary(min_size=6, max_size=6).map(parts_of)
RULES = st.builds(
    Correction,
    per_request=st.integers(0, 120),
    per_message=st.integers(0, 9),
    without_system=st.integers(0, 40),
    with_tools=st.integers(0, 300),
    per_tool=st.integers(0, 30),
    per_call=st.integers(0, 12),
)


def made_of(
    *, messages: int, tokens: int, system: int = 1, tools: int = 0, calls: int = 0
) -> Parts:
    """A request with instructions, unless it is said otherwise."""
    return Parts(messages=messages, system=system, tools=tools, calls=calls, tokens=tokens)


ANCHORS = [
    *(made_of(messages=n, tokens=50) for n in (1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)),
    *(made_of(messages=2, tools=n, tokens=90) for n in (1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)),
    *(made_of(messages=4, calls=n, tokens=90) for n in (1, 1, 1, 1, 2, 2, 2, 2)),
    *(made_of(messages=4, tools=1, calls=n, tokens=90) for n in (1, 1, 1, 2, 2, 2)),
    *(made_of(messages=n, system=0, tokens=40) for n in (1, 1, 1, 2, 2, 2)),
    *(made_of(messages=3, system=2, tokens=40) for _ in range(3)),
]


def framing(calibration: Calibration, parts: Parts) -> int:
    """The correction of a request as it is applied, message by message."""
    messages = parts.messages * calibration.per_message + parts.calls * calibration.per_call
    return messages + calibration.request_tokens(parts.tools, system=parts.system > 0)


def kept(decision: Decision) -> Calibration:
    assert decision.refusal == ""
    assert decision.calibration is not None
    return decision.calibration


def plain(n: int, *, differences: tuple[int, ...] = (3,)) -> list[Sample]:
    return [
        sample(
            Correction(per_request=differences[key % len(differences)]),
            made_of(messages=1 + key % 3, tokens=20 + key),
            key,
        )
        for key in range(n)
    ]


@promised
@given(RULES, st.lists(PARTS, max_size=20), st.lists(PARTS, min_size=1, max_size=10))
def test_a_hidden_rule_is_recovered_and_right_for_requests_it_never_saw(
    rule: Correction, logged: list[Parts], later: list[Parts]
) -> None:
    samples = [sample(rule, parts, key) for key, parts in enumerate([*ANCHORS, *logged])]
    calibration = kept(decide(samples, EXACT))
    assert calibration.spread == (0, 0)
    assert (calibration.explained, calibration.under) == (1.0, 0.0)
    for parts in later:
        if not calibration.outside(parts):
            assert framing(calibration, parts) == rule.framing(parts)


@given(
    RULES,
    st.lists(st.tuples(st.integers(0, 39), st.integers(-400, -3)), max_size=1),
    st.randoms(use_true_random=False),
)
def test_strays_below_the_rule_and_the_order_of_lines_change_nothing(
    rule: Correction, strays: list[tuple[int, int]], order: random.Random
) -> None:
    rows = [*ANCHORS, *ANCHORS]
    samples = [sample(rule, parts, key) for key, parts in enumerate(rows)]
    clean = kept(decide(samples, EXACT))
    off = dict(strays)
    mixed = [
        sample(
            rule,
            parts,
            key,
            stray=off.get(key, 0) if parts.system and not parts.tools and not parts.calls else 0,
        )
        for key, parts in enumerate(rows)
    ]
    order.shuffle(mixed)
    found = kept(decide(mixed, EXACT))
    for parts in ANCHORS:
        assert framing(found, parts) == framing(clean, parts)
    assert found.under == 0.0
    assert found == kept(decide(sorted(mixed, key=lambda each: each.key), EXACT))


@given(st.lists(st.sampled_from([0, 1, 2]), min_size=20, max_size=80))
def test_small_noise_is_covered_by_the_constant(noise: list[int]) -> None:
    samples = [
        sample(Correction(per_request=5), made_of(messages=2, tokens=30), key, stray=extra)
        for key, extra in enumerate(noise)
    ]
    calibration = kept(decide(samples, EXACT))
    assert calibration.under == 0.0
    assert calibration.spread[1] <= 0
    assert calibration.per_request == 5 + max(noise)


def test_too_few_requests_are_refused_with_both_numbers() -> None:
    assert kept(decide(plain(MIN_SAMPLES), EXACT)).samples == MIN_SAMPLES
    refusal = decide(plain(MIN_SAMPLES - 1), EXACT).refusal
    assert f"{MIN_SAMPLES - 1}, and a correction takes {MIN_SAMPLES}" in refusal


def test_requests_far_above_the_rule_are_named_and_can_be_accepted() -> None:
    samples = plain(100)
    samples[40] = replace(samples[40], reported=samples[40].reported + 500)
    refusal = decide(samples, EXACT).refusal
    assert "1 request of 100 took up to 500 tokens more" in refusal
    assert "(line 41)" in refusal
    assert "--cover 0.99" in refusal
    accepted = kept(decide(samples, EXACT, cover=0.99))
    assert (accepted.under, accepted.spread) == (0.01, (0, 500))
    assert accepted.per_request == 3


def test_differences_without_a_rule_are_refused_with_lines() -> None:
    chance = random.Random(1)  # noqa: S311 - makes test data
    samples = [replace(each, reported=each.reported + chance.randint(0, 900)) for each in plain(60)]
    refusal = decide(samples, EXACT).refusal
    assert "follow no rule" in refusal
    assert "lines 1, 2, 3, ..." in refusal


def test_differences_that_grow_with_the_text_point_to_the_tokenizer() -> None:
    samples = [
        replace(each, parts=replace(each.parts, tokens=each.key * 50), reported=each.key * 60)
        for each in plain(60)
    ]
    samples = [replace(each, counted=each.parts.tokens) for each in samples]
    assert "the tokenizer may not be the model's own" in decide(samples, EXACT).refusal


def test_two_formats_with_two_rules_are_told_apart() -> None:
    chat = plain(30)
    responses = [
        replace(each, key=each.key + 100, form="openai-responses", reported=each.reported + 40)
        for each in plain(30)
    ]
    refusal = decide([*chat, *responses], EXACT).refusal
    assert "openai-chat and openai-responses differ: calibrate one --format at a time" in refusal


def test_kinds_with_few_requests_are_not_covered_and_said_to_be_outside() -> None:
    samples = plain(30)
    samples += [
        sample(
            Correction(per_request=3, with_tools=9), made_of(messages=1, tools=1, tokens=40), key
        )
        for key in range(100, 103)
    ]
    decision = decide(samples, EXACT)
    calibration = kept(decision)
    assert decision.notes == ("Requests with tools are not covered: only 3 requests",)
    assert (calibration.with_tools, calibration.seen.tools) == (0, (0, 0))
    assert calibration.outside(made_of(messages=1, tools=1, tokens=40)) == ("1 tool, seen 0",)


def test_requests_without_instructions_may_cost_more() -> None:
    rule = Correction(per_request=3, without_system=18)
    samples = [
        sample(rule, made_of(messages=1 + key % 3, system=key % 2, tokens=30), key)
        for key in range(40)
    ]
    calibration = kept(decide(samples, EXACT))
    assert (calibration.per_request, calibration.without_system) == (3, 18)
    assert calibration.seen.system == (0, 1)


def test_instructions_in_every_logged_request_say_nothing_of_a_request_without() -> None:
    calibration = kept(decide(plain(30), EXACT))
    assert calibration.without_system == 0
    assert calibration.outside(made_of(messages=1, system=0, tokens=20)) == (
        "0 system messages, seen 1",
    )


def test_few_requests_of_kinds_that_are_known_apart_are_covered_when_the_rule_gives_them() -> None:
    rule = Correction(per_request=3, with_tools=20, per_call=4)
    rows = [made_of(messages=2, tools=0, tokens=30)] * 10
    rows += [made_of(messages=2, tools=1, tokens=30)] * 6
    rows += [made_of(messages=2, calls=1, tokens=30)] * 6
    rows += [made_of(messages=2, tools=1, calls=1, tokens=30)]
    samples = [sample(rule, parts, key) for key, parts in enumerate(rows)]
    assert decide(samples, EXACT).notes == ()
    samples[-1] = replace(samples[-1], reported=samples[-1].reported + 50)
    assert decide(samples, EXACT).notes == (
        "Requests with tools and tool calls are not covered: only 1 request",
    )


def test_tools_without_a_rule_leave_plain_requests_corrected() -> None:
    chance = random.Random(3)  # noqa: S311 - makes test data
    samples = plain(40)
    samples += [
        sample(
            Correction(per_request=3),
            made_of(messages=1, tools=1, tokens=40),
            key,
            stray=chance.randint(0, 300),
        )
        for key in range(100, 120)
    ]
    decision = decide(samples, EXACT)
    assert kept(decision).per_request == 3
    assert "follow a rule" in decision.notes[0]


def test_a_log_of_requests_with_tools_alone_is_corrected_for_those_alone() -> None:
    rule = Correction(per_request=4, with_tools=20, per_tool=6)
    samples = [
        sample(rule, made_of(messages=1 + key % 3, tools=1 + key % 4, tokens=60), key)
        for key in range(40)
    ]
    calibration = kept(decide(samples, EXACT))
    assert framing(calibration, made_of(messages=2, tools=3, tokens=60)) == 4 + 20 + 18
    assert calibration.outside(made_of(messages=2, tokens=60)) == ("0 tools, seen 1 to 4",)


def test_lower_counts_take_many_requests_without_exception() -> None:
    few = decide(plain(MIN_LOWERING - 1, differences=(-3,)), EXACT)
    assert f"that takes {MIN_LOWERING} different requests" in few.refusal
    many = plain(MIN_LOWERING, differences=(-3,))
    assert kept(decide(many, EXACT)).per_request == -3
    many[5] = replace(many[5], reported=many[5].reported - 1)
    assert "not every request agrees" in decide(many, EXACT).refusal


def test_evidence_and_ranges_are_told() -> None:
    samples = [replace(each, days=("2026-10-03", "2026-10-05")) for each in plain(20)]
    samples[7] = replace(samples[7], days=("2026-09-30", "2026-09-30"))
    calibration = kept(decide(samples, EXACT))
    assert (calibration.first, calibration.last) == ("2026-09-30", "2026-10-05")
    assert calibration.seen.messages == (1, 3)
    assert calibration.seen.tokens == (20, 39)
    assert calibration.held_out == 4
    assert calibration.held_out_explained == 1.0


def ratios(n: int, low: float, high: float, *, seed: int = 5) -> list[Sample]:
    """Requests of an estimate that take `low` to `high` times the base vocabulary's tokens."""
    chance = random.Random(seed)  # noqa: S311 - makes test data
    found = []
    for key in range(n):
        text = chance.randint(300, 4000)
        reported = int(text * chance.uniform(low, high)) + 8
        found.append(estimated_sample(key, text=text, fixed=8, reported=reported))
    return found


@given(st.floats(0.8, 1.5), st.floats(0.0, 0.4), st.integers(30, 150), st.integers(0, 1000))
def test_an_estimate_is_never_under_what_was_reported(
    low: float, width: float, n: int, seed: int
) -> None:
    samples = ratios(n, low, low + width, seed=seed)
    decision = decide(samples, ESTIMATE)
    calibration = kept(decision)
    assert calibration.margin is not None
    assert calibration.under == 0.0
    margin = round(calibration.margin * 100)
    assert all(
        each.by_margin[margin] + calibration.per_request + calibration.per_message >= each.reported
        for each in samples
    )
    assert margin <= max(35, max(map(needed_margin, samples)) + 2)


def test_an_estimate_that_was_too_low_is_raised_at_once() -> None:
    calibration = kept(decide(ratios(30, 1.45, 1.5), ESTIMATE))
    assert calibration.margin_before == 0.35
    assert calibration.margin is not None
    assert 0.47 <= calibration.margin <= 0.52


def test_an_estimate_is_lowered_on_strong_evidence_alone() -> None:
    few = decide(ratios(60, 1.1, 1.2), ESTIMATE)
    assert kept(few).margin == 0.35
    assert "takes 100 different requests" in few.remark
    many = decide(ratios(200, 1.1, 1.2), ESTIMATE)
    margin = kept(many).margin
    assert margin is not None
    assert 0.20 <= margin <= 0.23
    assert kept(many).held_out_under == 0.0
    assert many.remark == ""


def test_an_estimate_of_short_requests_keeps_its_margin_and_raises_constants() -> None:
    samples = [estimated_sample(key, text=20, fixed=8, reported=27 + 8 + 15) for key in range(40)]
    calibration = kept(decide(samples, ESTIMATE))
    assert calibration.margin == 0.35
    assert calibration.per_request + calibration.per_message == 15


def test_an_estimate_beyond_twice_the_vocabulary_is_refused() -> None:
    refusal = decide(ratios(60, 2.5, 3.0), ESTIMATE).refusal
    assert "another tokenizer would be nearer" in refusal


def test_an_estimate_takes_more_requests_than_an_exact_count() -> None:
    assert "a correction takes 30" in decide(ratios(20, 1.0, 1.1), ESTIMATE).refusal


def test_no_samples_at_all_are_too_few() -> None:
    assert "Too few different requests: 0" in decide([], EXACT).refusal
    assert fit_exact([]) == Correction()


@pytest.mark.parametrize("cover", [1.0, 0.9])
def test_a_covered_share_is_kept(cover: float) -> None:
    samples = ratios(200, 0.9, 1.3)
    calibration = kept(decide(samples, ESTIMATE, cover=cover))
    assert calibration.under <= round(1.0 - cover, 6)


def test_an_estimate_is_not_lowered_when_held_out_requests_would_be_too_low() -> None:
    samples = ratios(200, 1.0, 1.02)
    # The one request that needs far more is among those held out, by the smallest hash.
    samples[0] = replace(samples[0], reported=int(samples[0].text * 1.3) + 8)
    decision = decide(samples, ESTIMATE)
    assert kept(decision).margin == 0.35
    assert "held out would be too low" in decision.remark


def with_parts(each: Sample, extra: int = 0, **parts: int) -> Sample:
    """The same estimate with tools, calls or images, and so many tokens reported besides."""
    return replace(each, parts=replace(each.parts, **parts), reported=each.by_margin[35] + extra)


def test_an_estimate_covers_tools_calls_and_missing_instructions() -> None:
    base = ratios(100, 1.3, 1.35)
    samples = base[:40]
    samples += [with_parts(each, 30 + 5, tools=1) for each in base[40:50]]
    samples += [with_parts(each, 30 + 15, tools=3) for each in base[50:60]]
    samples += [with_parts(each, 14, calls=2) for each in base[60:70]]
    samples += [with_parts(each, 11, system=0) for each in base[70:80]]
    calibration = kept(decide(samples, ESTIMATE))
    # The margin that the long requests need takes a part; nothing may be left too low.
    assert calibration.under == 0.0
    assert calibration.margin is not None
    short = [replace(each, text=20) for each in samples]
    calibration = kept(decide(short, ESTIMATE))
    assert calibration.margin == 0.35
    assert (calibration.with_tools, calibration.per_tool) == (30, 5)
    assert (calibration.per_call, calibration.without_system) == (7, 11)


def test_an_estimate_of_requests_with_few_tools_says_that_they_are_not_covered() -> None:
    base = ratios(60, 1.2, 1.3)
    samples = [*base[:57], *(with_parts(each, tools=1) for each in base[57:])]
    decision = decide(samples, ESTIMATE)
    assert decision.notes == ("Requests with tools are not covered: only 3 requests",)
    assert kept(decision).seen.tools == (0, 0)


def test_images_that_take_more_than_their_rule_do_not_spoil_the_rest() -> None:
    base = ratios(60, 1.2, 1.3)
    samples = [*base[:50], *(with_parts(each, 900, images=1) for each in base[50:])]
    decision = decide(samples, ESTIMATE)
    assert decision.notes == ("Requests with images are not covered: some took more than we count",)
    assert kept(decision).seen.images == (0, 0)
    assert kept(decision).under == 0.0


def test_requests_of_many_kinds_and_few_of_each_are_judged_by_the_largest_kind() -> None:
    rows = [made_of(messages=1, tokens=20)] * 4 + [made_of(messages=1, tools=1, tokens=20)] * 3
    rows += [made_of(messages=1, calls=1, tokens=20)] * 3
    samples = [sample(Correction(per_request=2), parts, key) for key, parts in enumerate(rows)]
    assert simplest_group(samples) == ()
    assert "Too few different requests: 4" in decide(samples, EXACT).refusal

"""From a log to a correction, by the code that later counts with it."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from packhorse.errors import InputError, UnknownModelError
from packhorse.tokens.models.table import built_in_models, load_models
from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.count import count_request
from packhorse.usage.calibrate import ModelResult, Options, UsageResult, calibrate
from packhorse.usage.counting import SampleCounter
from packhorse.usage.fit import Correction
from packhorse.usage.log import LogReport, read_log
from packhorse.usage.overlay import overlay_text, write_overlay
from packhorse.usage.rows import usage_document
from tests.usage.hidden import Provider, write_log

RULE = Correction(per_request=2, per_message=1, with_tools=9, per_tool=4)


def run(path: Path, **options: Any) -> UsageResult:
    return calibrate([path], built_in_models(), Options(**options))


def only(result: UsageResult) -> ModelResult:
    (model,) = result.models
    return model


def overlay(result: UsageResult) -> str:
    return overlay_text(
        {each.spec.name: each.calibration for each in result.models if each.calibration}
    )


@pytest.mark.parametrize(
    ("model", "rule"),
    [
        ("gpt-4o", RULE),
        ("gpt-4", RULE),
        ("gpt-4o", Correction()),
        ("gpt-4o", Correction(per_message=7)),
    ],
)
def test_counts_equal_what_is_reported_for_requests_that_were_never_logged(
    tmp_path: Path, model: str, rule: Correction
) -> None:
    provider = Provider(model, rule=rule)
    log = write_log(tmp_path / "log.jsonl", provider.lines(60))
    result = run(log)
    path = tmp_path / "calibration.yaml"
    assert only(result).calibration is not None
    write_overlay({model: only(result).calibration}, path)  # type: ignore[dict-item]  # not None
    spec = load_models(path).spec(model)
    for _ in range(40):
        body = provider.body()
        counted = count_request(body, spec, counter_of(spec))
        assert counted.total_tokens == provider.tokens(body)
        assert counted.total_tokens == sum(counted.lines.values())
        assert counted.is_calibrated


def test_an_estimate_is_never_under_and_much_nearer(tmp_path: Path) -> None:
    provider = Provider("claude-sonnet-4-5", factor=0.85, longest=900)
    result = run(write_log(tmp_path / "log.jsonl", provider.lines(150)))
    model = only(result)
    assert model.calibration is not None
    assert model.calibration.margin is not None
    assert model.calibration.margin < model.spec.margin
    assert model.after.n_under == 0
    before = model.before["anthropic-messages"]["all"]
    assert abs(model.after.mean) < abs(before.mean) / 2


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gemini-2.5-pro"])
def test_the_count_of_every_margin_is_what_that_margin_counts(tmp_path: Path, model: str) -> None:
    lines = Provider(model, longest=200).lines(4)
    odd = "1234567 8901\n\u0e20\u0e32\u0e29\u0e35\u0e40\u0e07\u0e34\u0e19\n"
    odd += "=" * 90 + "\n\u7a0e\u52d9\u7f72 caf\u00e9 vi\u1ec7c l\u00e0m\n" * 7
    lines[0]["request"]["messages"][0]["content"] = odd
    log = write_log(tmp_path / "l.jsonl", lines)
    spec = built_in_models().spec(model)
    counter = SampleCounter(spec)
    for logged in read_log([log], report=LogReport()):
        sample = counter.sample(logged, 0)
        assert sample.by_margin[round(spec.margin * 100)] == sample.counted
        for margin in (0, 1, 33, 71, 100):
            other = replace(spec, margin=margin / 100)
            counted = count_request(logged.body, other, counter_of(other))
            assert sample.by_margin[margin] == counted.total_tokens


def test_lines_in_another_order_and_retries_give_the_same_bytes(tmp_path: Path) -> None:
    lines = Provider("gpt-4o", rule=RULE).lines(50)
    lines += Provider("claude-sonnet-4-5", factor=0.9, longest=500).lines(40)
    first = overlay(run(write_log(tmp_path / "a.jsonl", lines)))
    shuffled = lines + lines[:30]
    random.Random(3).shuffle(shuffled)  # noqa: S311 - shuffles test data
    assert overlay(run(write_log(tmp_path / "b.jsonl", shuffled))) == first
    assert first.count("samples:") == 2


def test_a_big_log_is_sampled_the_same_in_every_order(tmp_path: Path) -> None:
    lines = Provider("gpt-4o", rule=RULE).lines(80)
    first = run(write_log(tmp_path / "a.jsonl", lines), max_samples=40)
    assert only(first).n_dropped > 0
    again = run(write_log(tmp_path / "b.jsonl", lines[::-1]), max_samples=40)
    assert overlay(first) == overlay(again)
    assert only(first).calibration is not None
    assert only(first).calibration.samples == 40  # type: ignore[union-attr]  # as above
    assert only(first).after.n == 80


def test_what_the_sample_missed_is_found_in_the_second_reading(tmp_path: Path) -> None:
    lines = Provider("gpt-4o", rule=RULE, with_tools=0.0).lines(60)
    plain = run(write_log(tmp_path / "a.jsonl", lines), max_samples=20)
    assert only(plain).calibration is not None
    # A stray that the sample does not hold: every key that is not among the smallest will do.
    for stray in range(len(lines)):
        changed = json.loads(json.dumps(lines))
        changed[stray]["response"]["usage"]["prompt_tokens"] += 700
        result = run(write_log(tmp_path / "b.jsonl", changed), max_samples=20)
        refusal = only(result).decision.refusal  # type: ignore[union-attr]  # always decided
        if "would still be counted up to 700 tokens too low" in refusal:
            break
        assert "took up to 700 tokens more" in refusal
    else:
        pytest.fail("no stray outside of the sample")


def test_differences_are_summed_by_form_and_kind(tmp_path: Path) -> None:
    image = {
        "type": "image_url",
        "image_url": {"url": "https://example.com/a.png", "detail": "low"},
    }
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": [image]}]}
    lines = [*Provider("gpt-4o").lines(30), {"request": body, "usage": {"prompt_tokens": 100}}]
    kinds = only(run(write_log(tmp_path / "l.jsonl", lines))).before["openai-chat"]
    assert kinds["all"].n == 31
    assert kinds["plain"].n + kinds["with tools"].n == 30
    assert kinds["with images"].n == 1
    assert kinds["plain"].exact == 1.0
    assert kinds["all"].worst[0].line == 31


def test_unknown_models_are_named_and_do_not_stop_the_others(tmp_path: Path) -> None:
    lines = Provider("gpt-4o").lines(20)
    odd = [
        {**line, "request": {**line["request"], "model": name}}
        for line, name in zip(lines, ["acme-7b", "acme-7b", "\x1b[31m" + "x" * 900], strict=False)
    ]
    result = run(write_log(tmp_path / "l.jsonl", [*lines, *odd]))
    assert result.unknown["acme-7b"] == 2
    assert sum(result.unknown.values()) == 3
    assert all(name.isprintable() and len(name) < 210 for name in result.unknown)
    assert only(result).spec.name == "gpt-4o"


def test_a_log_of_unknown_models_alone_is_an_error_that_names_them(tmp_path: Path) -> None:
    line = {"request": {"messages": [], "model": "acme-7b"}, "usage": {"prompt_tokens": 4}}
    with pytest.raises(InputError, match="acme-7b") as caught:
        run(write_log(tmp_path / "l.jsonl", [line]))
    assert "--model" in caught.value.hint


def test_the_model_can_be_given_for_every_line(tmp_path: Path) -> None:
    lines = Provider("gpt-4o", rule=RULE).lines(30)
    for line in lines:
        line["request"]["model"] = "our-deployment"
    result = run(write_log(tmp_path / "l.jsonl", lines), model="gpt-4o")
    assert only(result).calibration is not None
    with pytest.raises(UnknownModelError):
        run(write_log(tmp_path / "l.jsonl", lines), model="gpt-99")


def test_one_format_can_be_looked_at_alone(tmp_path: Path) -> None:
    lines = Provider("gpt-4o", rule=RULE).lines(30)
    lines += [
        {
            "request": {"model": "gpt-4o", "input": f"question {number}"},
            "usage": {"input_tokens": 90 + number, "input_tokens_details": {"cached_tokens": 0}},
        }
        for number in range(20)
    ]
    log = write_log(tmp_path / "l.jsonl", lines)
    assert set(only(run(log)).before) == {"openai-chat", "openai-responses"}
    result = run(log, form="openai-chat")
    assert result.n_other_forms == 20
    assert only(result).calibration is not None


def test_a_request_that_cannot_be_counted_is_a_bad_line(tmp_path: Path) -> None:
    secret = "a very private sentence about somebody that must not be shown"
    block = {"type": "hologram", "text": secret}
    bad = {
        "request": {"model": "gpt-4o", "messages": [{"role": "user", "content": [block]}]},
        "usage": {"prompt_tokens": 4},
    }
    log = write_log(tmp_path / "l.jsonl", [*Provider("gpt-4o").lines(20), bad])
    with pytest.raises(InputError, match="line 21") as caught:
        run(log)
    assert secret not in caught.value.message
    result = run(log, skip_bad_lines=True)
    assert result.log.n_bad == 1
    assert "hologram" in result.log.bad_lines[0].reason
    assert only(result).calibration is not None


def test_nothing_of_the_texts_is_in_the_document_or_the_file(tmp_path: Path) -> None:
    lines = Provider("gpt-4o", rule=RULE).lines(30)
    for number, line in enumerate(lines):
        line["request"]["messages"][0]["content"] = f"zebra-{number} xylophone"
    tokens = Provider("gpt-4o", rule=RULE)
    for line in lines:
        line["response"]["usage"]["prompt_tokens"] = tokens.tokens(line["request"])
    result = run(write_log(tmp_path / "l.jsonl", lines))
    shown = json.dumps(usage_document(result)) + overlay(result)
    assert "samples" in overlay(result)
    for word in ("zebra", "xylophone", "look_up", "Looks up"):
        assert word not in shown


def test_a_log_without_any_usage_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No request with a reported usage"):
        run(write_log(tmp_path / "l.jsonl", [Provider("gpt-4o").body()]))
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(InputError, match="No request with a reported usage"):
        run(tmp_path / "empty.jsonl")


def test_a_calibrated_model_is_calibrated_anew_from_the_start(tmp_path: Path) -> None:
    for name, model in (("a", "gpt-4o"), ("b", "claude-sonnet-4-5")):
        provider = Provider(model, rule=RULE, factor=1.0 if name == "a" else 0.85, longest=400)
        log = write_log(tmp_path / f"{name}.jsonl", provider.lines(120))
        first = run(log)
        path = tmp_path / f"{name}.yaml"
        path.write_text(overlay(first), encoding="utf-8")
        again = calibrate([log], load_models(path))
        assert overlay(again) == overlay(first)


def test_several_files_are_one_log(tmp_path: Path) -> None:
    lines = Provider("gpt-4o", rule=RULE).lines(40)
    whole = run(write_log(tmp_path / "all.jsonl", lines))
    parts = [
        write_log(tmp_path / "1.jsonl", lines[:15]),
        write_log(tmp_path / "2.jsonl", lines[15:]),
    ]
    assert overlay(calibrate(parts, built_in_models())) == overlay(whole)


@pytest.mark.parametrize("depth", [50, 400, 900, 100_000])
def test_deep_nesting_is_counted_or_a_bad_line(tmp_path: Path, depth: int) -> None:
    log = write_log(tmp_path / "l.jsonl", Provider("gpt-4o", rule=RULE).lines(20))
    deep = '{"a":' * depth + "{}" + "}" * depth
    tools = f'[{{"type": "function", "function": {{"name": "f", "parameters": {deep}}}}}]'
    with log.open("a", encoding="utf-8") as file:
        file.write(f'{{"request": {{"model": "gpt-4o", "messages": [], "tools": {tools}}}, ')
        file.write('"usage": {"prompt_tokens": 5}}\n')
    result = run(log, skip_bad_lines=True)
    assert result.n_counted + result.log.n_bad == 21
    # Between these two it depends on how much of the stack is in use.
    assert {50: 0, 100_000: 1}.get(depth, result.log.n_bad) == result.log.n_bad


def test_many_unknown_names_take_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("packhorse.usage.calibrate.MAX_UNKNOWN", 3)
    monkeypatch.setattr("packhorse.usage.calibrate.MAX_NAMES", 4)
    lines = Provider("gpt-4o", rule=RULE).lines(20)
    lines += [
        {"request": {"model": f"m{number}", "messages": []}, "usage": {"prompt_tokens": 5}}
        for number in range(12)
    ]
    result = run(write_log(tmp_path / "l.jsonl", lines))
    assert len(result.unknown) == 4
    assert result.unknown["(others)"] == 9
    assert sum(result.unknown.values()) == 12

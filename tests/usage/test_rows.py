"""What is said about a calibration fits a terminal and is never rounded into a promise."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.calibration import Calibration, Seen
from packhorse.tokens.models.table import built_in_models
from packhorse.usage.calibrate import ModelResult, Options, UsageResult, calibrate
from packhorse.usage.decide import Decision
from packhorse.usage.fit import Correction
from packhorse.usage.rows import (
    HEADER,
    correction_lines,
    difference_rows,
    percent,
    table_lines,
)
from packhorse.usage.words import evidence, in_words, seen_ranges
from tests.usage.hidden import Provider, write_log

ONE = Calibration(
    samples=1234,
    first="2026-10-01",
    last="2026-10-31",
    explained=0.9999,
    spread=(-3, 0),
    seen=Seen(messages=(1, 1), tools=(0, 2), calls=(0, 1), tokens=(10, 2000), wide=(0, 12)),
)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "0%"), (1.0, "100%"), (0.99999, "99.9%"), (0.00001, "0.1%"), (0.5, "50.0%")],
)
def test_only_all_is_called_all(share: float, shown: str) -> None:
    assert percent(share) == shown


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=90),
            *[st.integers(-(10**7), 10**7).map(lambda n: f"{n:+,}")] * 6,
            st.lists(st.integers(1, 10**9).map(lambda n: f"{n} (+{n:,})"), max_size=5).map(
                ", ".join
            ),
        ),
        max_size=6,
    )
)
def test_the_table_never_is_wider_than_a_hundred_columns(rows: list[tuple[str, ...]]) -> None:
    lines = list(table_lines([HEADER, *rows]))
    assert len(lines) == len(rows) + 1
    room = 40 + 6 * (2 + len("+10,000,000"))
    assert max(map(len, lines)) <= max(100, room)
    for line, row in zip(lines[1:], rows, strict=True):
        assert all(cell in line for cell in row[1:-1])


def test_words_for_what_is_added_and_what_was_seen() -> None:
    assert in_words(ONE) == "nothing to correct"
    assert evidence(ONE) == "1,234 different requests, 2026-10-01 to 2026-10-31"
    assert seen_ranges(ONE) == (
        "1 message, 0 to 2 tools, 0 to 1 tool call, 10 to 2,000 tokens,"
        " 0 to 12 per cent of text outside ASCII"
    )


def test_a_log_without_times_has_no_days(tmp_path: Path) -> None:
    lines = Provider("gpt-4o", rule=Correction(per_request=1)).lines(20)
    for line in lines:
        del line["timestamp"]
    result = calibrate([write_log(tmp_path / "l.jsonl", lines)], built_in_models())
    (model,) = result.models
    assert model.calibration is not None
    assert evidence(model.calibration) == "20 different requests"


def test_lines_of_several_files_are_named_with_their_file(tmp_path: Path) -> None:
    provider = Provider("gpt-4o", rule=Correction(per_request=1), with_tools=0.0)
    paths = [write_log(tmp_path / f"{name}.jsonl", provider.lines(10)) for name in ("one", "two")]
    result = calibrate(paths, built_in_models())
    (row,) = difference_rows(result)
    assert row[-1].startswith("1:1 (+1), 1:2 (+1)")


def test_what_was_not_used_and_not_covered_is_said(tmp_path: Path) -> None:
    provider = Provider("gpt-4o", rule=Correction(per_request=1), with_tools=0.0)
    lines = provider.lines(40)
    lines += [Provider("gpt-4o", with_tools=1.0, seed=3).line(stray=777)]
    log = write_log(tmp_path / "l.jsonl", lines)
    result = calibrate([log], built_in_models(), Options(max_samples=30))
    said = [text for _, text in correction_lines(result.models[0])]
    assert any("not used" in text for text in said)
    whole = calibrate([log], built_in_models())
    levels = {text: level for level, text in correction_lines(whole.models[0])}
    note = "  Requests with no instructions and tools are not covered: only 1 request"
    assert levels[note] == "WARN"


def test_a_model_that_was_not_decided_says_nothing() -> None:
    model = ModelResult(spec=built_in_models().spec("gpt-4o"))
    assert list(correction_lines(model)) == []
    assert model.calibration is None
    model.decision = Decision(calibration=None, refusal="Too few")
    assert list(correction_lines(model)) == [("WARN", "gpt-4o: no correction. Too few")]
    assert UsageResult(paths=()).n_counted == 0


def test_held_out_requests_that_are_too_low_are_a_warning() -> None:
    model = ModelResult(spec=built_in_models().spec("gpt-4o"))
    decided = replace(ONE, held_out=10, held_out_under=0.1, held_out_explained=0.9)
    model.decision = Decision(calibration=decided, remark="A remark")
    said = list(correction_lines(model))
    assert (
        "WARN",
        "  made without 10 of them, for those: 90.0% to the token, 10.0% too low",
    ) in said
    assert ("INFO", "  A remark") in said

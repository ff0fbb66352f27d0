"""The file of corrections is read back as what was written, or nothing is written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import ConfigError, InputError, UnknownKeyError
from packhorse.tokens.calibration import Calibration, Seen, rules_of
from packhorse.tokens.models.table import load_models, model_spec
from packhorse.usage.overlay import overlay_text, write_overlay

SHARES = st.floats(0, 1).map(lambda share: round(share, 6))
RANGES = st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda ends: (min(ends), max(ends)))
CALIBRATIONS = st.builds(
    Calibration,
    per_request=st.integers(-50, 50),
    per_message=st.integers(-9, 9),
    without_system=st.integers(-9, 9),
    with_tools=st.integers(-50, 50),
    per_tool=st.integers(-9, 9),
    per_call=st.integers(-9, 9),
    margin=st.none(),
    margin_before=st.none(),
    samples=st.integers(1, 10**6),
    first=st.sampled_from([None, "2026-10-01"]),
    last=st.sampled_from([None, "2026-10-31"]),
    explained=SHARES,
    under=SHARES,
    spread=RANGES,
    held_out=st.integers(0, 99),
    held_out_explained=SHARES,
    held_out_under=SHARES,
    seen=st.builds(
        Seen,
        messages=RANGES,
        system=RANGES,
        tools=RANGES,
        calls=RANGES,
        images=RANGES,
        tokens=RANGES,
    ),
    rules=st.sampled_from([None, rules_of(model_spec("gpt-4o"))]),
)
ONE = Calibration(
    per_request=2,
    samples=30,
    explained=1.0,
    spread=(0, 0),
    seen=Seen(messages=(1, 4), tokens=(10, 90)),
    rules=rules_of(model_spec("gpt-4o")),
)


@given(calibration=CALIBRATIONS)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, calibration: Calibration
) -> None:
    path = tmp_path_factory.getbasetemp() / "overlay.yaml"
    write_overlay({"gpt-4o": calibration}, path)
    assert load_models(path).spec("gpt-4o").calibration == calibration


def test_a_margin_is_set_beside_its_record(tmp_path: Path) -> None:
    from dataclasses import replace

    name = "claude-sonnet-4-5"
    one = replace(ONE, margin=0.21, margin_before=0.35, rules=rules_of(model_spec(name)))
    path = tmp_path / "c.yaml"
    write_overlay({name: one}, path)
    spec = load_models(path).spec(name)
    assert (spec.margin, spec.calibration) == (0.21, one)


def test_the_file_goes_together_with_one_of_the_users_own(tmp_path: Path) -> None:
    mine, corrections = tmp_path / "mine.yaml", tmp_path / "c.yaml"
    mine.write_text("models: {gpt-4o: {window: 64000}}\n", encoding="utf-8")
    write_overlay({"gpt-4o": ONE}, corrections)
    for order in ((mine, corrections), (corrections, mine)):
        spec = load_models(*order).spec("gpt-4o")
        assert (spec.window, spec.calibration) == (64_000, ONE)


def test_a_correction_of_other_rules_is_refused(tmp_path: Path) -> None:
    mine, corrections = tmp_path / "mine.yaml", tmp_path / "c.yaml"
    mine.write_text("framings: {openai-chat: {per_message: 4}}\nmodels: {}\n", encoding="utf-8")
    write_overlay({"gpt-4o": ONE}, corrections)
    with pytest.raises(ConfigError, match="made with other rules") as caught:
        load_models(mine, corrections)
    assert "packhorse calibrate" in caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("samples: 30", "samples: 0", "0 samples"),
        ("samples: 30", "samples: many", "samples"),
        ("samples: 30", "smaples: 30", "smaples"),
        ("explained: 1.0", "explained: 1.5", "outside 0..1"),
        ("spread: [0, 0]", "spread: [3, 0]", "ends before it starts"),
        ("messages: [1, 4]", "massages: [1, 4]", "massages"),
        ("messages: [1, 4]", "messages: [1]", "messages"),
        ("samples: 30", "samples: 30\n      first: yesterday", "no date"),
        ("samples: 30", "samples: 30\n      margin: 0.2", "margin"),
    ],
)
def test_a_file_that_was_edited_wrongly_is_refused(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    path = tmp_path / "c.yaml"
    text = overlay_text({"gpt-4o": ONE})
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises((ConfigError, UnknownKeyError)) as caught:
        load_models(path)
    assert reason in caught.value.message


def test_a_day_without_quotes_is_a_day(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    text = overlay_text({"gpt-4o": ONE}).replace(
        "samples: 30", "samples: 30\n      first: 2026-10-01"
    )
    path.write_text(text, encoding="utf-8")
    calibration = load_models(path).spec("gpt-4o").calibration
    assert calibration is not None
    assert calibration.first == "2026-10-01"


@pytest.mark.parametrize("row", ["3", "[1]", "{}"])
def test_a_calibration_that_is_none_is_refused(tmp_path: Path, row: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(f"models: {{gpt-4o: {{calibration: {row}}}}}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="calibration"):
        load_models(path)


def test_a_place_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").mkdir()
    with pytest.raises(InputError, match=r"c\.yaml"):
        write_overlay({"gpt-4o": ONE}, tmp_path / "c.yaml")
    assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]

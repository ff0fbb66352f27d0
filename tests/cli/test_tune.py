"""`packhorse tune` in this process: a profile where it helps, a plain word where it does not."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from packhorse.config import Profile
from packhorse.profiles.profile import load_profile
from tests.cli.command import invoke
from tests.evaluate.tuning.sets import write_copies

FLAGS = ("--embedder", "none", "--budgets", "60", "--evaluations", "12", "--folds", "3")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_gain_is_shown_for_each_fold_and_written_as_a_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out, plot = (
        write_copies(tmp_path / "copies"),
        tmp_path / "new" / "t.yaml",
        tmp_path / "p.svg",
    )
    base = tmp_path / "base.yaml"
    base.write_text("name: mine\norder: source\n", encoding="utf-8")
    asked = (data, "--out", out, *FLAGS, "--profile", base, "--plot", plot, "--date", "2026-05-01")
    outcome = invoke(capsys, "tune", *asked)
    assert outcome.code == 0, outcome.err
    assert "copies: 36 questions, gold_recall at token budgets" in outcome.out
    assert "  fold 3, 12 questions" in outcome.out
    assert "0.500>1.000" in outcome.out
    assert "+0.500 [+0.500, +0.500] *  36 questions better, 0 worse" in outcome.out
    assert f"[PASS] Profile: {out}" in outcome.out
    text = out.read_text(encoding="utf-8")
    for told in (
        "on 2026-05-01",
        "36 questions",
        "Base mine, 3 folds, seed 0",
        "60 tokens  +0.500",
    ):
        assert told in text
    profile = load_profile(out)
    assert profile.render.order == "source"
    assert profile.rerank.dedup_threshold != Profile().rerank.dedup_threshold
    assert profile.name == "tuned for copies"
    drawn = ET.fromstring(plot.read_text(encoding="utf-8"))  # noqa: S314 - our own
    assert len(drawn.findall(".//{*}circle")) == 2 * (3 + 1) + 2
    compared = ("--config", "built-in", "--config", out, "--budgets", "60", "--embedder", "none")
    outcome = invoke(capsys, "eval", data, "--out", tmp_path / "eval", *compared)
    assert "+0.500 [+0.500, +0.500]*" in outcome.out.replace(" *", "*")


def test_json_is_one_document_and_the_same_each_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write_copies(tmp_path / "copies")
    runs = [
        invoke(
            capsys, "tune", data, "--out", tmp_path / name, *FLAGS, "--json", "-q", "--date", "x"
        )
        for name in ("a.yaml", "b.yaml")
    ]
    assert runs[0] == runs[1]
    assert runs[0].err == ""
    document = json.loads(runs[0].out)
    assert (document["verdict"], document["reason"]) == ("tuned", "")
    assert document["overall"]["mean"] == 0.5
    assert [fold["held_out"] for fold in document["folds"]] == [12, 12, 12]
    assert "dedup_threshold" in document["search"]["changes"]
    assert document["plan"]["evaluations"] == 12
    assert (tmp_path / "a.yaml").read_bytes() == (tmp_path / "b.yaml").read_bytes()


def test_too_few_questions_keep_the_default_and_write_nothing(
    fixtures_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plot = tmp_path / "t.yaml", tmp_path / "p.svg"
    flags = ("--out", out, *FLAGS, "--plot", plot, "-q")
    outcome = invoke(capsys, "tune", fixtures_dir / "rental_questions", *flags)
    assert outcome.code == 1
    assert outcome.out == ""
    assert outcome.err.startswith("[WARN] Keep the default: 11 questions with gold are too few")
    assert not out.exists()
    assert not plot.exists()


@pytest.mark.parametrize(
    ("flags", "hint"),
    [
        (("--folds", "1"), "folds is 2 or more"),
        (("--evaluations", "0"), "evaluations is 2 or more"),
        (("--budgets", "many"), "256,512"),
        (("--profile", "nowhere.yaml"), ""),
        (("--out", "."), "Name a file in it"),
        (("--out", "own.yaml", "--profile", "./own.yaml"), "the result extends that profile"),
        (("--out", "one.svg", "--plot", "one.svg"), "Give each its own"),
    ],
)
def test_what_cannot_be_carried_out_is_an_error_with_a_hint(
    flags: tuple[str, ...],
    hint: str,
    fixtures_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = (fixtures_dir / "rental_questions", "--out", tmp_path / "t.yaml", *flags)
    outcome = invoke(capsys, "tune", *given)
    assert outcome.code == 2
    assert outcome.err.startswith("[ERROR] ")
    assert hint in outcome.err

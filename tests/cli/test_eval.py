"""`packhorse eval` in this process, over the questions of the fixtures."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.cli.command import invoke

FILES = {"questions.jsonl", "recall.svg", "results.json", "timings.json"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def questions(fixtures_dir: Path) -> Path:
    return fixtures_dir / "rental_questions"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_configurations_are_measured_side_by_side(
    questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    configs = ("--config", "bm25", "--config", "built-in")
    outcome = invoke(capsys, "eval", questions, "--out", out, *configs, "--budgets", "200,20")
    assert outcome.code == 0, outcome.err
    assert {path.name for path in out.iterdir()} == FILES
    results = read(out / "results.json")
    (dataset,) = results["datasets"]
    assert results["budgets"] == [20, 200]
    assert (dataset["questions"], dataset["questions_without_gold"]) == (12, 1)
    bm25, built_in = dataset["configurations"]
    gold = built_in["budgets"]["200"]["gold_recall"]
    assert gold["n"] == 11
    assert gold["difference"]["mean"] == pytest.approx(
        gold["mean"] - bm25["budgets"]["200"]["gold_recall"]["mean"], abs=2e-6
    )
    assert gold["difference"]["low"] <= gold["difference"]["mean"] <= gold["difference"]["high"]
    assert built_in["budgets"]["20"]["utilisation"]["mean"] <= 1
    assert built_in["budgets"]["20"]["span_recall"]["n"] == 2
    assert "rental_questions: 16 passages, 12 questions (1 without gold" in outcome.out
    assert "built-in 200: gold found in the candidates" in outcome.out
    assert "[WARN] rental_questions has 11 questions with gold" in outcome.err


def test_the_same_input_gives_the_same_files(
    questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        flags = ("--date", "2026-01-02", "--config", "rrf", "--config", "built-in")
        assert invoke(capsys, "eval", questions, "--out", tmp_path / name, *flags).code == 0
    for file in FILES - {"timings.json"}:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_json_is_the_document_of_results(
    questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--json", "-q", "--limit", 3, "--embedder", "none", "--charge", "rendered")
    outcome = invoke(capsys, "eval", questions, "--out", tmp_path / "out", *flags)
    assert outcome.code == 0
    assert outcome.err == ""
    assert json.loads(outcome.out) == read(tmp_path / "out" / "results.json")
    (dataset,) = json.loads(outcome.out)["datasets"]
    assert dataset["questions"] == 3


def test_what_is_rendered_costs_more_than_the_text(
    questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = {}
    for charge in ("text", "rendered"):
        flags = ("--charge", charge, "--embedder", "none", "--budgets", "160")
        invoke(capsys, "eval", questions, "--out", tmp_path / charge, *flags)
        (dataset,) = read(tmp_path / charge / "results.json")["datasets"]
        packed[charge] = dataset["configurations"][0]["budgets"]["160"]["packed"]["mean"]
    assert packed["rendered"] < packed["text"]


def test_an_index_is_evaluated_as_it_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    docs, asked = tmp_path / "docs", tmp_path / "asked"
    docs.mkdir()
    asked.mkdir()
    (docs / "leave.md").write_text("# Leave\n\nYou have 30 days of leave.\n", encoding="utf-8")
    (docs / "desk.md").write_text("# Desk\n\nA desk is deducted over years.\n", encoding="utf-8")
    row = {"id": "q", "query": "How many days of leave?", "gold": ["leave.md#0000"]}
    (asked / "queries.jsonl").write_text(json.dumps(row), encoding="utf-8")
    kb = tmp_path / "docs.kb"
    assert invoke(capsys, "index", docs, "--kb", kb, "--embedder", "none", "-q").code == 0
    flags = ("--kb", kb, "--budgets", "50", "-q", "--json")
    outcome = invoke(capsys, "eval", asked, "--out", tmp_path / "out", *flags)
    assert outcome.code == 0, outcome.err
    results = json.loads(outcome.out)
    (dataset,) = results["datasets"]
    assert results["embedder"] == "index"
    assert (dataset["kb"], dataset["passages"]) == ("docs.kb", 2)
    assert dataset["configurations"][0]["budgets"]["50"]["gold_recall"]["mean"] == 1.0
    # Without the index there is no corpus.
    assert "has no corpus.jsonl" in invoke(capsys, "eval", asked, "--out", tmp_path / "o").err


def test_a_place_that_cannot_be_written_is_refused_before_any_work(
    questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    outcome = invoke(capsys, "eval", questions, "--out", tmp_path / "file" / "deep" / "out")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"[ERROR] Cannot write {tmp_path / 'file' / 'deep' / 'out'}")
    assert "is a file" in outcome.err
    too_long = tmp_path / ("x" * 300)
    outcome = invoke(capsys, "eval", questions, "--out", too_long)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"[ERROR] Cannot write {too_long}")
    assert not (tmp_path / "cache").exists()


def test_the_picture_is_well_formed_and_names_everything(
    questions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "mine.yaml"
    profile.write_text('name: "a<b&c"\nmmr_lambda: 1.0\n', encoding="utf-8")
    flags = ("--config", "bm25", "--config", profile, "--embedder", "none")
    assert invoke(capsys, "eval", questions, "--out", tmp_path / "out", *flags).code == 0
    picture = ET.parse(tmp_path / "out" / "recall.svg")  # noqa: S314 - our own file
    texts = {element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"rental_questions", "bm25", "a<b&c", "256", "2048"} <= texts


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ((), "No dataset to evaluate"),
        (("nowhere",), "No dataset at nowhere"),
        (("{questions}", "--budgets", "many"), "--budgets is 'many'"),
        (("{questions}", "--budgets", "256,256"), "A budget is named twice"),
        (("{questions}", "--budgets", "0"), "A budget is not above 0"),
        (("{questions}", "--limit", "0"), "limit is 0"),
        (("{questions}", "--config", "mine.yaml"), "No configuration mine.yaml"),
        (("{questions}", "--config", "rrf", "--config", "rrf"), "2 configurations are called"),
        (("{questions}", "{questions}"), "Two datasets have the same name"),
        (("{questions}", "--embedder", "word2vec"), "Unknown embedder"),
        (("{questions}", "--charge", "rendered", "--budgets", "9"), "Budget too small"),
        (("{questions}", "--embedder", "none", "--config", "dense"), "there are none"),
        (("{questions}", "--kb", "nowhere"), "nowhere"),
        (("{questions}", "--kb", "nowhere", "--embedder", "none"), "--kb names one"),
    ],
)
def test_what_cannot_be_used_is_two_lines(
    flags: tuple[str, ...],
    message: str,
    questions: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [flag.replace("{questions}", str(questions)) for flag in flags]
    # Quiet: on a busy machine indexing would say how long it takes.
    outcome = invoke(capsys, "eval", *given, "--out", tmp_path / "out", "-q")
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert outcome.err.count("\n") == 2
    assert not (tmp_path / "out").exists()

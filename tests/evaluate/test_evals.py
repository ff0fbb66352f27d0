"""`make evals`: what is stored, what is said, and that the sample has not become worse."""

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def evals(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("evals_run", root / "evals" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_sample_has_not_become_worse(
    evals: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    code = evals.main(["--sample"])
    said = capsys.readouterr().out
    assert "best channel" in said
    assert code == 0, f"{said}Look at what moved; when it is meant: make evals-sample ARGS=--write"


def test_a_set_of_ones_own_data_has_not_become_worse(
    evals: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    data = os.environ.get("PACKHORSE_EVAL_DATA")
    if not data:
        pytest.skip("PACKHORSE_EVAL_DATA names no folder of evaluation sets")
    code = evals.main(["--data", data, "--sets", "mtrag_un"])
    assert code == 0, capsys.readouterr().out


def test_the_stored_table_is_printed_without_running_anything(
    evals: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evals.main(["--stored", "--data", "nowhere"]) == 0
    said = capsys.readouterr().out
    assert "hotpotqa" in said
    assert "fever_symmetric" in said


def test_missing_data_is_said_loudly(
    evals: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evals.main(["--data", str(tmp_path), "--sets", "squad,nq"]) == 2
    assert f"no squad, nq in {tmp_path}" in capsys.readouterr().err


def test_what_moved_is_said_and_a_fall_of_gold_recall_is_told_apart(
    evals: ModuleType, root: Path
) -> None:
    stored = json.loads((root / "evals/results/rental_questions.json").read_text(encoding="utf-8"))
    now = json.loads(json.dumps(stored))
    assert evals.moved(stored, now) == (["nothing moved"], 0.0)
    now["means"]["built-in"]["gold_recall@256"] -= 0.25
    now["means"]["built-in"]["ndcg@10"] -= 0.5
    lines, fall = evals.moved(stored, now)
    assert len(lines) == 2
    assert fall == pytest.approx(-0.25)
    now["sha256"] = "other"
    now["configurations"]["built-in"]["profile"]["candidates"] = 5
    assert len(evals.moved(stored, now)[0]) == 4
    assert evals.moved(None, now) == (["not evaluated before; --write stores this run"], 0.0)

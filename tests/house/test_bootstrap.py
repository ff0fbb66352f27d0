"""The bootstrap: what it refuses, what it repeats, and what it leaves alone."""

import builtins
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tools import bootstrap


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that would have been run; the environment's interpreter is this one."""
    made: list[list[str]] = []

    def check_call(command: Sequence[str], **_: Any) -> int:
        made.append(list(command))
        if command[1:3] == ["-m", "venv"]:
            python = Path(command[-1]) / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.symlink_to(sys.executable)
        return 0

    monkeypatch.setattr(subprocess, "check_call", check_call)
    return made


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["bootstrap.py", *arguments])
    return bootstrap.main()


def test_a_new_environment_gets_the_locks_and_the_project(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert run(monkeypatch, "base", "--venv", str(tmp_path / "env")) == 0
    made, locks, project = calls
    assert made[1:3] == ["-m", "venv"]
    assert [Path(part).name for part in locks if part.endswith(".txt")] == ["build.txt", "base.txt"]
    assert {"--no-deps", "--editable"} <= set(project)


def test_a_second_run_does_nothing(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run(monkeypatch, "base", "--venv", str(tmp_path / "env"))
    calls.clear()
    assert run(monkeypatch, "base", "--venv", str(tmp_path / "env")) == 0
    assert calls == []


def test_an_environment_for_development_serves_the_demo_too(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run(monkeypatch, "dev", "--venv", str(tmp_path / "env"))
    calls.clear()
    run(monkeypatch, "base", "--venv", str(tmp_path / "env"))
    assert calls == []


def test_an_environment_for_the_demo_is_extended_for_development(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run(monkeypatch, "base", "--venv", str(tmp_path / "env"))
    calls.clear()
    run(monkeypatch, "dev", "--venv", str(tmp_path / "env"))
    # The locks, the packages that are wanted for their files alone, the project.
    assert [call[1:3] for call in calls] == [["-m", "pip"]] * 3


def test_a_changed_lock_is_installed_again(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run(monkeypatch, "base", "--venv", str(tmp_path / "env"))
    calls.clear()
    (tmp_path / "env" / "installed-base").write_text("of another day", encoding="ascii")
    run(monkeypatch, "base", "--venv", str(tmp_path / "env"))
    assert calls


def test_an_environment_whose_interpreter_is_gone_is_made_anew(
    calls: list[list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run(monkeypatch, "base", "--venv", str(tmp_path / "env"))
    calls.clear()
    (tmp_path / "env" / "bin" / "python").unlink()
    (tmp_path / "env" / "bin").rmdir()
    run(monkeypatch, "base", "--venv", str(tmp_path / "env"))
    assert calls[0][1:3] == ["-m", "venv"]


def test_an_old_python_is_refused_with_the_next_step(
    calls: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    assert run(monkeypatch, "base", "--venv", str(tmp_path / "env")) == 2
    said = capsys.readouterr().err
    assert "[ERROR] Python 3.11 or newer is needed" in said
    assert "[HINT] " in said
    assert calls == []


def test_a_python_without_ensurepip_is_refused_with_the_next_step(
    calls: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "ensurepip":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert run(monkeypatch, "base", "--venv", str(tmp_path / "env")) == 2
    assert "apt-get install python3-venv" in capsys.readouterr().err
    assert calls == []


def test_a_failed_installation_gives_its_exit_code_and_no_stamp(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def failing(command: Sequence[str], **_: Any) -> int:
        raise subprocess.CalledProcessError(7, list(command))

    monkeypatch.setattr(subprocess, "check_call", failing)
    assert run(monkeypatch, "base", "--venv", str(tmp_path / "env")) == 7
    assert not (tmp_path / "env" / "installed-base").exists()

"""Runs the program in this process, as a shell would see it."""

from dataclasses import dataclass

import pytest

from packhorse.cli.app import run

__all__ = ["Outcome", "invoke"]


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


def invoke(capsys: pytest.CaptureFixture[str], *arguments: object) -> Outcome:
    """Runs `packhorse ARGUMENTS` and returns its exit code and what it printed."""
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return Outcome(code, printed.out, printed.err)

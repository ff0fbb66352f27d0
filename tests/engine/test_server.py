"""Without an engine the comparison is skipped with a word here, and fails where CI runs."""

import importlib.util

import pytest

from tests.engine.server import model_file


@pytest.mark.parametrize(
    ("environment", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)]
)
def test_a_missing_engine_is_said_aloud(
    monkeypatch: pytest.MonkeyPatch, environment: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", environment)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(outcome, match="No real engine to compare with: the package 'xllamacpp'"):
        model_file()

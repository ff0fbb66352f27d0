"""The page's engine run by node, many packets at a time."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

import pytest

from packhorse.config import Weights
from packhorse.explain.selection import Change
from packhorse.report.whatif import engine_script

__all__ = ["change_of", "run_in_node", "select_in_node"]

RUNNER = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answers = cases.map(({ data, settings }) => {
  const table = prepared(data);
  return settings.map((each) => {
    const found = selected(table, each);
    if (!found.rows) return found;
    const { id } = table.columns;
    const named = (pairs) => Object.fromEntries([...pairs].map(([row, what]) => [id[row], what]));
    return {
      rows: found.rows.map((row) => id[row]),
      rank: named(found.rank),
      score: named([...found.rank.keys()].map((row) => [row, found.score[row]])),
      out: named(found.out),
      tokens: found.tokens,
      value: found.value,
    };
  });
});
process.stdout.write(JSON.stringify(answers));
"""

Case = tuple[dict[str, Any], Sequence[dict[str, Any]]]


def select_in_node(cases: Sequence[Case]) -> list[list[dict[str, Any]]]:
    """What the engine says for each packet's data under each of its settings."""
    asked = [{"data": data, "settings": list(settings)} for data, settings in cases]
    answers: list[list[dict[str, Any]]] = run_in_node(f"{engine_script()}\n{RUNNER}", asked)
    return answers


def run_in_node(script: str, asked: Any) -> Any:
    """What a script writes, given `asked` as JSON; without node, the test is skipped."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine: the engine is tried in the browser alone")
    done = subprocess.run(
        [node, "-e", f'"use strict";\n{script}'],
        input=json.dumps(asked),
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def change_of(setting: dict[str, Any]) -> Change:
    """Settings of the page as a change to select again with."""
    return Change(
        budget=setting["budget"],
        mmr_lambda=setting["lambda"],
        weights=Weights(**setting["weights"]),
    )

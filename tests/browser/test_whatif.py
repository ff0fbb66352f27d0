"""What a reader sees after pulling at the sliders, against `packhorse pack` run the same way.

The proof goes through the page's own words: its command line and its profile are what is run.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from packhorse.api import open_kb, pack
from packhorse.cli.app import run
from packhorse.packet.packet import Packet
from packhorse.report.whatif import what_if, what_if_script
from tests.browser.conftest import OpenPage

QUESTIONS = {
    "tax_kb": "Can I deduct home office expenses?",
    "medical_kb": "Can I take ibuprofen with warfarin?",
}
STRATEGIES = ("ranked", "density", "submodular", "optimal")
N_SETTINGS = 8

SET = """
async (values) => {
  for (const [name, value] of Object.entries(values)) {
    const input = document.getElementById(`what-if-${name}`);
    input.value = value;
    input.dispatchEvent(new Event("input"));
  }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const codes = [...document.querySelectorAll(".wi-copy:not([hidden]) code")];
  return {
    rows: [...document.querySelectorAll(".wi-result tbody tr")].map((row) => row.dataset.chunk),
    paragraphs: [...document.querySelectorAll(".wi-result > p")].map((p) => p.textContent),
    codes: codes.map((code) => code.textContent),
  };
}
"""


def written(folder: Path, document: dict[str, Any]) -> Path:
    """A page with nothing but the section."""
    data = json.dumps(what_if(document)).replace("<", "\\u003c")
    style = (files("packhorse.report") / "assets" / "whatif.css").read_text(encoding="utf-8")
    page = folder / "page.html"
    page.write_text(
        "<!doctype html><html lang=en><meta charset=utf-8><title>What if</title>"
        f"<style>{style}</style><main><h1>A report</h1><section id=what-if hidden></section></main>"
        f'<script type="application/json" id="what-if-data">{data}</script>'
        f"<script>{what_if_script()}</script></html>",
        encoding="utf-8",
    )
    return page


def settings(chance: random.Random, budget: int) -> Iterator[dict[str, str]]:
    """What is typed into each control; the first few are the ends of the scales."""
    ends = {
        "lambda": ("0", "1"),
        "relevance": ("0", "1"),
        "trust": ("0", "1"),
        "freshness": ("0", "1"),
        "coverage": ("0", "1"),
        "deduplication": ("-1", "0"),
    }
    for number in range(N_SETTINGS):
        values = {"budget": str(chance.randint(budget // 3, budget * 2))}
        for name, (low, high) in ends.items():
            if number % 5:
                drawn = chance.uniform(float(low), float(high))
                values[name] = f"{drawn:.{chance.choice((1, 2, 6))}f}"
            else:
                values[name] = chance.choice((low, high))
        values["coverage"] = values["coverage"] if values["relevance"] == "0" else "0.05"
        values["trust"] = "0.4" if float(values["relevance"]) == 0 else values["trust"]
        yield values


def as_a_shell_reads(command: str) -> list[str]:
    """The arguments that the program is given."""
    spoken = f"packhorse() {{ printf '%s\\0' \"$@\"; }}\n{command}"
    done = subprocess.run(
        ["/usr/bin/env", "bash", "-c", spoken], capture_output=True, check=True, encoding="utf-8"
    )
    return done.stdout.split("\0")[:-1]


def run_again(
    command: str, profile: str | None, kb: Path, base: Path, folder: Path
) -> Packet | int:
    """The packet that the page's command makes, or the exit code where it makes none."""
    arguments = [str(kb) if each == "KB" else each for each in as_a_shell_reads(command)]
    if profile is not None:
        file = folder / "what-if.yaml"
        file.write_text(profile.replace("PROFILE.yaml", str(base)), encoding="utf-8")
        arguments[arguments.index("what-if.yaml")] = str(file)
    code = run([*arguments, "--out", str(folder / "out"), "-q"])
    if code == 2:
        return code
    return Packet.from_json((folder / "out" / "context_packet.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", QUESTIONS)
def test_each_setting_selects_what_the_command_packs(
    name: str, strategy: str, fixtures_dir: Path, open_page: OpenPage, tmp_path: Path
) -> None:
    kb = fixtures_dir / name
    packet = pack(QUESTIONS[name], open_kb(kb), budget=2_800, strategy=strategy)
    page = open_page(written(tmp_path, packet.to_dict()))
    chance = random.Random(f"{name} {strategy}")  # noqa: S311 - drawn the same way each time
    seen = set()
    for values in settings(chance, 2_800):
        shown = page.evaluate(SET, values)
        command, *profile = shown["codes"]
        again = run_again(command, next(iter(profile), None), kb, kb / "profile.yaml", tmp_path)
        if isinstance(again, int):
            assert shown["rows"] == [], values
            assert "too small" in shown["paragraphs"][0], values
            continue
        assert shown["rows"] == [chunk.chunk_id for chunk in again.packed_chunks], values
        assert f"{again.budget.packed_evidence:,} of" in shown["paragraphs"][0], values
        seen.add(tuple(shown["rows"]))
    assert len(seen) >= N_SETTINGS / 4

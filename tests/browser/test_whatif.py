"""What a reader sees after pulling at the sliders, against `packhorse pack` run the same way.

The proof goes through the page's own words: its command line and its profile are what is run.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import pytest

from packhorse.api import open_kb, pack
from packhorse.cli.app import run
from packhorse.config import KnowledgeBasePolicy
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.report.html import report_html
from packhorse.types.chunk import Chunk
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


def written(folder: Path, packet: Packet) -> Path:
    """The packet's report."""
    page = folder / "page.html"
    page.write_text(report_html(packet), encoding="utf-8")
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
    page = open_page(written(tmp_path, packet))
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


@pytest.fixture(scope="module")
def sample(fixtures_dir: Path) -> Packet:
    return pack(QUESTIONS["tax_kb"], open_kb(fixtures_dir / "tax_kb"), budget=2_800)


def test_at_the_recorded_settings_nothing_has_changed(
    sample: Packet, open_page: OpenPage, tmp_path: Path
) -> None:
    shown = open_page(written(tmp_path, sample)).evaluate(SET, {})
    assert shown["rows"] == [chunk.chunk_id for chunk in sample.packed_chunks]
    used = sample.budget.packed_evidence
    assert shown["paragraphs"][0].startswith(f"5 chunks, {used:,} of 2,800 tokens")
    assert shown["paragraphs"][1] == "The same chunks in the same order as recorded."


def test_what_enters_leaves_and_moves_is_said(
    sample: Packet, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(written(tmp_path, sample))
    shown = page.evaluate(SET, {"budget": "1900", "relevance": "0.1", "trust": "0.9"})
    was = [chunk.chunk_id for chunk in sample.packed_chunks]
    entered = [each for each in shown["rows"] if each not in was]
    left = [each for each in was if each not in shown["rows"]]
    assert f"{len(entered)} entered, {len(left)} left" in shown["paragraphs"][1]
    marked = page.locator(".wi-entered").evaluate_all("rows => rows.map(row => row.dataset.chunk)")
    assert marked == entered
    listed = page.locator(".wi-left li").evaluate_all("rows => rows.map(row => row.dataset.chunk)")
    assert listed == left
    assert "did not fit: needed" in page.inner_text(".wi-left")
    assert page.locator(".wi-topics li").count() == 4


def test_a_slider_moves_by_keyboard_and_goes_back(
    sample: Packet, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(written(tmp_path, sample))
    number = page.get_by_label("Weight of trust", exact=True)
    reset = page.get_by_role("button", name="Reset: Weight of trust")
    assert reset.is_disabled()
    page.get_by_label("Weight of trust, slider").press("ArrowRight")
    assert 0.2 < float(number.input_value()) < 0.25
    assert page.locator(".wi-copy:visible").count() == 2
    reset.press("Enter")
    assert number.input_value() == "0.2"
    page.fill("#what-if-budget", "900")
    page.fill("#what-if-lambda", "0.1")
    page.get_by_role("button", name="Reset everything").press("Enter")
    assert page.input_value("#what-if-budget") == "2800"
    assert page.input_value("#what-if-lambda") == "0.7"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"budget": ""}, "Evidence budget (tokens): a whole number from 0 to"),
        ({"budget": "12.5"}, "Evidence budget (tokens): a whole number from 0 to"),
        ({"lambda": "1.2"}, "a number from 0 to 1."),
        (
            {"relevance": "0", "trust": "0", "freshness": "0", "coverage": "0"},
            "At least one of relevance, trust, freshness and coverage needs a weight above 0.",
        ),
    ],
)
def test_what_is_no_setting_gets_a_message(
    values: dict[str, str],
    message: str,
    sample: Packet,
    open_page: OpenPage,
    tmp_path: Path,
) -> None:
    shown = open_page(written(tmp_path, sample)).evaluate(SET, values)
    assert shown["rows"] == []
    assert message in shown["paragraphs"][0]


def test_the_best_set_under_rules_is_left_to_the_command(
    fixtures_dir: Path, open_page: OpenPage, tmp_path: Path
) -> None:
    kb = open_kb(fixtures_dir / "tax_kb")
    profile = {"max_packed_per_source": 2, "strategy": "optimal"}
    packet = pack(QUESTIONS["tax_kb"], kb, budget=2_800, profile=profile)
    page = open_page(written(tmp_path, packet))
    assert "takes an integer solver, which a page does not have" in page.inner_text("#what-if")
    assert "--strategy optimal" in page.locator("#what-if code").first.inner_text()
    assert page.locator("#what-if input").count() == 0


def test_names_of_chunks_and_sources_stay_text(open_page: OpenPage, tmp_path: Path) -> None:
    bad = "<img src=x onerror=alert(1)>\u202e"
    chunks = [
        Chunk(chunk_id=f"{bad}{n}", source_id=f"{bad}s", text=f"deduct home office {n} " * 20)
        for n in range(4)
    ]
    kb = MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name=bad))
    profile = {"dedup_threshold": None}
    packet = pack("home office", kb, budget=600, profile=profile, as_of="2026-01-15")
    page = open_page(written(tmp_path, packet))
    shown = page.evaluate(SET, {"budget": "300"})
    assert shown["rows"]
    assert page.locator(".wi-left li").count()
    assert page.locator("#what-if img").count() == 0
    section = page.inner_text("#what-if")
    assert "<img src=x onerror=alert(1)>\\u202e" in section
    assert "\u202e" not in section


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_controls_have_no_serious_fault_of_access(
    scheme: Literal["light", "dark"], sample: Packet, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(written(tmp_path, sample), scheme=scheme)
    page.evaluate(SET, {"budget": "1900", "trust": "0.9"})
    package = find_spec("axe_playwright_python")
    assert package is not None
    page.evaluate((Path(str(package.origin)).parent / "axe.min.js").read_text("utf-8"))
    violations = page.evaluate("axe.run().then((told) => told.violations)")
    serious = [
        (each["id"], node["html"])
        for each in violations
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]
    assert serious == []

"""What the sample run writes, as files that are reviewed when they change.

The text of the evidence and the transcript are the same on every machine. Scores are left to
`tests/specification`, with a tolerance, because quantised embeddings differ between processors.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from packhorse.api import open_kb, pack
from packhorse.cli.transcript import transcript

HERE = Path(__file__).parent
QUERY = "Can I deduct home office expenses?"
OUTSIDE = "quantum computing applications"


def compare(name: str, text: str, *, rewrite: bool) -> None:
    """Compares with the golden file, or writes it anew."""
    path = HERE / name
    if rewrite:
        path.write_bytes(text.encode("utf-8"))
    assert text == path.read_bytes().decode("utf-8")


@pytest.mark.parametrize("form", ["xml", "markdown", "plain"])
def test_evidence_of_the_sample_run(form: str, fixtures_dir: Path, rewrite_golden: bool) -> None:
    packet = pack(QUERY, open_kb(fixtures_dir / "tax_kb"), budget=2800, format=form)
    compare(f"tax_context_{form}.txt", packet.text, rewrite=rewrite_golden)


@pytest.mark.parametrize("form", ["xml", "markdown", "plain"])
def test_closing_notice(form: str, fixtures_dir: Path, rewrite_golden: bool) -> None:
    kb = open_kb(fixtures_dir / "tax_kb")
    packet = pack(
        QUERY, kb, budget=1000, format=form, closing_notice=True, require_topics=["filing dates"]
    )
    lines = [f"[{level}] {text}\n" for level, text in transcript(packet, None)]
    compare(f"tax_closing_{form}.txt", f"{''.join(lines)}\n{packet.text}", rewrite=rewrite_golden)


@pytest.mark.parametrize(("name", "query"), [("sample", QUERY), ("outside", OUTSIDE)])
def test_transcript(name: str, query: str, fixtures_dir: Path, rewrite_golden: bool) -> None:
    packet = pack(query, open_kb(fixtures_dir / "tax_kb"), budget=2800)
    lines = [f"[{level}] {text}\n" for level, text in transcript(packet, None)]
    compare(f"tax_transcript_{name}.txt", "".join(lines), rewrite=rewrite_golden)


def test_medical_packet(fixtures_dir: Path, rewrite_golden: bool) -> None:
    query = "Is it safe to take clarithromycin with simvastatin?"
    packet = pack(query, open_kb(fixtures_dir / "medical_kb"), budget=1800)
    lines = [f"[{level}] {text}\n" for level, text in transcript(packet, None)]
    text = f"{''.join(lines)}\n{packet.text}"
    compare("medical_packet.txt", text, rewrite=rewrite_golden)


TALK = [
    message
    for at in range(8)
    for message in (
        {"role": "user", "content": f"What does form {at} say of an office of {100 + at} feet?"},
        {"role": "assistant", "content": f"Form {at} allows it. " + "It says much more. " * 9},
    )
]
NOTES: list[dict[str, Any]] = [
    {
        "id": "old",
        "text": "The office is 120 square feet.",
        "key": "area",
        "timestamp": "2025-03-01",
    },
    {
        "id": "new",
        "text": "The office is 150 square feet.",
        "key": "area",
        "timestamp": "2025-11-20",
    },
]
EXAMPLES = [
    {"id": "desk", "input": "Can I deduct a desk?", "output": "Yes, as equipment.", "label": "y"},
    {"id": "dog", "input": "Can I deduct a dog?", "output": "No.", "label": "n"},
    {"id": "same", "input": "can i deduct home office expenses", "output": "Yes.", "label": "y"},
]
TOOLS = [
    {
        "name": name,
        "description": description,
        "input_schema": {"type": "object", "properties": {"what": {"type": "string"}}},
    }
    for name, description in (
        ("look_up_form", "Looks up a form for home office expenses."),
        ("send_mail", "Sends a mail to a person."),
    )
]
SECTIONS: dict[str, dict[str, Any]] = {
    "history": {"rule": "summarise", "cap": 400},
    "tools": {"rule": "whole", "cap": 60},
    "house_rules": {"text": "Amounts are in US dollars."},
}


@pytest.mark.parametrize("shape", ["openai", "anthropic", "gemini"])
def test_a_request_with_everything_in_it(
    shape: str, fixtures_dir: Path, rewrite_golden: bool
) -> None:
    packet = pack(
        QUERY,
        open_kb(fixtures_dir / "tax_kb"),
        budget=1000,
        as_of="2026-01-15",
        history=TALK,
        rewrite_query=False,
        memory=NOTES,
        examples=EXAMPLES,
        tools=TOOLS,
        sections=SECTIONS,
    )
    lines = [f"[{level}] {text}\n" for level, text in transcript(packet, None)]
    body = json.dumps(packet.request(shape), ensure_ascii=False, indent=2, sort_keys=True)
    told = "".join(lines) if shape == "openai" else ""
    compare(f"tax_everything_{shape}.txt", f"{told}\n{body}\n", rewrite=rewrite_golden)

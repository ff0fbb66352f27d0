"""`packhorse pack`: the contract's transcripts, exit codes, files and error lines."""

import csv
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from packhorse.api import open_kb
from packhorse.packet.schema import packet_schema
from tests.cli.command import Outcome, invoke

QUERY = "Can I deduct home office expenses?"


@pytest.fixture(scope="module", autouse=True)
def _indexed(fixtures_dir: Path) -> None:
    """The sample is indexed before any test, so that none of them sees it being done."""
    open_kb(fixtures_dir / "tax_kb").close()


def check_error(outcome: Outcome, *said: str) -> None:
    """Exit code 2, nothing on stdout, and two lines on stderr that say all of `said`."""
    lines = outcome.err.strip().splitlines()
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    assert len(lines) == 2, outcome.err
    assert lines[0].startswith("[ERROR] ")
    assert lines[1].startswith("[HINT] ")
    assert "Traceback" not in outcome.err
    for words in said:
        assert words in outcome.err


def test_sample_run_prints_the_transcript_of_the_contract(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    out = tmp_path / "p04"
    kb = fixtures_dir / "tax_kb"
    outcome = invoke(capsys, "pack", "--query", QUERY, "--kb", kb, "--budget", 2800, "--out", out)
    assert outcome.code == 0
    assert outcome.out.splitlines() == [
        "[INFO] Tokenizer: toktok-rs (o200k_base) for model gpt-4o",
        (
            "[INFO] Token ledger: system=1200, preamble=350, history=0, output_res=2000,"
            " evidence_budget=2800"
        ),
        "[INFO] Retrieved candidates: 42 chunks from tax_kb",
        "[INFO] Reranked top-k: 12 chunks (MMR lambda=0.7)",
        "[PACK] Mandatory chunks: 1 (regulatory_disclaimer, 180 tokens)",
        "[PACK] Packed evidence: 5 chunks, 2741/2800 tokens (97.9% utilization)",
        "[PASS] Coverage score: 0.93 (4/4 required topics present, 1 partial)",
        "[PASS] Consistency: no factual conflicts detected",
        "[PASS] Source diversity: 3 unique sources",
        f"[INFO] Context packet: {out / 'context_packet.json'}",
        f"[INFO] Explainability report: {out / 'explainability.csv'}",
    ]


def test_budget_below_what_is_required_is_an_error_with_the_sum(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    out = tmp_path / "p04"
    kb = fixtures_dir / "tax_kb"
    outcome = invoke(capsys, "pack", "--query", QUERY, "--kb", kb, "--budget", 300, "--out", out)
    check_error(
        outcome,
        "[ERROR] Budget too small to fit required policy preamble + mandatory evidence"
        " (needs >= 640 tokens)",
        "evidence preamble 460",
        "regulatory_disclaimer 180",
        "[HINT] Increase --budget or reduce mandatory preamble sections",
    )
    assert not out.exists()


def test_an_empty_knowledge_base_is_said_before_the_domain(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "chunks.jsonl").write_text("", encoding="utf-8")
    outcome = invoke(capsys, "pack", "--query", QUERY, "--kb", tmp_path)
    warnings = [line for line in outcome.out.splitlines() if line.startswith("[WARN]")]
    assert outcome.code == 1
    assert warnings == [
        "[WARN] no evidence packed: the knowledge base holds no chunks",
        f"[WARN] Query appears outside corpus domain ({tmp_path.name})",
    ]


def test_query_outside_the_domain_warns_and_exits_with_one(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    kb = fixtures_dir / "tax_kb"
    query = "quantum computing applications"
    outcome = invoke(
        capsys, "pack", "--query", query, "--kb", kb, "--budget", 2800, "--out", tmp_path / "out"
    )
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert "[WARN] Query appears outside corpus domain (tax_kb)" in lines
    assert "[WARN] Coverage score: 0.00 (0/4 required topics present)" in lines
    assert "[PACK] Packed evidence: 3 chunks, 1200/2800 tokens (42.9% utilization)" in lines
    assert "[HINT] Consider using a different knowledge base for this query" in lines


def test_json_puts_one_valid_packet_on_stdout_and_all_else_on_stderr(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path
) -> None:
    kb = fixtures_dir / "tax_kb"
    outcome = invoke(capsys, "pack", "--query", QUERY, "--kb", kb, "--budget", 2800, "--json")
    packet = json.loads(outcome.out)
    Draft202012Validator(packet_schema()).validate(packet)
    assert "[INFO] Tokenizer" in outcome.err
    assert packet["budget"]["packed_evidence"] == 2741


def test_files_agree_with_each_other(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    kb = fixtures_dir / "tax_kb"
    invoke(
        capsys, "pack", "--query", QUERY, "--kb", kb, "--budget", 2800, "--out", tmp_path / "out"
    )
    folder = tmp_path / "out"
    assert sorted(path.name for path in folder.iterdir()) == [
        "context.txt",
        "context_packet.json",
        "explainability.csv",
        "messages.json",
    ]
    packet = json.loads((folder / "context_packet.json").read_text(encoding="utf-8"))
    context = (folder / "context.txt").read_bytes().decode("utf-8")
    messages = json.loads((folder / "messages.json").read_text(encoding="utf-8"))["messages"]
    with (folder / "explainability.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    decided = packet["packed_chunks"] + packet["excluded_chunks"]
    assert messages[-1]["content"] == f"{context}Question: {QUERY}"
    assert sorted(row["chunk_id"] for row in rows) == sorted(c["chunk_id"] for c in decided)
    assert [row["chunk_id"] for row in rows if row["action"] == "included"] == [
        chunk["chunk_id"] for chunk in packet["packed_chunks"]
    ]
    counted = invoke(capsys, "count", folder / "context.txt", "--model", "gpt-4o", "--json")
    assert json.loads(counted.out)["total_tokens"] == packet["budget"]["packed_evidence"]


def test_request_file_counts_to_the_sum_of_the_ledger(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    kb = fixtures_dir / "tax_kb"
    out = tmp_path / "out"
    invoke(capsys, "pack", "--query", QUERY, "--kb", kb, "--budget", 2800, "--out", out)
    budget = json.loads((out / "context_packet.json").read_text(encoding="utf-8"))["budget"]
    counted = invoke(
        capsys, "count", "--messages", out / "messages.json", "--model", "gpt-4o", "--json"
    )
    lines = ("system_prompt", "safety_preamble", "tools", "few_shot", "memory", "history", "query")
    total = sum(budget[line] for line in (*lines, "message_overhead", "packed_evidence"))
    assert json.loads(counted.out)["total_tokens"] == total


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--kb", "{kb}"], "--query"),
        (["--query", "   ", "--kb", "{kb}"], "query is empty"),
        (["--query", "x", "--query-file", "y", "--kb", "{kb}"], "either --query or --query-file"),
        (["--query-file", "{tmp}/none.txt", "--kb", "{kb}"], "none.txt"),
        (["--query", "x"], "--kb"),
        (["--query", "x", "--kb", "{tmp}/no-such-kb"], "no-such-kb"),
        (["--query", "x", "--kb", "{kb}", "--budget", "-5"], "-5"),
        (["--query", "x", "--kb", "{kb}", "--budget", "12.5"], "12.5"),
        (["--query", "x", "--kb", "{kb}", "--budget", "many"], "many"),
        (["--query", "x", "--kb", "{kb}", "--model", "gpt-4oo"], "gpt-4o"),
        (["--query", "x", "--kb", "{kb}", "--strategy", "best"], "ranked"),
        (["--query", "x", "--kb", "{kb}", "--order", "best"], "sandwich"),
        (["--query", "x", "--kb", "{kb}", "--format", "html"], "markdown"),
        (["--query", "x", "--kb", "{kb}", "--lambda", "1.5"], "1.5"),
        (["--query", "x", "--kb", "{kb}", "--lambda", "nan"], "nan"),
        (["--query", "x", "--kb", "{kb}", "--candidates", "0"], "candidates"),
        (["--query", "x", "--kb", "{kb}", "--top-k", "few"], "--top-k 12 or auto"),
        (["--query", "x", "--kb", "{kb}", "--budget", "1_000"], "1_000"),
        (["--query", "x", "--kb", "{kb}", "--pin", "no-such-chunk"], "no-such-chunk"),
        (["--query", "x", "--kb", "{kb}", "--attach", "{tmp}/none.md"], "none.md"),
        (["--query", "x", "--kb", "{kb}", "--history", "{tmp}/none.json"], "none.json"),
        (["--query", "x", "--kb", "{kb}", "--as-of", "yesterday"], "yesterday"),
        (["--query", "x", "--kb", "{kb}", "--profile", "{tmp}/none.yaml"], "none.yaml"),
        (["--query", "x", "--kb", "{kb}", "--budgt", "3"], "--budgt"),
        (["--query", "x", "--kb", ""], "knowledge base has no name"),
        (["--query", "x", "--kb", "{kb}", "--require-topic", " "], "topic ' ' is blank"),
    ],
)
def test_bad_input_is_two_lines_that_name_it(
    capsys: pytest.CaptureFixture[str],
    fixtures_dir: Path,
    tmp_path: Path,
    arguments: list[str],
    said: str,
) -> None:
    places = {"kb": fixtures_dir / "tax_kb", "tmp": tmp_path}
    out = tmp_path / "out"
    filled = [argument.format(**places) for argument in arguments]
    check_error(invoke(capsys, "pack", *filled, "--out", out), said)
    assert not out.exists()


def test_budget_zero_without_required_chunks_is_a_warned_empty_packet(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "note.txt").write_text("The cache is reset with the red button.", encoding="utf-8")
    outcome = invoke(
        capsys, "pack", "--query", "reset cache", "--kb", tmp_path / "note.txt", "--budget", 0,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert outcome.code == 1
    packet = json.loads((tmp_path / "out" / "context_packet.json").read_text(encoding="utf-8"))
    assert (tmp_path / "out" / "context.txt").read_bytes() == b""
    assert packet["packed_chunks"] == []
    assert packet["budget"]["packed_evidence"] == packet["budget"]["evidence_budget"] == 0
    assert [c["reason_code"] for c in packet["excluded_chunks"]] == ["exceeded_remaining_budget"]


def test_attached_and_pinned_material_is_in_before_anything_competes(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    attached = tmp_path / "my letter.md"
    attached.write_text("# Letter\n\nMy garden shed is my workshop.\n", encoding="utf-8")
    out = tmp_path / "out"
    outcome = invoke(
        capsys, "pack", "--query", QUERY, "--kb", fixtures_dir / "tax_kb", "--budget", 1500,
        "--attach", attached, "--pin", "tax-kb-0507", "--out", out,
    )  # fmt: skip
    assert outcome.code in {0, 1}
    packet = json.loads((out / "context_packet.json").read_text(encoding="utf-8"))
    codes = {chunk["chunk_id"]: chunk["reason_code"] for chunk in packet["packed_chunks"]}
    assert codes["regulatory_disclaimer"] == "mandatory"
    assert codes["tax-kb-0507"] == "pinned"
    assert codes["attached:my letter.md"] == "attached"
    assert "My garden shed is my workshop." in (out / "context.txt").read_text(encoding="utf-8")


def test_show_config_says_where_each_setting_comes_from(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path
) -> None:
    outcome = invoke(
        capsys, "pack", "--kb", fixtures_dir / "tax_kb", "--lambda", "0.4", "--show-config",
        "--json",
    )  # fmt: skip
    settings = {row["key"]: row for row in json.loads(outcome.out)["settings"]}
    assert settings["mmr_lambda"]["value"] == 0.4
    assert settings["mmr_lambda"]["source"] == "--lambda"
    assert "rerank_config.yaml" in settings["candidates"]["source"]
    assert settings["max_source_share"]["source"] == "default"


def test_unknown_command_names_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    check_error(invoke(capsys, "pakc"), "'pakc'", "packhorse pack")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("null", "holds null"),
        ("{}", ""),
        ("1" * 5000, "too many digits"),
        ("[" * 100_000, "is nested too deep"),
        ("[]\n[]\n", "is JSON Lines"),
        ("[NaN]", ""),
    ],
)
def test_a_history_that_is_no_list_of_messages_is_two_lines(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path, text: str, said: str
) -> None:
    history = tmp_path / "history.json"
    history.write_text(text, encoding="utf-8")
    check_error(
        invoke(
            capsys, "pack", "--query", "x", "--kb", fixtures_dir / "tax_kb", "--history", history,
            "--out", tmp_path / "out",
        ),
        said,
    )  # fmt: skip
    assert not (tmp_path / "out").exists()


def test_show_config_takes_every_flag_that_pack_takes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "profile.yaml").write_text("candidates: 7\n", encoding="utf-8")
    (tmp_path / "kb.yml").write_text("default_profile: profile.yaml\n", encoding="utf-8")
    outcome = invoke(
        capsys, "pack", "--kb", tmp_path, "--top-k", "5", "--require-topic", "refunds",
        "--show-config", "--json",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    settings = {row["key"]: row for row in json.loads(outcome.out)["settings"]}
    assert (settings["top_k"]["value"], settings["top_k"]["source"]) == (5, "--top-k")
    assert settings["candidates"]["value"] == 7
    (topics,) = (row for row in settings.values() if row["source"] == "--require-topic")
    assert topics["value"] == ["refunds"]


def test_a_file_that_is_attached_twice_is_in_once_and_a_binary_one_says_why(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "note.txt").write_text("The cache is reset with the red button.", encoding="utf-8")
    letter, blob = tmp_path / "letter.md", tmp_path / "blob.md"
    letter.write_text("My shed is my workshop.", encoding="utf-8")
    blob.write_bytes(b"\0\1")
    pack = ["pack", "--query", "reset cache", "--kb", tmp_path / "note.txt"]
    again = tmp_path / "." / "letter.md"
    outcome = invoke(capsys, *pack, "--attach", letter, "--attach", again, "--json")
    attached = [c for c in json.loads(outcome.out)["packed_chunks"] if "attached" in c["chunk_id"]]
    assert [chunk["chunk_id"] for chunk in attached] == ["attached:letter.md"]
    check_error(invoke(capsys, *pack, "--attach", blob, "--json"), "blob.md", "binary file")


def test_no_command_is_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    check_error(invoke(capsys), "No command given", "pack")


def test_out_without_a_name_is_refused(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path
) -> None:
    kb = fixtures_dir / "tax_kb"
    check_error(invoke(capsys, "pack", "--query", "x", "--kb", kb, "--out", ""), "--out")


def test_a_full_disk_is_no_fault_of_the_program(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("click.echo", full, raising=True)
    said: list[str] = []

    def heard(message: str, _hint: str) -> int:
        said.append(message)
        return 2

    monkeypatch.setattr("packhorse.cli.app._fail", heard)
    outcome = invoke(capsys, "pack", "--query", "x", "--kb", fixtures_dir / "tax_kb", "--json")
    assert outcome.code == 2
    assert said == ["No space left on device"]


def test_an_unknown_model_is_refused_before_anything_is_indexed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "note.txt").write_text("Press the red button.", encoding="utf-8")
    outcome = invoke(
        capsys, "pack", "--query", "x", "--kb", tmp_path / "note.txt", "--model", "acme-7b"
    )
    check_error(outcome, "acme-7b")
    assert "Indexing" not in outcome.err


def test_empty_chunks_are_counted_and_are_no_warning(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "kb"
    source.mkdir()
    texts = {"a": "the refund window is long", "b": "", "c": " \u200b"}
    lines = [json.dumps({"chunk_id": i, "source_id": i, "text": t}) for i, t in texts.items()]
    (source / "chunks.jsonl").write_text("\n".join(lines), encoding="utf-8")
    asked = ("--query", "refund window", "--kb", source, "--embedder", "none")
    for _ in ("indexed now", "from the cache"):
        outcome = invoke(capsys, "pack", *asked, "--out", tmp_path / "out")
        assert outcome.code == 0
        told = "[PASS] Source read: 2 empty chunks left out; `packhorse index` lists them\n"
        assert told in outcome.out


def test_rooms_and_notes_are_part_of_the_transcript(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    notes, sections = tmp_path / "notes.jsonl", tmp_path / "sections.yaml"
    notes.write_text('{"id": "n1", "text": "The office is large."}\n', encoding="utf-8")
    sections.write_text("memory: {floor: 10%, cap: 300}\n", encoding="utf-8")
    given = ("--kb", fixtures_dir / "tax_kb", "--budget", 2800, "--sections", sections)
    pack = ("pack", "--query", QUERY, *given)
    outcome = invoke(capsys, *pack, "--memory", notes, "--out", tmp_path / "out")
    check_ledger_told(outcome.out, tmp_path / "out", "memory")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert "[ROOM] evidence: asked 2800, got 2800 (must be in: 640; priority 3: 2,160)" in lines
    assert any(line.startswith("[PACK] Memory: 1 of 1 notes, ") for line in lines)
    written = (tmp_path / "out" / "messages.json").read_text("utf-8")
    assert "The office is large." in written
    Draft202012Validator(packet_schema()).validate(
        json.loads((tmp_path / "out" / "context_packet.json").read_text("utf-8"))
    )
    shown = invoke(capsys, *pack, "--show-config").out
    assert [line.split()[0] for line in shown.splitlines() if "--sections" in line] == [
        "sections.memory.floor",
        "sections.memory.cap",
    ]
    bad = tmp_path / "bad.yaml"
    bad.write_text("memori: {floor: 10}\n", encoding="utf-8")
    check_error(invoke(capsys, *pack[:-1], bad), "memori", "memory")


def check_ledger_told(said: str, out: Path, *added: str) -> None:
    """The line of the ledger names the sections of this run, then the question and the framing."""
    budget = json.loads((out / "context_packet.json").read_text(encoding="utf-8"))["budget"]
    line = next(line for line in said.splitlines() if line.startswith("[INFO] Token ledger: "))
    shown = [f"{name}={budget[name]}" for name in added]
    shown += [f"query={budget['query']}", f"overhead={budget['message_overhead']}"]
    assert line.endswith(", ".join(["", f"evidence_budget={budget['evidence_budget']}", *shown]))


def test_examples_and_tools_are_chosen_and_told(
    capsys: pytest.CaptureFixture[str], fixtures_dir: Path, tmp_path: Path
) -> None:
    examples, tools = tmp_path / "examples.jsonl", tmp_path / "tools.json"
    examples.write_text('{"id": "e1", "input": "A desk?", "output": "Yes."}\n', encoding="utf-8")
    defined = [{"name": name, "input_schema": {"type": "object"}} for name in ("office", "mail")]
    tools.write_text(json.dumps({"tools": defined}), encoding="utf-8")
    given = ("--kb", fixtures_dir / "tax_kb", "--budget", 2800, "--examples", examples)
    pack = ("pack", "--query", QUERY, *given, "--tools", tools, "--out", tmp_path / "out")
    outcome = invoke(capsys, *pack, "--max-tools", 1)
    check_ledger_told(outcome.out, tmp_path / "out", "tools", "few_shot")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert any(line.startswith("[PACK] Examples: 1 of 1, ") for line in lines)
    assert any(line.startswith("[PACK] Tools: 1 of 2, ") for line in lines)
    written = json.loads((tmp_path / "out" / "messages.json").read_text("utf-8"))
    assert [each["function"]["name"] for each in written["tools"]] == ["office"]
    assert "A desk?" in [message["content"] for message in written["messages"]]
    told = invoke(capsys, "why", tmp_path / "out", "mail").out
    assert told.startswith("mail: excluded, over_the_number_asked_for (1; score 0.000)")
    check_error(invoke(capsys, *pack, "--max-tools", "two"), "two", "--max-tools 8")
    check_error(invoke(capsys, *pack, "--pin-tool", "gone"), "gone", "office")
    check_error(invoke(capsys, *pack, "--tools", examples), "A tool is")


def test_section_says_where_no_headings_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    book = tmp_path / "docs"
    book.mkdir()
    seen = ("whales", "rain", "ice", "gulls", "smoke", "stars", "weed", "foam", "fog", "islands")
    days = [f"On day {n} {seen[n % 10]}, {seen[n // 10]} and nothing else." for n in range(60)]
    days[30] = "The lighthouse keeper waved at the whole crew of the ship from his tower."
    (book / "tale.txt").write_text("\n\n".join(days))
    (book / "guide.md").write_text("# Lamps\n\nA lamp needs oil.\n\n" + "\n\n".join(days[:9]))
    cut = ("--embedder", "none", "--chunk-tokens", 32, "-q")
    assert invoke(capsys, "index", book, "--kb", tmp_path / "kb", *cut).code == 0
    said = []
    for query, expand in (
        ("Did the lighthouse keeper wave?", "section"),
        ("Did the lighthouse keeper wave?", "neighbours"),
        ("Does a lamp need oil?", "section"),
    ):
        flags = ("--expand", expand, "--budget", 400, "--out", tmp_path / "out")
        outcome = invoke(capsys, "pack", "--query", query, "--kb", tmp_path / "kb", *flags)
        assert "[PACK] In with what they stand around: " in outcome.out
        said += [line for line in outcome.out.splitlines() if "Under no heading" in line]
    (line,) = said
    assert line.startswith(
        "[INFO] Under no heading: tale.txt. Up to 8 chunks in a row are a section"
    )

"""Selection in the page against selection in Python, over packets drawn at random."""

from __future__ import annotations

import base64
import copy
import math
import random
import subprocess
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.api import open_kb, pack
from packhorse.config import Profile
from packhorse.errors import BudgetError
from packhorse.explain.selection import Selection
from packhorse.packet.packet import Packet
from packhorse.pipeline import merged_ranks
from packhorse.profiles.profile import profile_to_dict
from packhorse.protocols import KnowledgeBase
from packhorse.report.whatif import MAX_ROWS, engine_script, packed_pairs, what_if
from tests.explain.random_packs import ALL_STRATEGIES, Request, random_packets
from tests.explain.test_selection import big_packet
from tests.report.engine_in_node import change_of, run_in_node, select_in_node

N_PACKETS = 120
N_SETTINGS = 5


def random_setting(chance: random.Random, data: dict[str, Any]) -> dict[str, Any]:
    """As somebody who pulls at everything, now and then to its end."""
    names = ("relevance", "trust", "freshness", "coverage")
    weights = {
        name: chance.choice((0.0, 1.0, round(chance.random(), 2), round(chance.random(), 6)))
        for name in names
    }
    if not any(weights.values()):
        weights["relevance"] = 0.01
    weights["deduplication"] = -chance.choice((0.0, 1.0, round(chance.random(), 2)))
    return {
        "budget": chance.choice((data["budget"], chance.randint(0, 2 * data["budget"]))),
        "lambda": chance.choice((0.0, 1.0, data["lambda"], round(chance.random(), 2))),
        "weights": chance.choice((weights, data["weights"])),
    }


def expected(selection: Selection, setting: dict[str, Any]) -> dict[str, Any] | None:
    """What Python selects with a setting; None where required chunks do not fit."""
    change = change_of(setting)
    own = selection.recorded
    ranking = selection.ranking(change)
    try:
        packing = selection.packing(change, ranking=ranking)
    except BudgetError:
        return None
    ids = [entry["chunk_id"] for entry in own.entries]
    merged = merged_ranks(ranking)
    return {
        "rows": [ids[row] for row in selection.reading_order(change)],
        "rank": {ids[row]: place for place, row in enumerate(merged, start=1)},
        "score": {ids[row]: float(np.rint(ranking.signals.score[row] * 1e6)) for row in merged},
        "out": {ids[row]: why for row, why in packing.excluded.items()},
        "tokens": packing.used_tokens,
        "value": packing.quality.value,
    }


def with_closing_notice(kb: KnowledgeBase, request: Request) -> Packet:
    """The packet with room kept for a notice, where there is enough of it."""
    profile = request.arguments["profile"] | {"closing_notice": True}
    return Request(request.query, request.arguments | {"profile": profile}).pack(kb)


def test_the_page_selects_what_python_selects() -> None:
    chance = random.Random(11)  # noqa: S311 - drawn the same way each time, and no secret
    cases, selections, n_refused = [], [], 0
    drawn = islice(random_packets(7, strategies=ALL_STRATEGIES), N_PACKETS)
    for number, (kb, request, plain) in enumerate(drawn):
        packet = plain if number % 3 else with_closing_notice(kb, request)
        data = what_if(packet.document)
        if data["unavailable"]:
            assert "integer solver" in data["unavailable"]
            n_refused += 1
            continue
        settings = [random_setting(chance, data) for _ in range(N_SETTINGS)]
        cases.append((data, settings))
        selections.append(Selection(packet.document))
    assert n_refused < N_PACKETS / 3
    n_chosen = 0
    answers = select_in_node(cases)
    for (data, settings), selection, found in zip(cases, selections, answers, strict=True):
        for setting, answer in zip(settings, found, strict=True):
            wanted = expected(selection, setting)
            if wanted is None or setting["budget"] == 0:
                assert "tooSmall" in answer or setting["budget"] == 0
                continue
            where = (data["strategy"], setting)
            for name in ("rows", "rank", "score"):
                assert answer[name] == wanted[name], (where, name)
            if not data["longest_notice"]:
                assert answer["tokens"] == wanted["tokens"] + data["budget"] - data["room"]
            assert answer["value"] == pytest.approx(wanted["value"], abs=2e-6), where
            for chunk_id, why in answer["out"].items():
                assert why["code"] == wanted["out"][chunk_id].code, (where, chunk_id)
            n_chosen += 1
    assert n_chosen > 300


@given(st.lists(st.integers(0, 1_000_000), min_size=1, max_size=60))
def test_similarities_take_twenty_bits_each_and_lose_nothing(values: list[int]) -> None:
    n_rows = next(n for n in range(2, 20) if n * (n - 1) // 2 >= len(values))
    wanted = [*values, *[7] * (n_rows * (n_rows - 1) // 2 - len(values))]
    table = np.zeros((n_rows, n_rows))
    table[np.triu_indices(n_rows, 1)] = wanted
    packed = base64.b64decode(packed_pairs(table))
    bits = int.from_bytes(packed, "little")
    assert [bits >> 20 * place & 0xFFFFF for place in range(len(wanted))] == wanted
    assert len(packed) == 5 * math.ceil(len(wanted) / 2)


def test_numbers_are_rounded_and_added_up_as_in_python() -> None:
    chance = random.Random(5)  # noqa: S311 - drawn the same way each time, and no secret
    halves = [n + 0.5 for n in range(-6, 6)]
    large = [2.0**51 + 0.5, -(2.0**51) - 0.5, 2.0**52 + 1, -(2.0**53), 1e300]
    numbers = [*halves, *large, *[chance.uniform(-1e7, 1e7) for _ in range(200)]]
    rows = [[chance.random() * 10 ** chance.randint(-8, 8) for _ in range(n)] for n in range(40)]
    rows += [[chance.random() for _ in range(n)] for n in (127, 128, 129, 200, 300)]
    script = """
      const { numbers, rows } = JSON.parse(require("fs").readFileSync(0, "utf8"));
      process.stdout.write(JSON.stringify({
        rint: numbers.map(rint),
        rounded: numbers.map((x) => rounded(x, 1e6)),
        pairwise: rows.map((row) => pairwiseSum(Float64Array.from(row), 0, row.length)),
        exact: rows.map(exactSum),
      }));
    """
    found = run_in_node(engine_script() + script, {"numbers": numbers, "rows": rows})
    assert found["rint"] == np.rint(numbers).tolist()
    assert found["rounded"] == np.round(numbers, 6).tolist()
    assert found["pairwise"] == [float(np.sum(np.array([row]), axis=1)[0]) for row in rows]
    assert found["exact"] == [math.fsum(row) for row in rows]


HOSTILE = (
    *("plain", "two words", "it's", 'say "it"', "$(touch x) `touch y` ; rm -rf ~", "a\\b'c\\", ""),
    *("-q", "--out=/tmp/x", "line\nline", "\x1b[31mred\x1b[0m", "\u202eabc\u202c", "!history", "~"),
    *(
        "*",
        "日本語 の質問",
        "tab\there",
        "\x9bcsi",
        "\u2028",
        "\U000e0041tag",
        "a\u200db",
        "#",
        "%s",
    ),
)


def test_a_shell_reads_back_what_the_page_quotes() -> None:
    script = (files("packhorse.report") / "assets" / "whatif_command.js").read_text("utf-8")
    script += """
      const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
      process.stdout.write(JSON.stringify(texts.map((text) => flagText(["--query", text]))));
    """
    quoted = run_in_node(script, HOSTILE)
    for text, flag in zip(HOSTILE, quoted, strict=True):
        assert flag.replace("\u200d", "").replace("\n", "").isprintable(), flag
        done = subprocess.run(
            ["/usr/bin/env", "bash", "-c", f"printf '%s\\0' {flag}"],
            capture_output=True,
            check=True,
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        )
        *arguments, _ = done.stdout.decode("utf-8").split("\0")
        wanted = [f"--query={text}"] if text.startswith("-") else ["--query", text]
        assert arguments == wanted


def test_a_packet_that_other_code_made_gets_a_message() -> None:
    _, _, packet = next(random_packets(5))
    document = copy.deepcopy(packet.to_dict())
    document["packed_chunks"][0]["score"] += 0.001
    data = what_if(document)
    assert "another version of Packhorse" in data["unavailable"]
    assert "rows" not in data
    assert data["budget"] == document["budget"]["evidence_budget"]


def test_many_candidates_take_the_knowledge_base() -> None:
    kb, packet = big_packet()
    assert "does not hold the similarities" in what_if(packet.document)["unavailable"]
    data = what_if(packet.document, kb)
    assert data["unavailable"] == ""
    assert 256 < len(data["rows"]["id"]) <= MAX_ROWS


def test_a_sum_that_the_finished_text_does_not_confirm_is_an_estimate() -> None:
    _, _, packet = next(random_packets(5, strategies=("ranked",)))
    document = copy.deepcopy(packet.to_dict())
    assert what_if(document)["estimated"] == []
    document["rendered"]["tokens"] -= 1
    document["tokenizer"]["exact"] = False
    assert len(what_if(document)["estimated"]) == 2


def test_a_profile_is_asked_for_where_it_says_more_than_the_flags(fixtures_dir: Path) -> None:
    kb = open_kb(fixtures_dir / "tax_kb")
    plain = profile_to_dict(Profile())

    def named(**arguments: Any) -> str | None:
        packet = pack("home office", kb, budget=2_000, as_of="2026-01-15", **arguments)
        name: str | None = what_if(packet.document)["profile"]
        return name

    assert named(profile=plain, lambda_=0.3, require_topics=["limits"]) is None
    assert named(profile=plain | {"max_packed_per_source": 2}) == "built-in"
    assert named() == "tax"

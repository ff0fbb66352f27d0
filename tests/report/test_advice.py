"""What the cards and the search of a report advise: levers that move what they speak of."""

from __future__ import annotations

import copy
import shlex
from pathlib import Path
from typing import Any

import pytest

from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.report.advice import not_found
from packhorse.report.candidates import CandidateView, candidate_views
from packhorse.report.page import asset
from packhorse.report.verdicts import Verdict, verdicts
from packhorse.report.view import report_view
from tests.explain.test_why import packet_of_every_kind
from tests.report.engine_in_node import run_in_node
from tests.report.samples import tax_kb, tax_packet


@pytest.fixture(scope="module")
def kb(fixtures_dir: Path) -> MemoryKnowledgeBase:
    return tax_kb(fixtures_dir)


@pytest.fixture(scope="module")
def diverse(kb: MemoryKnowledgeBase) -> dict[str, Any]:
    """Everything competes, and being unlike the others counts for most."""
    return tax_packet(kb, profile={"mmr_lambda": 0.3, "top_k": None}).to_dict()


@pytest.fixture
def document(kb: MemoryKnowledgeBase) -> dict[str, Any]:
    return copy.deepcopy(tax_packet(kb).to_dict())


def view_of(document: dict[str, Any], chunk_id: str) -> CandidateView:
    return next(each for each in candidate_views(document) if each.chunk_id == chunk_id)


def answer(document: dict[str, Any], question: str) -> Verdict:
    found = verdicts(document, candidate_views(document))
    return next(each for each in found if each.question == question)


def test_a_low_rank_is_told_as_one_with_the_stage_that_took_it_there(
    diverse: dict[str, Any],
) -> None:
    told = view_of(diverse, "tax-kb-0501")
    ranked, fitted = told.steps[1:3]
    assert (ranked.answer, ranked.tone) == ("low, rank 28 of 40", "look")
    assert (fitted.answer, fitted.tone) == ("nothing left", "look")
    assert told.changes[0].startswith("Diversity took it from rank 10 to 28")
    assert "--lambda nearer to 1" in told.changes[0]
    assert not any("split" in change for change in told.changes)


def test_trust_and_dates_are_named_where_they_took_it_down(diverse: dict[str, Any]) -> None:
    told = view_of(diverse, "tax-kb-0460")
    assert told.changes[0].startswith("Trust or date of its source took it from rank 7 to 33")
    assert "`weights`" in told.changes[0]


def test_relevance_is_named_where_it_never_was_near(document: dict[str, Any]) -> None:
    told = view_of(document, "tax-kb-0513")
    assert told.changes[0].startswith("By relevance it is rank 35 only: ask with the words")


def test_lambda_is_no_lever_at_score_alone(diverse: dict[str, Any]) -> None:
    document = copy.deepcopy(diverse)
    document["profile"]["mmr_lambda"] = 1
    (first, *_) = view_of(document, "tax-kb-0093").changes
    assert "--lambda" not in first
    assert "`weights` of deduplication" in first


def test_only_a_large_passage_within_reach_is_split(kb: MemoryKnowledgeBase) -> None:
    document = tax_packet(kb, budget=2400).to_dict()
    large, usual = view_of(document, "tax-kb-0142"), view_of(document, "tax-kb-0097")
    assert large.steps[1].tone == "good"
    assert large.steps[2].tone == "bad"
    assert any("split it smaller" in change for change in large.changes)
    assert not any("split" in change for change in usual.changes)


@pytest.mark.parametrize("order", ["relevance", "edges", "sandwich", "chronological"])
def test_the_order_in_force_is_never_advised(document: dict[str, Any], order: str) -> None:
    document["rendered"]["order"] = order
    views = [each for each in candidate_views(document) if each.is_in]
    middle = [each for each in views if each.steps[3].tone == "look"]
    assert middle
    for each in middle:
        assert f"--order {order}" not in each.changes[0]
        assert "--budget" not in each.changes[0]


def test_a_fall_by_diversity_is_told_before_any_order(document: dict[str, Any]) -> None:
    middle = document["packed_chunks"][4]
    by_own_score = [each for each in candidate_views(document) if each.ranks[3] == 2]
    assert by_own_score[0].chunk_id != middle["chunk_id"]
    middle |= {"relevance_score": 1.0, "dedup_penalty": 0.9}
    (change,) = view_of(document, middle["chunk_id"]).changes
    assert "Diversity took it from rank 1 to " in change
    assert "--order" not in change


def test_a_question_out_of_place_is_a_caution_where_the_best_by_words_is_in(
    document: dict[str, Any],
) -> None:
    document["coverage"]["in_domain"] = False
    document["packed_chunks"][0]["lexical_rank"] = 1
    found = answer(document, "Was something found?")
    assert found.tone == "look"
    assert "the first by words, is in" in found.detail
    assert found.change.startswith("If this is the right knowledge base, ")
    for each in document["packed_chunks"]:
        each["lexical_rank"] = None
    assert answer(document, "Was something found?").tone == "bad"


def test_a_duplicate_of_what_is_in_is_not_missing(document: dict[str, Any]) -> None:
    before = answer(document, "Did the most relevant get in?")
    assert before.answer == "3 of 8"
    assert "5 are out: 1 blocked source" in before.detail
    entry = next(e for e in document["excluded_chunks"] if e["chunk_id"] == "tax-kb-0014")
    kept = document["packed_chunks"][0]["chunk_id"]
    entry |= {"reason_code": "duplicate", "duplicate_of": kept}
    after = answer(document, "Did the most relevant get in?")
    assert after.answer == "4 of 8"
    assert "duplicate" not in after.detail


def test_the_change_is_about_what_no_rule_keeps_out(document: dict[str, Any]) -> None:
    change = answer(document, "Did the most relevant get in?").change
    assert change.startswith("tax-kb-0142: ")


def test_only_relevant_passages_are_missed(document: dict[str, Any]) -> None:
    found = answer(document, "Did it fit?")
    assert (found.answer, found.tone) == ("not all", "look")
    assert "4 relevant passages did not fit" in found.detail
    for each in document["excluded_chunks"]:
        each["relevance_score"] = 0.01
    found = answer(document, "Did it fit?")
    assert (found.answer, found.tone, found.change) == ("what is relevant", "good", "")
    assert "5 ranked passages were left out, none of them half as relevant" in found.detail


def test_more_candidates_are_advised_only_where_there_are_more(document: dict[str, Any]) -> None:
    assert "--candidates" in answer(document, "Was something found?").change
    document["coverage"]["missing"] = [document["coverage"]["covered"].pop()]
    assert "--candidates" in answer(document, "Is every topic there?").change
    every = packet_of_every_kind()
    assert every.document["packing"]["candidates"] == every.document["kb"]["chunks"]
    document["kb"]["chunks"] = document["packing"]["candidates"]
    assert answer(document, "Was something found?").change == ""
    assert "--candidates" not in answer(document, "Is every topic there?").change
    assert "retrieval gave everything that it found" in report_view(every).not_found


def test_a_search_that_found_less_than_it_might_finds_no_more(document: dict[str, Any]) -> None:
    assert "--candidates" in not_found(document)
    document["profile"]["candidates"] += 1
    assert "--candidates" not in not_found(document)


def test_an_attached_file_is_no_chunk_of_the_knowledge_base(document: dict[str, Any]) -> None:
    packing = document["packing"]
    document["kb"]["chunks"] = packing["candidates"]
    assert "--candidates" not in not_found(document)
    packing["attached"] = [{"chunk_id": "a-file"}]
    assert "--candidates" in not_found(document)


def test_one_is_one(document: dict[str, Any]) -> None:
    document["packing"]["retrieved"] = document["kb"]["chunks"] = 1
    assert "1 passage of 1 in tax_kb was found" in answer(document, "Was something found?").detail


IDS = ("tax-kb-0142", "it's $HOME `x`", "-v", "a b\\c", "C:\\new", "\u4e2d", "tab\\there")


def test_an_id_of_the_command_is_read_back_by_a_shell() -> None:
    script = (
        f"{asset('why_command.js')}\n"
        'const ids = JSON.parse(require("fs").readFileSync(0, "utf8"));'
        "process.stdout.write(JSON.stringify(ids.map(whyCommand)));"
    )
    commands = run_in_node(script, list(IDS))
    assert [shlex.split(each)[-1] for each in commands] == list(IDS)
    assert commands[0] == "packhorse why PACKET tax-kb-0142"
    assert commands[2] == "packhorse why -- PACKET -v"
    assert run_in_node(script, ["\\u202eit's\\new"]) == [
        "packhorse why PACKET $'\\u202eit\\'s\\\\new'"
    ]


def test_as_recorded_the_recorded_tokens_are_shown_and_nothing_is_estimated() -> None:
    scripts = "".join(asset(f"whatif{part}.js") for part in ("_command", "_view"))
    script = (
        f"const MILLION = 1e6;\n{scripts}\n"
        'const data = JSON.parse(require("fs").readFileSync(0, "utf8"));'
        "const found = { rows: [0, 1], tokens: 792, budget: 900, value: 1 };"
        "const told = [true, false].map((is) => summaryText(data, found, is));"
        "process.stdout.write(JSON.stringify(told));"
    )
    data = {"estimated": ["a closing notice takes room"], "recorded": {"tokens": 779}}
    assert run_in_node(script, data) == [
        "2 chunks, 779 of 900 tokens (86.6%), value 1.000",
        "2 chunks, about 792 of 900 tokens (88.0%), value 1.000",
    ]


def test_a_passage_that_only_a_mention_led_to_was_retrieved(document: dict[str, Any]) -> None:
    entry = document["packed_chunks"][0]
    entry |= {"lexical_rank": None, "dense_rank": None}
    assert view_of(document, entry["chunk_id"]).steps[0].answer == "no"
    entry |= {"named_as": "Form 8829", "followed_from": {"chunk_id": "a-1", "name": "the form"}}
    (found, *_) = view_of(document, entry["chunk_id"]).steps
    assert (found.answer, found.tone) == ("yes", "good")
    assert found.detail.endswith(
        "; named by the question, as 'Form 8829'; mentioned by a-1, as 'the form'"
    )

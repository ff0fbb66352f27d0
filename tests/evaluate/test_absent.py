"""What questions name and the dataset does not hold is counted and named, and moves no figure."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from packhorse.evaluate.absent import absences_in
from packhorse.evaluate.dataset import read_dataset
from tests.cli.command import invoke
from tests.evaluate.conftest import Written
from tests.evaluate.test_dataset import write_beir

PASSAGES = (
    {"id": "a", "text": "Rent is due on the first. It is paid by transfer."},
    {"id": "b", "text": "Pets are allowed."},
)
QUESTIONS = (
    {
        "id": "q1",
        "query": "When is rent due?",
        "gold": ["a"],
        "gold_spans": [
            {"chunk": "a", "text": "Rent is due, on the first"},
            {"chunk": "a", "text": "Rent is due on the second."},
            {"chunk": "b", "text": "It is paid by transfer."},
        ],
    },
    {"id": "q2", "query": "Pets?", "gold": ["b"], "gold_spans": [{"text": "Dogs are allowed."}]},
    {"id": "q3", "query": "And cats?", "gold": ["b"], "conversation": "talk"},
    {"id": "q4", "query": "And how?", "gold": ["a"], "conversation": "gone"},
)
TALK = [{"id": "talk", "turns": [{"speaker": "user", "text": "Pets?"}]}]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_spans_and_conversations_that_are_not_there_are_counted_and_named(written: Written) -> None:
    dataset = read_dataset(written(PASSAGES, QUESTIONS, conversations=TALK))
    conversations, spans = absences_in(dataset)
    assert (conversations.kind, conversations.count, conversations.of) == ("conversations", 1, 2)
    assert conversations.first == ("gone of question q4",)
    assert (spans.kind, spans.count, spans.of) == ("gold_spans", 3, 4)
    assert spans.first == ("question q1", "question q2")
    assert spans.text.endswith("left out: 3 of 4, for example question q1, question q2")
    assert absences_in(replace(dataset, questions=dataset.questions[2:3])) == ()


def test_a_turn_behind_the_end_of_a_conversation_is_told(written: Written) -> None:
    talk = [{"id": "talk", "turns": [{"speaker": "user", "text": text} for text in "abc"]}]
    rows = [
        {"id": f"q{at}", "query": "?", "gold": ["a"], "conversation": "talk", "turn_index": at}
        for at in range(6)
    ]
    dataset = read_dataset(written(PASSAGES, rows, conversations=talk))
    assert [len(question.history) for question in dataset.questions] == [0, 1, 2, 3, 3, 3]
    (absence,) = absences_in(dataset)
    assert (absence.kind, absence.count, absence.of) == ("turns", 2, 6)
    assert absence.first == ("talk of question q4", "talk of question q5")


def test_many_are_counted_and_three_are_named(written: Written) -> None:
    rows = [
        {"id": f"q{at}", "query": "?", "gold": ["a"], "conversation": f"c{at}"} for at in range(9)
    ]
    (absence,) = absences_in(read_dataset(written(PASSAGES, rows)))
    assert absence.text.endswith(
        ": 9 of 9, for example c0 of question q0, c1 of question q1, c2 of question q2"
    )


def test_eval_warns_of_them_in_text_and_in_json(
    written: Written, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(PASSAGES, QUESTIONS, conversations=TALK)
    flags = ("--out", tmp_path / "out", "--budgets", "50", "--embedder", "none", "--json", "-q")
    outcome = invoke(capsys, "eval", folder, *flags)
    assert outcome.code == 0
    (told,) = json.loads(outcome.out)["datasets"]
    assert [each["kind"] for each in told["not_there"]] == ["conversations", "gold_spans"]
    warned = [f"[WARN] small: {each['text']}" for each in told["not_there"]]
    assert outcome.err.splitlines() == warned
    (configuration,) = told["configurations"]
    assert configuration["budgets"]["50"]["span_recall"] == {"mean": 1.0, "n": 1}


def test_gold_that_the_corpus_does_not_hold_stays_in_the_denominator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "beir"
    folder.mkdir()
    lines = ("q\t2\t1", "q\t9\t1", "z\t1\t1")
    write_beir(folder, qrels="query-id\tcorpus-id\tscore\n" + "\n".join(lines) + "\n")
    (folder / "corpus.jsonl").write_text('{"_id": "1", "text": "x"}\n{"_id": "2", "text": "why"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "why"}\n')
    flags = ("--budgets", "50", "--embedder", "none", "--json")
    outcome = invoke(capsys, "eval", folder, "--out", tmp_path / "out", *flags)
    assert outcome.code == 0, outcome.err
    (told,) = json.loads(outcome.out)["datasets"]
    assert [(each["kind"], each["count"], each["of"]) for each in told["not_there"]] == [
        ("gold", 1, 2),
        ("judged_questions", 1, 2),
    ]
    assert told["not_there"][0]["first"] == ["9 of question q"]
    (configuration,) = told["configurations"]
    at_50 = configuration["budgets"]["50"]
    assert (at_50["gold_recall"]["mean"], at_50["lost_in_retrieval"]["mean"]) == (0.5, 0.5)
    assert at_50["all_gold"]["mean"] == 0
    assert configuration["ranking"]["recall@20"]["mean"] == 0.5
    assert "[WARN] beir: Judged passages that are not in the corpus" in outcome.err


def test_tune_warns_of_them_too(
    written: Written, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(PASSAGES, QUESTIONS, conversations=TALK)
    flags = ("--out", tmp_path / "t.yaml", "--budgets", "50", "--embedder", "none", "--json", "-q")
    outcome = invoke(capsys, "tune", folder, *flags)
    assert outcome.code == 1
    told = json.loads(outcome.out)["dataset"]["not_there"]
    assert [each["kind"] for each in told] == ["conversations", "gold_spans"]
    assert outcome.err.count("[WARN] small: ") == 2

"""Reading datasets: what is taken, and which line is refused with which reason."""

from pathlib import Path
from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.evaluate.dataset import Span, read_dataset
from tests.evaluate.conftest import Written

PASSAGES = ({"id": "a", "title": "A  title", "text": "One."}, {"id": "b", "text": "Two."})
QUESTION = {"id": "q", "query": "Which?", "gold": ["b", "a"]}


def test_a_passage_is_a_chunk_with_its_title_as_header(written: Written) -> None:
    corpus = [
        {"id": "a", "title": "A  title", "text": "One.", "source": "web", "topics": ["y", "x"]},
        {"id": "b", "text": "", "timestamp": "2026-01-02", "other": {"kept": "out"}},
    ]
    first, second = read_dataset(written(corpus, [QUESTION])).passages
    assert (first.header, first.source_id) == ("A title", "web")
    assert first.topic_tags == (("x", 1.0), ("y", 1.0))
    assert (second.header, second.source_id, second.text) == ("", "b", "")
    assert second.timestamp is not None
    assert second.timestamp.isoformat() == "2026-01-02T00:00:00+00:00"


def test_a_question_keeps_what_is_known_about_its_answer(written: Written) -> None:
    row = {
        **QUESTION,
        "answers": ["Two"],
        "grades": {"a": 3, "b": 1.5},
        "gold_spans": [{"chunk": "b", "text": "Two.", "label": "support"}, {"text": "One."}],
    }
    (question,) = read_dataset(written(PASSAGES, [row])).questions
    assert question.gold == ("a", "b")
    assert question.grades == {"a": 3.0, "b": 1.5}
    assert question.spans == (Span(text="Two.", passage="b"), Span(text="One.", passage=None))


def test_gold_that_is_named_twice_counts_once(written: Written) -> None:
    (question,) = read_dataset(written(PASSAGES, [{**QUESTION, "gold": ["b", "b"]}])).questions
    assert question.gold == ("b",)


def test_gold_without_a_grade_has_grade_one_and_a_grade_of_zero_is_none(written: Written) -> None:
    row = {**QUESTION, "gold": ["b"], "grades": {"a": 0}}
    (question,) = read_dataset(written(PASSAGES, [row])).questions
    assert question.grades == {"b": 1.0}


def test_a_conversation_gives_the_turns_before_the_question(written: Written) -> None:
    turns = [
        {"speaker": "user", "text": "Hello"},
        {"speaker": "agent", "text": "Hi"},
        {"speaker": "user", "text": "Which?"},
    ]
    folder = written(
        PASSAGES,
        [
            {**QUESTION, "conversation": "c"},
            {**QUESTION, "id": "q2", "conversation": "c", "turn_index": 1},
            {**QUESTION, "id": "q3", "conversation": "unknown"},
        ],
        conversations=[{"id": "c", "turns": turns}],
    )
    last, second, none = read_dataset(folder).questions
    assert [(each.role, each.content) for each in last.history] == [
        ("user", "Hello"),
        ("assistant", "Hi"),
    ]
    assert len(second.history) == 1
    assert none.history == ()


@pytest.mark.parametrize(
    ("corpus", "queries", "reason"),
    [
        ([*PASSAGES, {"id": "a", "text": ""}], [QUESTION], "'a' is on line 1 already"),
        ([{"id": "a"}], [QUESTION], "text is missing"),
        ([{"id": " ", "text": "x"}], [QUESTION], "id is blank"),
        ([{"id": "a", "text": 3}], [QUESTION], "text is a number, not text"),
        ([{"id": "a", "text": "x", "timestamp": "soon"}], [QUESTION], "timestamp: "),
        ([{"id": "a", "text": "x", "Topic": []}], [QUESTION], "likely meant as 'topics'"),
        ([{"id": "a", "text": "x", "topics": "x"}], [QUESTION], "topics is text, not a list"),
        (PASSAGES, [{"id": "q", "query": "x"}], "gold is missing"),
        (PASSAGES, [{"id": "q", "query": "x", "glod": []}], "'glod', likely meant as 'gold'"),
        (PASSAGES, [{**QUESTION, "answer": "x"}], "'answer', likely meant as 'answers'"),
        (PASSAGES, [{**QUESTION, "query": "\t"}], "query is blank"),
        (PASSAGES, [{**QUESTION, "gold": ["c"]}], "gold 'c' is not in the corpus"),
        (PASSAGES, [{**QUESTION, "grades": {"c": 1}}], "grades names 'c'"),
        (PASSAGES, [{**QUESTION, "grades": {"a": -1}}], "'a' is -1, not 0 or more"),
        (PASSAGES, [{**QUESTION, "grades": {"a": True}}], "'a' is true or false, not a number"),
        (PASSAGES, [{**QUESTION, "grades": {"a": 0}}], "'a' is gold and has grade 0"),
        (PASSAGES, [{**QUESTION, "grades": [1]}], "grades is a list"),
        (PASSAGES, [{**QUESTION, "gold_span": []}], "likely meant as 'gold_spans'"),
        (PASSAGES, [{**QUESTION, "gold_spans": ["x"]}], "an item of gold_spans is text"),
        (PASSAGES, [{**QUESTION, "gold_spans": [{"text": "x", "chunk": "c"}]}], "names 'c'"),
        (PASSAGES, [QUESTION, QUESTION], "'q' is on line 1 already"),
        (PASSAGES, [{**QUESTION, "turn_index": "1"}], "turn_index is not a whole number"),
    ],
)
def test_a_bad_line_is_refused_with_file_line_and_reason(
    corpus: Any, queries: Any, reason: str, written: Written
) -> None:
    folder = written(corpus, queries)
    with pytest.raises(InputError) as caught:
        read_dataset(folder)
    assert reason in caught.value.message
    at_fault = (("corpus", corpus), ("queries", queries))
    ends = [f", {folder / f'{name}.jsonl'} line {len(rows)}" for name, rows in at_fault]
    assert caught.value.message.endswith(tuple(ends))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"id": "a"', "not valid JSON"),
        (b"\xff\xfe", "UTF-16"),
        (b'{"id": "\xff"}', "not UTF-8 text (byte 9 of the line)"),
        (b"\n\n", "holds no passage"),
    ],
)
def test_what_is_no_jsonl_is_refused(content: bytes, reason: str, written: Written) -> None:
    folder = written(PASSAGES, [QUESTION])
    (folder / "corpus.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=r".") as caught:
        read_dataset(folder)
    assert reason in caught.value.message


def test_questions_without_any_gold_are_refused(written: Written) -> None:
    folder = written(PASSAGES, [{**QUESTION, "gold": []}])
    with pytest.raises(InputError, match="names a gold passage"):
        read_dataset(folder)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_a_missing_file_is_named(name: str, written: Written) -> None:
    folder = written(PASSAGES, [QUESTION])
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"has no {name}"):
        read_dataset(folder)
    with pytest.raises(InputError, match="No dataset at"):
        read_dataset(folder / "nowhere")


def test_the_digest_is_that_of_what_is_read(written: Written) -> None:
    first = read_dataset(written(PASSAGES, [QUESTION]))
    unread = read_dataset(written(PASSAGES, [{**QUESTION, "type": "new"}]))
    other = read_dataset(written(PASSAGES, [{**QUESTION, "gold": ["a"]}]))
    assert first.digest == unread.digest
    assert first.digest != other.digest


def write_beir(folder: Path, *, qrels: str) -> Path:
    """Writes a dataset in the BEIR layout."""
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    (folder / "corpus.jsonl").write_text(
        '{"_id": "1", "title": "T", "text": "x", "metadata": {}}\n'
        '{"_id": "2", "title": "", "text": "y"}\n'
    )
    (folder / "queries.jsonl").write_text('{"_id": "p", "text": "?"}\n{"_id": "q", "text": "!"}\n')
    return folder


def test_the_layout_of_beir_is_read(tmp_path: Path) -> None:
    folder = write_beir(tmp_path, qrels="query-id\tcorpus-id\tscore\nq\t2\t2\nq\t1\t-1\n")
    dataset = read_dataset(folder)
    assert [passage.header for passage in dataset.passages] == ["T", ""]
    (question,) = dataset.questions  # p is judged in another split
    assert (question.id, question.gold, question.grades) == ("q", ("2",), {"2": 2.0})


def test_another_split_of_beir_is_read_when_it_is_named(tmp_path: Path) -> None:
    folder = write_beir(tmp_path, qrels="query-id\tcorpus-id\tscore\nq\t2\t1\n")
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\np\t1\t1\n")
    assert [each.id for each in read_dataset(folder).questions] == ["q"]
    assert [each.id for each in read_dataset(folder, split="dev").questions] == ["p"]
    with pytest.raises(InputError, match="no judgements named 'train'") as caught:
        read_dataset(folder, split="train")
    assert "It has: dev, test" in caught.value.hint


def test_a_split_of_the_own_layout_is_refused(written: Written) -> None:
    with pytest.raises(InputError, match="has no split 'dev'"):
        read_dataset(written(PASSAGES, [QUESTION]), split="dev")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("q\t2", "2 columns"),
        ("q\t2\t1.5", "score '1.5' is not a whole number"),
        ("q\t1\t1", "passage '1' is judged twice"),
    ],
)
def test_a_bad_judgement_is_refused_with_its_line(line: str, reason: str, tmp_path: Path) -> None:
    folder = write_beir(tmp_path, qrels=f"query-id\tcorpus-id\tscore\nq\t1\t1\n{line}\n")
    with pytest.raises(InputError) as caught:
        read_dataset(folder)
    assert reason in caught.value.message
    assert caught.value.message.endswith("test.tsv line 3")


def test_judgements_of_what_the_folder_does_not_hold_are_kept_apart(tmp_path: Path) -> None:
    lines = ("q\t2\t1", "q\t9\t2", "q\t8\t0", "z\t2\t1")
    folder = write_beir(tmp_path, qrels="query-id\tcorpus-id\tscore\n" + "\n".join(lines) + "\n")
    dataset = read_dataset(folder)
    (question,) = dataset.questions
    assert (question.gold, question.grades) == (("2", "9"), {"2": 1.0, "9": 2.0})
    assert dataset.unasked == ("z",)


def test_judgements_of_another_corpus_are_refused(tmp_path: Path) -> None:
    folder = write_beir(tmp_path, qrels="query-id\tcorpus-id\tscore\nq\t9\t1\nq\t8\t1\n")
    with pytest.raises(InputError, match=r"judges relevant is in the corpus, '8' for example"):
        read_dataset(folder)


def test_another_word_that_begins_like_a_key_is_no_slip(written: Written) -> None:
    passages = [{**PASSAGES[0], "subtitle": "x"}, *PASSAGES[1:]]
    folder = written(passages, [{**QUESTION, "answer_type": "date"}])
    assert len(read_dataset(folder).questions) == 1

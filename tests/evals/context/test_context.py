"""What is measured about surroundings is what stands in the documents."""

import json
import math
from pathlib import Path

import pytest

from evals.context.__main__ import main
from evals.context.cutting import cut
from evals.context.documents import Asked, LongDocument, Place, documents_of
from evals.context.measure import BUDGETS, EXPANSIONS, measured
from evals.context.metrics import around_recall, evidence_recall
from evals.context.rules import RULES
from tests.properties.hashed_embedder import HashedEmbedder

PARAGRAPHS = [
    f"Paragraph {n} tells of harbour number {n}. It has {n * 7} old cranes." for n in range(1, 9)
]


def place(start: int, end: int, document: str = "d") -> Place:
    return Place(document=document, start=start, end=end)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of two articles, each of four paragraphs."""
    folder = tmp_path / "squad"
    folder.mkdir()
    passages = [
        {"id": f"p{n}", "title": f"Article {n // 4}", "text": text, "source": "s"}
        for n, text in enumerate(PARAGRAPHS)
    ]
    questions = [
        {"id": "q1", "query": "How many cranes has harbour number 3?", "gold": ["p2"],
         "answers": ["21 old cranes"]},
        {"id": "q2", "query": "harbour number 6", "gold": ["p5"], "answers": []},
    ]  # fmt: skip
    for name, rows in (("corpus", passages), ("queries", questions)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_paragraphs_of_a_title_are_one_document_and_its_sections(folder: Path) -> None:
    documents, questions = documents_of(folder)
    assert [document.text for document in documents] == [
        "\n\n".join(PARAGRAPHS[:4]),
        "\n\n".join(PARAGRAPHS[4:]),
    ]
    for document in documents:
        assert [document.text[at:].split("\n")[0] for at in document.sections] == (
            document.text.split("\n\n")
        )
    text_of = {document.id: document.text for document in documents}
    ((found,),) = questions[0].wanted
    assert text_of[found.document][found.start : found.end] == "21 old cranes"
    (around,) = questions[0].around
    assert text_of[around.document][around.start : around.end] == PARAGRAPHS[2]
    assert questions[1].wanted == ()


def test_chunks_stand_where_they_say_and_know_their_section() -> None:
    text = "\n\n".join(PARAGRAPHS[:4])
    starts = tuple(text.index(paragraph) for paragraph in PARAGRAPHS[:4])
    document = LongDocument(id="d", title="Harbours", text=text, sections=starts)
    chunks, place_of = cut([document], 16)
    assert len(chunks) > 4
    assert len({chunk.section_id for chunk in chunks}) == 4
    for chunk in chunks:
        where = place_of[chunk.chunk_id]
        assert text[where.start : where.end] == chunk.text


def test_evidence_counts_where_chunks_in_a_row_hold_it_together() -> None:
    asked = Asked(text="q", wanted=((place(8, 15),), (place(30, 40),)), around=(place(0, 20),))
    assert evidence_recall(asked, [place(0, 10)]) == 0.0
    assert evidence_recall(asked, [place(12, 20), place(0, 10)]) == 0.5
    assert evidence_recall(asked, [place(14, 20), place(0, 10)]) == 0.0
    assert evidence_recall(asked, [place(0, 50, "other")]) == 0.0
    assert evidence_recall(asked, [place(0, 50)]) == 1.0
    assert math.isnan(evidence_recall(Asked(text="q", wanted=(), around=()), []))


def test_any_place_of_a_group_is_enough() -> None:
    asked = Asked(text="q", wanted=((place(8, 15), place(60, 67)),), around=())
    assert evidence_recall(asked, [place(55, 70)]) == 1.0


def test_surroundings_count_by_their_characters() -> None:
    asked = Asked(text="q", wanted=(), around=(place(0, 20), place(40, 60)))
    assert around_recall(asked, [place(0, 10), place(50, 80)]) == 0.5


def test_every_way_is_measured_at_every_budget(folder: Path) -> None:
    documents, questions = documents_of(folder)
    found = measured(documents, questions, 16, HashedEmbedder(), with_rules=True)
    assert set(found) == {*EXPANSIONS, *RULES}
    assert {len(figures) for figures in found.values()} == {len(BUDGETS)}
    # Everything fits into the largest budget.
    assert {figures[-1] for figures in found.values()} == {(1.0, 1.0)}


def test_without_data_there_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path / "nowhere"), "--cache", str(tmp_path)]) == 2
    assert "[ERROR] No dataset at" in capsys.readouterr().err

"""Names in questions, and what chunks mention: fast as slow, on disk as in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import StoreError
from packhorse.kb.check import check_index
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.kb.writer import IndexWriter
from packhorse.types.chunk import Chunk
from tests.kb.plain_mentions import PlainMentions
from tests.strategies import raw_texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from packhorse.protocols import Reference

POLICY = KnowledgeBasePolicy(name="test")

FILMS = (
    ("ada", "Ada Bright", "Ada Bright directed The Silver Heron, a drama about a lighthouse."),
    ("heron", "The Silver Heron", "The Silver Heron is a film that was shot in Port Ellery."),
    ("port", "Port Ellery", "Port Ellery is a town of 4,000 people on the north coast."),
    ("boat", "Boats", "Boats float on water, and some of them carry goods."),
)
PIECES = (
    "Ada Bright", "The Silver Heron", "the silver heron", "Port Ellery", "Boats", "boat", "the of",
    "Ada", "Section 4.2", "see § 4.2(c)", "## 4.2 Limits\n", "# Chapter 3: Boats\n", "Chapter 3",
    "[this](other.md#limits)", "[that](#boats)", '(the "Fund")', '"Gross income" means', "Fund",
    "gross income", "ERR_CLOSED", "- `ERR_CLOSED`: it is closed\n", "def parse_it(a):\n",
    "parse_it()", "東京タワー", "東京タワーの入口", "is a", ".", ",", "(", ")", "\n", "word",
)  # fmt: skip
some_text = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join) | raw_texts(max_pieces=6)


@st.composite
def corpora(draw: st.DrawFn) -> list[Chunk]:
    return [
        Chunk(
            chunk_id=f"c{n}",
            source_id=draw(st.sampled_from(["doc.md", "other.md", "folder/third.md"])),
            header=draw(st.sampled_from(["", *PIECES[:8], "Boats / Ada Bright", "4.2 Limits"])),
            text=draw(some_text),
            section_id=draw(st.sampled_from(["", "limits", "4.2"])),
            position_in_source=draw(st.integers(0, 3)),
        )
        for n in range(draw(st.integers(0, 8)))
    ]


def in_memory(chunks: Sequence[Chunk]) -> MemoryKnowledgeBase:
    return MemoryKnowledgeBase(chunks, policy=POLICY)


def on_disk(folder: Path, chunks: Sequence[Chunk]) -> LocalKnowledgeBase:
    with IndexWriter(folder, embedder=None) as writer:
        writer.stage("origin", chunks)
        writer.commit()
    return LocalKnowledgeBase(folder, policy=POLICY)


def films() -> list[Chunk]:
    return [
        Chunk(chunk_id=name, source_id=name, header=title, text=text) for name, title, text in FILMS
    ]


def document(*chunks: Chunk, source_id: str = "tax.md") -> list[Chunk]:
    return [
        replace(chunk, chunk_id=f"{source_id}#{n:04d}", source_id=source_id, position_in_source=n)
        for n, chunk in enumerate(chunks)
    ]


def passage(text: str, header: str = "") -> Chunk:
    return Chunk(chunk_id="", source_id="", text=text, header=header)


def noise(n: int = 30) -> list[Chunk]:
    """Other documents, so that a name is rare."""
    words = ["wind", "rain", "snow", "ice", "fog", "hail", "sun", "cloud", "storm", "frost"]
    return [
        Chunk(chunk_id=f"n{at}", source_id=f"n{at}", text=f"{words[at % 10]} number{at} was seen")
        for at in range(n)
    ]


def ids(references: Sequence[Reference]) -> list[str]:
    return [each.chunk_id for each in references]


def mentioned(chunks: Sequence[Chunk], at: int, question: str = "what") -> list[tuple[str, str]]:
    with in_memory([*chunks, *noise()]) as kb:
        (found,) = kb.mentions([chunks[at]], question)
        return [(each.chunk_id, each.name) for each in found]


def strengths(references: Sequence[Reference]) -> dict[str, float]:
    return {each.chunk_id: each.strength for each in references}


def test_question_names_chunks_and_chunks_mention_others() -> None:
    kb = in_memory(films())
    question = "In which town was the film by Ada Bright shot?"
    assert ids(kb.named(question)) == ["ada"]
    of_ada, of_heron = kb.mentions(list(kb.get(["ada", "heron"]).values()), question)
    assert ids(of_ada) == ["heron"]
    assert ids(of_heron) == ["port"]
    assert 0 < of_heron[0].strength <= 1
    assert of_heron[0].name == "Port Ellery"


@given(corpora(), some_text)
def test_memory_finds_what_scanning_everything_finds(chunks: list[Chunk], question: str) -> None:
    kb, plain = in_memory(chunks), PlainMentions(chunks)
    assert strengths(kb.named(question)) == pytest.approx(plain.named(question), abs=2e-6)
    for chunk, found in zip(chunks, kb.mentions(chunks, question), strict=True):
        assert strengths(found) == pytest.approx(plain.mentions(chunk, question), abs=2e-6)
        assert chunk.chunk_id not in ids(found)


def test_disk_and_memory_answer_alike_after_changes_as_after_a_fresh_build(tmp_path: Path) -> None:
    chunks = [*films(), *noise(), *document(*TAX)]
    first = [*chunks[2:], replace(chunks[0], header="Another"), passage_of("gone", "Port Ellery")]
    on_disk(tmp_path / "a", first).close()
    changed, fresh = on_disk(tmp_path / "a", chunks), on_disk(tmp_path / "b", chunks)
    memory = in_memory(chunks)
    question = "Ada Bright and Section 4.2 on the coast"
    expected = memory.named(question), memory.mentions(chunks, question)
    assert expected[0]
    assert sum(map(bool, expected[1])) > 2
    for kb in (changed, fresh):
        assert (kb.named(question), kb.mentions(chunks, question)) == expected
        check_index(kb)
    for name in ("names.keys", "names.ends", "names.held", "names.called"):
        files = [kb.manifest.files[name] for kb in (changed, fresh)]
        assert files[0] == files[1]
    for kb in (changed, fresh):
        kb.close()


def passage_of(name: str, header: str) -> Chunk:
    return Chunk(chunk_id=name, source_id=name, header=header, text="something")


TAX = (
    passage("# Home Office Guide\nWho may deduct is said in Section 4.2 and § 280A(c)."),
    passage("Send Form 8829, and read [the limits](#42-limits-of-deduction).", "Home Office Guide"),
    passage("## 4.2 Limits of Deduction\nNo more than gross income.", "Home Office Guide"),
    passage("More about limits.", "Home Office Guide / 4.2 Limits of Deduction"),
    passage("## § 280A. Disallowance\nSee the Home Office Guide.", "Home Office Guide"),
    passage('"Gross income" means all income.\n', "Home Office Guide"),
    passage("## Form 8829: Expenses\nIt raises ERR_TOO_LATE.", "Home Office Guide"),
    passage("## Errors\n- `ERR_TOO_LATE`: after the date\n", "Home Office Guide"),
)


def test_cross_references_lead_to_sections_of_their_own_source() -> None:
    chunks = document(*TAX)
    others = document(passage("## 4.2 Boats\nBoats."), source_id="other.md")
    assert mentioned([*chunks, *others], 0) == [
        ("tax.md#0002", "Section 4.2"),
        ("tax.md#0004", "§ 280A"),
    ]


def test_links_forms_terms_and_identifiers_lead_to_where_they_are_told() -> None:
    chunks = document(*TAX)
    found = dict(mentioned(chunks, 1))
    assert found == {"tax.md#0002": "#42-limits-of-deduction", "tax.md#0006": "Form 8829"}
    assert mentioned(chunks, 2) == [("tax.md#0005", "gross income")]
    assert mentioned(chunks, 6) == [("tax.md#0007", "ERR_TOO_LATE")]


def test_links_lead_to_other_documents_and_sections_in_them() -> None:
    setup = document(
        passage("# Setup\nPut it in place."),
        passage("## Which port?\nAny.", "Setup"),
        source_id="guide/setup.md",
    )
    text = "[Setup](../guide/setup.html), [port](/guide/setup#which-port), <a href='x'>x</a>."
    pages = [*document(passage(text), source_id="notes/a.md"), *setup]
    assert sorted(mentioned(pages, 0)) == [
        ("guide/setup.md#0000", "../guide/setup.html"),
        ("guide/setup.md#0001", "/guide/setup#which-port"),
    ]


def test_a_document_title_is_the_name_of_its_beginning() -> None:
    chunks = document(*(passage(f"Part number{n}.", "Mill River Handbook") for n in range(40)))
    asking = Chunk(chunk_id="z", source_id="z", text="As the Mill River Handbook says.")
    assert mentioned([asking, *chunks], 0) == [("tax.md#0000", "Mill River Handbook")]
    assert mentioned(chunks, 3) == []


@pytest.mark.parametrize(
    ("heading", "header"),
    [
        ("# Mill River Handbook\n", ""),
        ("Mill River Handbook\n===================\n", ""),
        ("# Mill River Handbook\n", "Mill River Handbook | Acme"),
    ],
)
def test_a_heading_that_the_beginning_begins_with_is_its_name(heading: str, header: str) -> None:
    chunks = document(
        passage(f"{heading}\nPart numberx.", header),
        *(passage(f"Part number{n}.", "Mill River Handbook") for n in range(40)),
    )
    asking = Chunk(chunk_id="z", source_id="z", text="As the Mill River Handbook says.")
    assert mentioned([asking, *chunks], 0) == [("tax.md#0000", "Mill River Handbook")]


def test_a_name_of_one_word_is_hardly_meant_where_a_number_follows_it() -> None:
    plans = passage_of("plans", "Plans")
    with in_memory([plans, *noise()]) as kb:
        (all_plans,) = kb.named("Which Plans are there?")
        (one_plan,) = kb.named("How much is Plan 93?")
    assert one_plan.strength == pytest.approx(0.4 * all_plans.strength, abs=1e-6)


def test_a_section_is_the_name_of_its_beginning() -> None:
    chunks = document(
        passage("# Mill River Handbook\nWords."),
        passage("## Carried Days\nWords.", "Mill River Handbook"),
        *(passage(f"Part number{n}.", "Mill River Handbook / Carried Days") for n in range(40)),
    )
    for name in ("Carried Days", "Mill River Handbook Carried Days"):
        asking = Chunk(chunk_id="z", source_id="z", text=f"What are {name}?")
        assert mentioned([asking, *chunks], 0) == [("tax.md#0001", name)]


def test_a_title_that_too_many_bear_names_none_of_them(tmp_path: Path) -> None:
    chunks = [
        Chunk(chunk_id=f"c{n:03d}", source_id=f"s{n}", header="Mill River", text=f"number{n}")
        for n in range(65)
    ]
    with on_disk(tmp_path, chunks) as kb:
        assert kb.named("Mill River") == ()
    with in_memory(chunks[:64]) as kb:
        assert len(kb.named("Mill River")) == 64


def test_names_near_the_words_of_the_question_count_for_more() -> None:
    text = "Elm Street has the mill, " + "word " * 20 + "and Oak Lane has the pond."
    chunks = [
        Chunk(chunk_id="a", source_id="a", text=text),
        *(passage_of(name, name) for name in ("Elm Street", "Oak Lane")),
        *noise(),
    ]
    kb = in_memory(chunks)
    for word, first in (("mill", "Elm Street"), ("pond", "Oak Lane")):
        (found,) = kb.mentions(chunks[:1], word)
        assert ids(found)[0] == first
        assert found[0].strength > found[1].strength
    (found,) = kb.mentions(chunks[:1], "unheard")
    assert found[0].strength == found[1].strength


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("the of and", "the of and"),
        ("!!!", "---"),
        ("x" * 5000, "y" * 300_000),
        ("word " * 3000, "word " * 50_000),
        ("]( " * 500, "](" * 50_000),
        ("§" * 500, "§" * 50_000 + "§ 1"),
        ("(((" * 100, "](a(" * 20_000),
        ("東" * 2000, "東京" * 50_000),
        ("a_" * 200, "a_b-" * 50_000),
        ("1." * 500, "1." * 50_000),
        ("**" * 200, "**a" * 50_000),
        ("#" * 300, ("# " * 300 + "\n") * 200),
        ('"' * 300, '("' * 50_000),
        ("\u202e\x00\ud800", "\x00\x1b[31m\udfff" * 100),
        ("a" * 50 + "\n===", "\n" * 100_000),
        (" " * 200_000 + "(", " " * 200_000 + "x"),
    ],
)
def test_hostile_titles_and_texts_are_only_text(header: str, text: str, tmp_path: Path) -> None:
    chunk = Chunk(chunk_id="a", source_id="a", header=header, text=text)
    with on_disk(tmp_path, [chunk, *films()]) as kb:
        assert ids(kb.named("Ada Bright")) == ["ada"]
        kb.named(text)
        assert len(kb.mentions([chunk], text)) == 1


def test_chunks_that_the_knowledge_base_does_not_hold_mention_as_well() -> None:
    kb = in_memory(films())
    attached = Chunk(chunk_id="mine", source_id="mine", text="I was in Port Ellery.")
    assert [ids(found) for found in kb.mentions([attached], "where")] == [["port"]]


def test_nothing_is_named_in_an_empty_knowledge_base(tmp_path: Path) -> None:
    chunk = films()[0]
    for kb in (in_memory([]), on_disk(tmp_path, [])):
        assert kb.named("Ada Bright") == ()
        assert kb.mentions([chunk], "Ada Bright") == ((),)
        assert kb.mentions([], "x") == ()
        kb.close()
        with pytest.raises(StoreError, match="closed"):
            kb.named("x")
        with pytest.raises(StoreError, match="closed"):
            kb.mentions([chunk], "x")

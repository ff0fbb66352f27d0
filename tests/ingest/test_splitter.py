"""Splitting: never over the limit, nothing lost, nothing twice, and chunks that read well."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import ConfigError
from packhorse.ingest.chunks import file_chunks, knowledge_files
from packhorse.ingest.document import Document
from packhorse.ingest.excerpts import Excerpts
from packhorse.ingest.markdown import markdown_document
from packhorse.ingest.plain_text import rst_document, text_document
from packhorse.ingest.report import IngestReport
from packhorse.ingest.splitter import MIN_CHUNK_TOKENS, spans_within, split_document
from packhorse.protocols import TokenCounter
from packhorse.tokens.registry import counter_named
from packhorse.types.chunk import Chunk
from tests.ingest.jsonl import record, write_lines
from tests.strategies import texts


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return counter_named("o200k_base")


def split(document: Document, limit: int, counter: TokenCounter) -> list[Chunk]:
    return list(split_document(document, chunk_tokens=limit, counter=counter))


def markdown(text: str) -> Document:
    return markdown_document("guide.md", text, IngestReport())


def plain(text: str) -> Document:
    return text_document("notes.txt", text, IngestReport())


NO_DASHES = str.maketrans("", "", "|:-")


def check(document: Document, limit: int, counter: TokenCounter) -> list[Chunk]:
    """The invariants: within the limit, in order, all of the text once."""
    chunks = split(document, limit, counter)
    assert all(counter.count(chunk.text) <= limit for chunk in chunks)
    assert [chunk.position_in_source for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    spans = spans_within(Excerpts(document, limit, counter), limit, counter)
    pieces = [document.text[start:end] for start, end in spans]
    kept, told = ("".join(each.split()) for each in ("".join(pieces), document.text))
    # Of a table, the dashes under its header may be left out.
    assert kept == told or kept.translate(NO_DASHES) == told.translate(NO_DASHES) != told
    assert all(piece.strip() in chunk.text for piece, chunk in zip(pieces, chunks, strict=True))
    return chunks


LOADERS = st.sampled_from((markdown_document, text_document, rst_document))


@given(st.lists(texts(), max_size=6).map("\n\n".join), LOADERS, st.integers(MIN_CHUNK_TOKENS, 60))
def test_any_text_is_split_within_the_limit_and_nothing_is_lost(
    text: str, loader: object, limit: int
) -> None:
    assert callable(loader)
    check(loader("a", text, IngestReport()), limit, counter_named("o200k_base"))


STRUCTURE = st.sampled_from(
    ("# Title", "## Part", "### Point", "Head\n====", "Sub\n---", "- item", "  - deeper",
     "1. first", "```python", "```", "    code", "| a | b |", "|---|---|", "> quote",
     "One sentence. Another!", "word " * 30, "", "---", "漢字仮名交じり文。" * 5)
)  # fmt: skip


@given(st.lists(STRUCTURE, max_size=40).map("\n".join), LOADERS)
def test_structured_text_is_split_within_the_limit_and_nothing_is_lost(
    text: str, loader: object
) -> None:
    assert callable(loader)
    check(loader("a", text, IngestReport()), 32, counter_named("o200k_base"))


NASTY = {
    "one letter": "a" * 200_000,
    "one line of words": "word and more " * 15_000,
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0" * 2_000,
    "combining marks": "e" + "\u0301" * 5_000,
    "CJK without spaces": "漢字仮名交じり文。" * 5_000,
    "joined emoji": "👩‍👩‍👧‍👦" * 2_000,
    "control tokens": "<|endoftext|>" * 2_000,
    "blank lines": "a\n" + "\n" * 200_000 + "b",
    "spaces": "a" + " " * 200_000 + "b",
    "rules": "-" * 100_000,
    "zero width": "\u200b" * 5_000,
    "no-break spaces": "a\u00a0" * 20_000,
}


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("load", [plain, markdown], ids=["text", "markdown"])
def test_nasty_text_is_split_within_the_limit_and_nothing_is_lost(
    name: str, load: object, counter: TokenCounter
) -> None:
    assert callable(load)
    assert check(load(NASTY[name]), 100, counter)


class TwiceAtTheEnd:
    """A counter that counts other than it did while splitting: the net below must hold."""

    name, library, exact, margin = "twice", "test", True, 0.0

    def count(self, text: str) -> int:
        return len(text.split())

    def count_batch(self, texts: list[str]) -> list[int]:
        return [2 * self.count(text) for text in texts]


def test_a_chunk_that_counts_more_in_the_end_is_cut_again() -> None:
    counter = TwiceAtTheEnd()
    chunks = split(plain("word " * 500), 20, counter)  # type: ignore[arg-type]  # a broken counter
    assert max(counter.count_batch([chunk.text for chunk in chunks])) <= 20
    assert sum(counter.count(chunk.text) for chunk in chunks) == 500


def test_ids_headers_and_sections_say_where_a_chunk_stands(counter: TokenCounter) -> None:
    text = (
        "# Guide\n\n" + "Opening words. " * 20 + "\n\n## Héading Two!\n\n" + "Long text here. " * 60
    )
    chunks = check(markdown(text), 100, counter)
    assert [chunk.chunk_id for chunk in chunks] == [
        f"guide.md#{number:04d}" for number in range(len(chunks))
    ]
    assert {chunk.source_id for chunk in chunks} == {"guide.md"}
    first, second, third = chunks[:3]
    assert (first.header, first.section_id) == ("", "guide")
    assert first.text.startswith("# Guide\n")
    assert (second.header, second.section_id) == ("Guide", "héading-two")
    assert second.text.startswith("## Héading Two!\n")
    assert (third.header, third.section_id) == ("Guide / Héading Two!", "héading-two")
    assert third.text.startswith("Long text here.")


def test_a_document_title_leads_the_path_unless_the_path_says_it(counter: TokenCounter) -> None:
    body = "Words of the text. " * 60
    (first, *_) = split(markdown(f"---\ntitle: Manual\n---\n{body}"), 64, counter)
    assert first.header == "Manual"
    named = split(
        markdown(f"---\ntitle: Setup of Linux, Manual 2\n---\n# Setup\n{body}"), 64, counter
    )
    assert named[-1].header == "Setup"
    (plain_first, *_) = split(plain(body), 64, counter)
    assert (plain_first.header, plain_first.section_id) == ("", "")


def test_long_paths_are_shortened_in_the_middle(counter: TokenCounter) -> None:
    levels = "\n".join(f"{'#' * n} {'long name ' * 6}{n}" for n in range(1, 6))
    chunks = split(markdown(f"{levels}\n\n" + "Words of the text. " * 60), 100, counter)
    assert chunks[-1].header.endswith("5")
    assert " / ... / " in chunks[-1].header
    assert len(chunks[-1].header) <= 160


def test_the_front_matter_time_reaches_every_chunk(counter: TokenCounter) -> None:
    chunks = split(markdown("---\ndate: 2024-01-15\n---\n" + "Words. " * 200), 64, counter)
    assert len(chunks) > 1
    assert {chunk.timestamp for chunk in chunks} == {datetime(2024, 1, 15, tzinfo=UTC)}


def test_a_heading_stays_with_the_text_under_it(counter: TokenCounter) -> None:
    parts = [f"Part {n}\n=======\n\n" + "Some words of text. " * 12 for n in range(12)]
    for document in (
        markdown("\n\n".join(parts)),
        rst_document("a.rst", "\n\n".join(parts), IngestReport()),
    ):
        for chunk in check(document, 64, counter):
            assert not chunk.text.rstrip().endswith("=======")


def test_small_fragments_join_a_neighbour(counter: TokenCounter) -> None:
    text = "\n\n".join(f"Item {n}\n-------\n\nShort." for n in range(30))
    chunks = check(rst_document("a.rst", text, IngestReport()), 100, counter)
    assert len(chunks) <= 8
    assert all(counter.count(chunk.text) >= 25 for chunk in chunks[:-1])


def test_the_first_line_keeps_its_indentation(counter: TokenCounter) -> None:
    text = "\n".join(f"    line {n} of a listing that goes on" for n in range(60))
    for chunk in check(plain(text), 64, counter):
        assert chunk.text.startswith("    line ")


def test_a_code_block_that_fits_is_not_cut(counter: TokenCounter) -> None:
    code = "```python\n" + "\n".join(f"value_{n} = {n}" for n in range(12)) + "\n```"
    text = "\n\n".join(("Words before. " * 15, code, "Words after. " * 15))
    assert any(code in chunk.text for chunk in check(markdown(text), 120, counter))


def test_long_documents_are_cut_in_pieces_without_loss(counter: TokenCounter) -> None:
    section = "## Section\n\n" + "A sentence with several words in it. " * 200 + "\n\n"
    text = "# Long\n\n" + section * 80
    assert len(text) > 500_000
    for document in (markdown(text), plain(text.replace("#", ""))):
        check(document, 320, counter)


def test_the_same_document_gives_the_same_chunks(counter: TokenCounter) -> None:
    document = markdown("# A\n\n" + "Some words. " * 400)
    assert split(document, 64, counter) == split(document, 64, counter)


@pytest.mark.parametrize("limit", [MIN_CHUNK_TOKENS - 1, 0, -5])
def test_a_limit_that_no_text_could_keep_is_refused(limit: int, counter: TokenCounter) -> None:
    with pytest.raises(ConfigError, match=f"chunk_tokens is {limit}"):
        split(plain("text"), limit, counter)


def test_an_empty_document_has_no_chunks(counter: TokenCounter) -> None:
    assert split(plain(" \n\t"), 64, counter) == []


def test_a_folder_gives_records_and_documents_file_by_file(
    tmp_path: Path, counter: TokenCounter
) -> None:
    write_lines(tmp_path, record("r1"), name="records.jsonl")
    (tmp_path / "a.md").write_text("# Title\n\nBody", encoding="utf-8")
    (tmp_path / "b.png").write_bytes(b"\0")
    report = IngestReport()
    ids = [
        chunk.chunk_id
        for file in knowledge_files(tmp_path, report)
        for chunk in file_chunks(file, chunk_tokens=64, counter=counter, report=report)
    ]
    assert ids == ["a.md#0000", "r1"]
    assert report.skipped_files == [("b.png", "binary file: it holds NUL bytes")]


def test_a_folder_with_chunks_jsonl_is_these_records_alone(tmp_path: Path) -> None:
    write_lines(tmp_path, record("r1"))
    (tmp_path / "notes.md").write_text("text", encoding="utf-8")
    assert [file.source_id for file in knowledge_files(tmp_path)] == ["chunks.jsonl"]


@pytest.mark.parametrize("lines", [8, 20, 60])
def test_no_chunk_ends_with_the_line_that_opens_a_code_fence(
    lines: int, counter: TokenCounter
) -> None:
    code = "".join(f"step_{number}(first, second)\n" for number in range(lines))
    sections = [f"{'Say what it does. ' * words}\n\n```\n{code}```" for words in range(3, 40, 4)]
    chunks = check(markdown("# Guide\n\n" + "\n\n".join(sections) + "\n"), 64, counter)
    for chunk in chunks:
        # Each chunk opens and closes its own code, and no fence stands around nothing.
        assert sum(line.strip() == "```" for line in chunk.text.splitlines()) % 2 == 0
        assert "```\n```" not in chunk.text


def test_a_header_does_not_say_again_what_the_text_begins_with(counter: TokenCounter) -> None:
    titled = markdown("---\ntitle: spaces\n---\n# Spaces\n\nA space is a folder.\n")
    assert [chunk.header for chunk in check(titled, 100, counter)] == [""]
    other = markdown("---\ntitle: Handbook\n---\n# Spaces\n\nA space is a folder.\n")
    assert [chunk.header for chunk in check(other, 100, counter)] == ["Handbook"]

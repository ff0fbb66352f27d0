"""The records reader: what it takes, what it refuses and how it says so."""

import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import ChunkError, InputError
from packhorse.ingest.lines import utf8_lines
from packhorse.ingest.records import IngestReport, read_chunks
from packhorse.ingest.strict_json import parse_object
from tests.ingest.jsonl import record, write_lines
from tests.strategies import raw_texts


def test_a_full_record_becomes_a_chunk_field_by_field(tmp_path: Path) -> None:
    full = record(
        section_id="s1",
        trust_score=0.75,
        timestamp="2024-01-15",
        topic_tags={"limits": 0.5, "eligibility": 1},
        position_in_source=3,
        header="Guide > Limits",
        token_count=7,
        metadata={"page": 2},
        url="https://example.test",
    )
    (chunk,) = read_chunks(write_lines(tmp_path, full))
    assert (chunk.chunk_id, chunk.source_id, chunk.text) == ("a", "handbook.md", "Some text.")
    assert (chunk.section_id, chunk.position_in_source, chunk.header) == ("s1", 3, "Guide > Limits")
    assert (chunk.trust_score, chunk.declared_tokens) == (0.75, 7)
    assert chunk.timestamp == datetime(2024, 1, 15, tzinfo=UTC)
    assert chunk.topic_tags == (("eligibility", 1.0), ("limits", 0.5))
    assert chunk.metadata == {"page": 2, "url": "https://example.test"}
    assert chunk.shown_source == "handbook.md"


def test_null_means_not_given(tmp_path: Path) -> None:
    optional = (
        "section_id",
        "trust_score",
        "timestamp",
        "topic_tags",
        "position_in_source",
        "header",
        "token_count",
        "metadata",
    )
    bare, nulls = read_chunks(
        write_lines(tmp_path, record("a"), record("b", **dict.fromkeys(optional)))
    )
    assert (bare.trust_score, bare.timestamp, bare.declared_tokens) == (None, None, None)
    assert (nulls.trust_score, nulls.timestamp, nulls.topic_tags) == (None, None, ())
    assert nulls.metadata == {}


def test_a_list_of_tags_is_full_strength_each_once(tmp_path: Path) -> None:
    (chunk,) = read_chunks(write_lines(tmp_path, record(topic_tags=["b", "a", " b "])))
    assert chunk.topic_tags == (("a", 1.0), ("b", 1.0))


BAD_RECORDS: tuple[tuple[object, str], ...] = (
    ("[1]", "not a JSON object but a list"),
    ("7", "not a JSON object but a number"),
    ('"text"', "not a JSON object but text"),
    ("{", "not valid JSON"),
    ('{"a": 1} {"b": 2}', "not valid JSON: Extra data"),
    (b'{"chunk_id": "a\xff"}', "not UTF-8 at byte 16 of the line"),
    (b'{"chunk_id": "a\x00"}', "NUL byte at byte 16 of the line"),
    ("\ufeff" + json.dumps(record()), "a byte order mark inside the file"),
    ('{"chunk_id": "a", "chunk_id": "b"}', "the key 'chunk_id' stands twice"),
    ('{"metadata": {"x": 1, "x": 2}}', "the key 'x' stands twice"),
    ('{"trust_score": NaN}', "NaN is no JSON value"),
    ('{"trust_score": -Infinity}', "-Infinity is no JSON value"),
    ('{"trust_score": 1e999}', "the number 1e999 is too large"),
    ('{"token_count": ' + "9" * 5000 + "}", "a number of 5000 digits"),
    ("[" * 100_000, "nested too deeply"),
    ({"source_id": "s", "text": "t"}, "chunk_id is missing"),
    ({"chunk_id": "c", "text": "t"}, "source_id is missing"),
    ({"chunk_id": "c", "source_id": "s"}, "text is missing"),
    (record(chunk_id=""), "chunk_id is empty"),
    (record(chunk_id=" "), "chunk_id is empty"),
    (record(chunk_id=7), "chunk_id is a number, not text"),
    (record(chunk_id=None), "chunk_id is null, not text"),
    (record(source_id=""), "source_id is empty"),
    (record(source_id=["s"]), "source_id is a list, not text"),
    (record(text=None), "text is null, not text"),
    (record(text={"body": "t"}), "text is an object, not text"),
    (record(section_id=4), "section_id is a number, not text"),
    (record(header=True), "header is true or false, not text"),
    (record(trust_score=1.5), "trust_score is 1.5, outside 0..1"),
    (record(trust_score=-0.1), "trust_score is -0.1, outside 0..1"),
    (record(trust_score=True), "trust_score is true or false, not a number from 0 to 1"),
    (record(trust_score="0.5"), "trust_score is text, not a number from 0 to 1"),
    (record(trust_score=10**30), "trust_score is 1000000000000000000000000000000, outside"),
    (record(timestamp="yesterday"), "timestamp: 'yesterday' is not an ISO 8601"),
    (record(timestamp=True), "timestamp: bool is not an ISO 8601"),
    (record(timestamp=1e18), "timestamp: 1e+18 seconds are outside the years 1 to 9999"),
    (record(topic_tags="limits"), "topic_tags is text, not a list"),
    (record(topic_tags=[1]), "a topic tag is a number, not text"),
    (record(topic_tags=[" "]), "a topic tag is empty"),
    (record(topic_tags={"a": 2}), "strength of topic 'a' is 2, outside 0..1"),
    (record(topic_tags={"a": None}), "strength of topic 'a' is null"),
    (record(topic_tags={"a": "high"}), "strength of topic 'a' is text"),
    (record(position_in_source=-1), "position_in_source is -1"),
    (record(position_in_source=1.0), "position_in_source is a number, not a whole number"),
    (record(position_in_source=True), "position_in_source is true or false"),
    (record(token_count="12"), "token_count is text, not a whole number"),
    (record(token_count=2**64), "token_count is 18446744073709551616"),
    (record(metadata=[1]), "metadata is a list, not an object"),
    (record(metadata={"url": "a"}, url="b"), "'url' has one value in the record, another in"),
    (record(trust_scor=0.5), "unknown key 'trust_scor', likely meant as 'trust_score'"),
    (record(topicTags=["a"]), "unknown key 'topicTags', likely meant as 'topic_tags'"),
)


@pytest.mark.parametrize(("line", "reason"), BAD_RECORDS)
def test_a_bad_record_names_file_line_field_and_reason(
    tmp_path: Path, line: object, reason: str
) -> None:
    path = write_lines(tmp_path, record("first"), line)
    with pytest.raises(ChunkError) as caught:
        list(read_chunks(path))
    assert reason in caught.value.reason
    assert (caught.value.path, caught.value.line) == (str(path), 2)
    assert f"{path} line 2" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_a_misspelled_required_key_is_named_with_the_known_one(tmp_path: Path) -> None:
    bad = record()
    bad["txet"] = bad.pop("text")
    with pytest.raises(ChunkError, match="unknown key 'txet', likely meant as 'text'"):
        list(read_chunks(write_lines(tmp_path, bad)))


def test_a_key_that_other_tools_use_is_named_in_the_hint(tmp_path: Path) -> None:
    bad = record()
    bad["_id"] = bad.pop("chunk_id")
    with pytest.raises(ChunkError, match="chunk_id is missing") as caught:
        list(read_chunks(write_lines(tmp_path, bad)))
    assert caught.value.hint == "Rename _id to chunk_id"


def test_foreign_keys_go_to_metadata_and_are_no_misspellings(tmp_path: Path) -> None:
    foreign = {"title": 1, "reader": 2, "next": 3, "test": 4, "texts": 5, "id": 6, "lang": "en"}
    (chunk,) = read_chunks(write_lines(tmp_path, record(**foreign)))
    assert chunk.metadata == foreign


def test_metadata_is_repaired_and_its_depth_is_limited(tmp_path: Path) -> None:
    deep: object = "x"
    for _ in range(70):
        deep = [deep]
    path = write_lines(tmp_path, record("a", note=["\ud800", 1, None]), record("b", note=deep))
    report = IngestReport()
    (chunk,) = read_chunks(path, skip_bad_lines=True, report=report)
    assert chunk.metadata == {"note": ["\ufffd", 1, None]}
    assert report.bad_lines == [(str(path), 2, "metadata is nested deeper than 64 levels")]


def test_a_repeated_id_names_the_first_line_and_is_kept_once_when_skipping(tmp_path: Path) -> None:
    path = write_lines(tmp_path, record("a"), "", record("b"), record("a", text="other"))
    with pytest.raises(ChunkError, match="chunk_id 'a' was used before, on line 1") as caught:
        list(read_chunks(path))
    assert caught.value.line == 4
    report = IngestReport()
    kept = list(read_chunks(path, skip_bad_lines=True, report=report))
    assert [(chunk.chunk_id, chunk.text) for chunk in kept] == [
        ("a", "Some text."),
        ("b", "Some text."),
    ]
    assert [line for _, line, _ in report.bad_lines] == [4]


def test_lone_surrogates_are_replaced_and_reported_while_pairs_are_joined(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path,
        '{"chunk_id": "lone", "source_id": "s", "text": "a\\ud800b"}',
        '{"chunk_id": "pair", "source_id": "s", "text": "\\ud83d\\ude00"}',
    )
    report = IngestReport()
    lone, pair = read_chunks(path, report=report)
    assert (lone.text, pair.text) == ("a\ufffdb", "😀")
    assert report.replaced_surrogates == ["lone"]


def test_two_ids_that_differ_in_a_lone_surrogate_alone_are_one_id(tmp_path: Path) -> None:
    path = write_lines(tmp_path, record("a\ud800"), record("a\ud801"))
    with pytest.raises(ChunkError, match="was used before, on line 1"):
        list(read_chunks(path))


def test_crlf_files_read_like_lf_files(tmp_path: Path) -> None:
    line = json.dumps(record(text="one\r\ntwo\rthree"))
    path = tmp_path / "crlf.jsonl"
    path.write_bytes(f"{line}\r\n\r\n".encode())
    (chunk,) = read_chunks(path)
    assert chunk.text == "one\ntwo\nthree"


def test_line_separators_of_unicode_do_not_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text(
        json.dumps(record(text="a\u2028b\x85c"), ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (chunk,) = read_chunks(path)
    assert chunk.text == "a\u2028b\x85c"


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    path = tmp_path / "chunks.jsonl"
    path.write_text(json.dumps(record()), encoding="utf-8")
    assert len(list(read_chunks(path))) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_utf_16_and_utf_32_are_refused_by_name(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "wide.jsonl"
    path.write_bytes((json.dumps(record()) + "\n").encode(encoding))
    with pytest.raises(InputError, match=r"UTF-(16|32) text.*not UTF-8") as caught:
        list(read_chunks(path, skip_bad_lines=True))
    assert "iconv" in caught.value.hint


def test_a_binary_file_is_refused_whole(tmp_path: Path) -> None:
    path = tmp_path / "picture.jsonl"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    with pytest.raises(InputError, match="binary file"):
        list(read_chunks(path, skip_bad_lines=True))


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        list(read_chunks(tmp_path / "none.jsonl"))
    with pytest.raises(InputError, match="Is a directory"):
        list(read_chunks(tmp_path))


def test_a_line_over_the_limit_is_a_bad_record_and_the_next_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path, record("a", text="x" * 5000), record("b"))
    report = IngestReport()
    kept = list(read_chunks(path, skip_bad_lines=True, report=report, max_line_bytes=1000))
    assert [chunk.chunk_id for chunk in kept] == ["b"]
    assert report.bad_lines == [(str(path), 1, "the line is longer than 1000 bytes")]
    with pytest.raises(ChunkError, match="longer than 1000 bytes"):
        list(read_chunks(path, max_line_bytes=1000))


def test_a_line_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path, record())
    limit = path.stat().st_size - 1
    assert len(list(read_chunks(path, max_line_bytes=limit))) == 1
    with pytest.raises(ChunkError):
        list(read_chunks(path, max_line_bytes=limit - 1))


def test_a_line_of_50_megabytes_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path, record("big", text="lorem " * 8_400_000), record("small"))
    assert path.stat().st_size > 50_000_000
    sizes = {chunk.chunk_id: len(chunk.text) for chunk in read_chunks(path)}
    assert sizes == {"big": 50_400_000, "small": 10}


def test_an_endless_line_is_never_held_whole(tmp_path: Path) -> None:
    path = tmp_path / "endless.jsonl"
    with path.open("wb") as file:
        for _ in range(64):
            file.write(b"x" * 1_000_000)
    tracemalloc.start()
    lines = list(utf8_lines(path, 1_000_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert lines == [(1, None)]
    assert peak < 8_000_000


def test_memory_stays_flat_over_a_long_file(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(4_000):
            file.write(json.dumps(record(f"c{number}", text="word " * 2_000)) + "\n")
    tracemalloc.start()
    count = sum(1 for _ in read_chunks(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 4_000
    assert peak < path.stat().st_size / 8


@given(raw_texts(), raw_texts(), raw_texts())
def test_any_text_comes_through_repaired_and_nothing_else_changes(
    tmp_path_factory: pytest.TempPathFactory, text: str, note: str, chunk_id: str
) -> None:
    path = write_lines(
        tmp_path_factory.mktemp("any"), record("x" + chunk_id, text="v" + text, note=note)
    )
    (chunk,) = read_chunks(path)
    assert chunk.text == "v" + _repaired(text).replace("\r\n", "\n").replace("\r", "\n")
    assert chunk.metadata == {"note": _repaired(note)}
    assert chunk.chunk_id == "x" + _repaired(chunk_id)


def _repaired(text: str) -> str:
    """Slow and obvious: JSON joins surrogate pairs; a lone one cannot stay."""
    joined = json.loads(json.dumps(text))
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in joined)


@given(st.binary(max_size=300))
def test_no_bytes_at_all_escape_as_another_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "chunks.jsonl"
    path.write_bytes(data)
    try:
        chunks = list(read_chunks(path, skip_bad_lines=True))
    except InputError:
        return
    assert chunks == []


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text() | st.floats(width=64),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON_VALUES, max_size=4))
def test_strict_parsing_agrees_with_the_library_on_standard_json(
    value: dict[str, object],
) -> None:
    text = json.dumps(value)
    if _has_non_finite(value):
        with pytest.raises(ValueError, match="no JSON value"):
            parse_object(text)
    else:
        assert parse_object(text) == json.loads(text)


def _has_non_finite(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_non_finite, value.values()))
    if isinstance(value, list):
        return any(map(_has_non_finite, value))
    return isinstance(value, float) and (value != value or abs(value) == float("inf"))  # noqa: PLR0124 - NaN

"""Notes are read strictly, and a fault names its place."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from packhorse.errors import InputError
from packhorse.types.note import Note
from packhorse.window.memory.notes import read_notes


def test_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"id": " a ", "text": "One\\r\\nline", "timestamp": "2026-01-15",'
        b' "tags": ["x", "x"]}\r\n\n{"id": "b", "text": "Two", "subject": "S", "attribute": "A"}'
    )
    one, two = read_notes(path)
    assert one == Note(
        note_id="a", text="One\nline", timestamp=datetime(2026, 1, 15, tzinfo=UTC), tags=("x",)
    )
    assert two.fact == ("s", "a")
    assert read_notes([one, {"id": "c", "text": "Three", "key": "K"}])[1].fact == ("k",)
    assert read_notes(None) == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[]", "not a JSON object"),
        ('{"id": "a"}', "text is missing"),
        ('{"id": "", "text": "t"}', "id is empty"),
        ('{"id": 1, "text": "t"}', "id is 1"),
        ('{"id": "a", "text": "t", "tag": []}', "unknown field 'tag'"),
        ('{"id": "a", "text": "t", "tags": "x"}', "no list of texts"),
        ('{"id": "a", "text": "t", "subject": "x"}', "one of subject and attribute"),
        ('{"id": "a", "text": "t", "timestamp": "soon"}', "timestamp"),
        ('{"id": "a", "text": "t", "id": "b"}', "stands twice"),
        ('{"id": "z", "text": "t"}', "used before"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text(f'{{"id": "z", "text": "Fine"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(InputError, match=said) as caught:
        read_notes(path)
    assert "line 2" in caught.value.message
    assert caught.value.hint

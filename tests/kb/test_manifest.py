"""Files are replaced whole, whoever else writes at the same time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from packhorse.kb.manifest import write_atomically


def test_writers_at_the_same_time_leave_one_whole_file(tmp_path: Path) -> None:
    place = tmp_path / "record.json"
    texts = [bytes([65 + n]) * 10_000 for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: write_atomically(place, text), texts))
    assert place.read_bytes() in texts
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "record.json"
    place.write_bytes(b"old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("packhorse.kb.manifest.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(place, b"new")
    assert place.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]

"""The file of counts never gives a wrong number, whatever happens to it, and never raises."""

import os
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from packhorse.tokens.store import CountStore, content_key

COUNTS = {content_key("letters", "x" * length): length for length in range(400)}
KEYS = list(COUNTS)

WRITER = """
import sys
from pathlib import Path
from packhorse.tokens.store import CountStore, content_key

store = CountStore(Path(sys.argv[1]))
lowest = int(sys.argv[2])
for start in range(lowest, lowest + 300, 10):
    lengths = range(start, start + 10)
    store.keep({content_key("letters", "x" * length): length for length in lengths})
store.close()
"""
FORKER = """
import os
import sys
from pathlib import Path
from packhorse.tokens.store import CountStore

store = CountStore(Path(sys.argv[1]))
store.keep({b"parent": 1})
child = os.fork()
if not child:
    store.keep({b"child": 2})
    os._exit(0 if store.recall([b"parent", b"child"]) == {b"parent": 1, b"child": 2} else 1)
assert os.waitpid(child, 0)[1] == 0
assert store.recall([b"parent", b"child"]) == {b"parent": 1, b"child": 2}
store.close()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of counts that was closed."""
    path = tmp_path / "counts.sqlite"
    store = CountStore(path)
    store.keep(COUNTS)
    store.close()
    return path


def read(path: Path) -> dict[bytes, int]:
    """What another process would find."""
    store = CountStore(path)
    found = store.recall(KEYS)
    store.close()
    return found


def survives(path: Path, *, keeps: bool) -> None:
    """Nothing is found, nothing is raised, and the file is usable again where it can be."""
    store = CountStore(path)
    assert store.recall(KEYS) == {}
    store.keep(COUNTS)
    assert store.recall(KEYS) == (COUNTS if keeps else {})
    store.close()


def test_counts_are_found_by_the_next_process(path: Path) -> None:
    assert read(path) == COUNTS


def test_a_key_is_one_text_under_one_fingerprint() -> None:
    texts = ["", "a", "a\0", "\0a", "\ud800", "\ufffd"]
    keys = [content_key(name, text) for name in ("one", "two", "one\0") for text in texts]
    assert len({len(key) for key in keys}) == 1
    # A fingerprint never holds NUL, so the one that does may clash.
    assert len(set(keys[:12])) == 12


def test_what_is_not_there_is_not_found(path: Path) -> None:
    store = CountStore(path)
    assert store.recall([b"another", KEYS[3]]) == {KEYS[3]: 3}
    assert store.recall([]) == {}
    store.close()


def test_the_oldest_rows_go_first(tmp_path: Path) -> None:
    store = CountStore(tmp_path / "counts.sqlite", max_rows=100)
    for start in range(0, 400, 50):
        store.keep({key: COUNTS[key] for key in KEYS[start : start + 50]})
    assert store.recall(KEYS) == {key: COUNTS[key] for key in KEYS[300:]}
    store.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_bytes_never_give_a_wrong_number(path: Path, data: st.DataObject) -> None:
    damaged = path.with_name("damaged.sqlite")
    content = bytearray(path.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=40)):
        content[place] ^= data.draw(st.integers(1, 255))
    damaged.write_bytes(content)
    store = CountStore(damaged)
    found = store.recall(KEYS)
    assert found.items() <= COUNTS.items()
    store.keep(COUNTS)
    assert store.recall(KEYS).items() <= COUNTS.items()
    store.close()
    for suffix in ("", "-wal", "-shm"):
        damaged.with_name(f"damaged.sqlite{suffix}").unlink(missing_ok=True)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_a_truncated_file_never_gives_a_wrong_number(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert read(path).items() <= COUNTS.items()


def test_a_number_that_was_changed_is_not_believed_and_is_replaced(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("update counts set tokens = 7 where key = ?", (KEYS[5],))
        connection.execute("update counts set tokens = 'many' where key = ?", (KEYS[6],))
        connection.execute("update counts set seal = null where key = ?", (KEYS[7],))
    connection.close()
    expected = {key: count for key, count in COUNTS.items() if count not in {5, 6, 7}}
    assert read(path) == expected
    store = CountStore(path)
    store.keep({KEYS[5]: 5})
    store.close()
    assert read(path) == {**expected, KEYS[5]: 5}


def test_a_number_of_another_text_is_not_believed(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        row = connection.execute("select tokens, seal from counts where key = ?", (KEYS[9],))
        tokens, seal = row.fetchone()
        connection.execute(
            "update counts set tokens = ?, seal = ? where key = ?", (tokens, seal, KEYS[8])
        )
    connection.close()
    assert KEYS[8] not in read(path)


def test_a_file_that_is_no_database_is_replaced(path: Path) -> None:
    path.write_bytes(b"this is not a database " * 1_000)
    survives(path, keeps=True)


def test_a_database_of_another_shape_is_replaced(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("drop table counts")
        connection.execute("create table counts (something)")
    connection.close()
    survives(path, keeps=True)


def test_a_directory_that_cannot_be_made_is_survived(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    survives(tmp_path / "file" / "counts.sqlite", keeps=False)


def test_a_directory_in_its_place_is_survived(tmp_path: Path) -> None:
    (tmp_path / "counts.sqlite").mkdir()
    survives(tmp_path / "counts.sqlite", keeps=False)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_survived(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    survives(folder / "counts.sqlite", keeps=False)


def test_a_full_disk_keeps_what_was_there(path: Path) -> None:
    store = CountStore(path)
    connection = store._opened()
    pages = connection.execute("pragma page_count").fetchone()[0]
    connection.execute(f"pragma max_page_count = {pages}")
    more = {content_key("letters", "y" * length): length for length in range(1, 5_000)}
    store.keep(more)
    assert store.recall(KEYS) == COUNTS
    assert store.recall(list(more)) == {}
    store.close()
    assert read(path) == COUNTS


def test_a_file_that_another_process_holds_is_passed_over(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin exclusive")
    store = CountStore(path)
    store.keep({b"new": 1})
    assert store.recall([*KEYS, b"new"]) == COUNTS
    other.execute("rollback")
    other.close()
    store.keep({b"new": 1})
    assert store.recall([b"new"]) == {b"new": 1}
    store.close()


def test_a_file_that_was_removed_meanwhile_is_survived(path: Path) -> None:
    store = CountStore(path)
    assert store.recall(KEYS) == COUNTS
    shutil.rmtree(path.parent)
    assert store.recall(KEYS).items() <= COUNTS.items()
    store.keep({b"new": 1})
    store.close()


def test_threads_share_one_store(tmp_path: Path) -> None:
    store = CountStore(tmp_path / "counts.sqlite")

    def keep_and_recall(key: bytes) -> int:
        store.keep({key: COUNTS[key]})
        return store.recall([key])[key]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(keep_and_recall, KEYS[:80])) == list(range(80))
    store.close()
    assert read(tmp_path / "counts.sqlite") == {key: COUNTS[key] for key in KEYS[:80]}


def test_processes_that_write_at_once_lose_nothing_and_break_nothing(tmp_path: Path) -> None:
    path = tmp_path / "counts.sqlite"
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(lowest)])
        for lowest in (0, 100, 100)
    ]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    found = read(path)
    assert found.items() <= COUNTS.items()
    # A batch that has to wait for too long may be left out; most of them are there.
    assert len(found) > len(COUNTS) // 2


def test_a_store_works_on_both_sides_of_a_fork(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKER, str(tmp_path / "counts.sqlite")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")

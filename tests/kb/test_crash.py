"""Killed at any moment, an index stays as it was; a reader never sees a mixture of two builds."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

import pytest

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import StoreError
from packhorse.kb.check import check_index
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.testing.embedder import WordEmbedder
from tests.kb.crash_build import build, chunks

POLICY = KnowledgeBasePolicy(name="test")
N = 2_000
MOMENTS = [(stage, share) for stage in ("read", "embed", "index") for share in (0.1, 0.5, 0.95)]
MOMENTS.append(("index", 1.0))


def killed_build(folder: Path, n: int, word: str, stage: str, share: float) -> None:
    script = Path(__file__).with_name("crash_build.py")
    command = [sys.executable, str(script), str(folder), str(n), word, stage, str(share)]
    done = subprocess.run(command, check=False, capture_output=True, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def results(kb: LocalKnowledgeBase | MemoryKnowledgeBase) -> list[object]:
    found: list[object] = [kb.snapshot()]
    for text in ("zebra passage", "refunds number 7", "c00042", "about 1999"):
        result = kb.search(text, WordEmbedder().embed([text])[0], 25)
        found += [result.lexical, result.dense, result.lexical_ideal]
    return found


def opened(folder: Path) -> LocalKnowledgeBase:
    return LocalKnowledgeBase(folder, policy=POLICY)


@cache
def clean_results(n: int, word: str) -> list[object]:
    """What an index that nothing disturbed answers; many tests ask about the same few."""
    return results(MemoryKnowledgeBase(chunks(n, word), policy=POLICY, embedder=WordEmbedder()))


@pytest.fixture(scope="module")
def ocelots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index as it was before an update; tests work on copies."""
    folder = tmp_path_factory.mktemp("ocelots")
    build(folder, N - 500, "ocelot")
    return folder


def assert_equals_clean_build(folder: Path, n: int, word: str) -> None:
    kb = opened(folder)
    assert results(kb) == clean_results(n, word)
    assert kb.stats()["chunks"] == n
    check_index(kb)
    kb.close()


@pytest.mark.parametrize(("stage", "share"), MOMENTS)
def test_case_44_a_killed_first_build_is_no_index_and_a_new_run_repairs_it(
    tmp_path: Path, stage: str, share: float
) -> None:
    killed_build(tmp_path, N, "zebra", stage, share)
    with pytest.raises(StoreError, match="No finished index"):
        opened(tmp_path)
    build(tmp_path, N, "zebra")
    assert_equals_clean_build(tmp_path, N, "zebra")


@pytest.mark.parametrize(("stage", "share"), MOMENTS)
def test_case_44_a_killed_update_leaves_the_old_index_and_a_new_run_completes_it(
    tmp_path: Path, ocelots: Path, stage: str, share: float
) -> None:
    shutil.copytree(ocelots, tmp_path, dirs_exist_ok=True)
    # Every chunk changes, so that there is something to embed at every moment.
    killed_build(tmp_path, N, f"zebra {stage}", stage, share / 3 if stage == "embed" else share)
    assert_equals_clean_build(tmp_path, N - 500, "ocelot")
    build(tmp_path, N, "zebra")
    assert_equals_clean_build(tmp_path, N, "zebra")


def test_case_45_every_query_during_a_rebuild_answers_from_one_whole_index(tmp_path: Path) -> None:
    words = ("ocelot", "zebra", "okapi")
    build(tmp_path, N, words[0])
    whole = {answers[0]: answers for answers in (clean_results(N, word) for word in words)}
    stop = threading.Event()
    answers: list[str] = []
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            while not stop.is_set():
                kb = opened(tmp_path)
                assert results(kb) == whole[kb.snapshot()]
                assert len(kb.get([f"c{n:05d}" for n in range(0, N, 50)])) == N // 50
                answers.append(kb.snapshot())
                kb.close()
        except BaseException as error:  # noqa: BLE001 - shown by the test itself
            errors.append(error)

    reader = threading.Thread(target=ask)
    reader.start()
    code = (
        "import sys; from pathlib import Path; from tests.kb.crash_build import build;"
        "[build(Path(sys.argv[1]), int(sys.argv[2]), word) for word in sys.argv[3:]]"
    )
    rebuild = [sys.executable, "-c", code, str(tmp_path), str(N), *words[1:]]
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        rebuild, check=False, capture_output=True, timeout=300, cwd=root, env={**os.environ}
    )
    stop.set()
    reader.join()
    assert done.returncode == 0, done.stderr.decode()
    assert errors == []
    assert set(answers) <= set(whole)
    assert answers, "the reader never got to ask"
    assert_equals_clean_build(tmp_path, N, words[-1])

"""What the project's files must not hold: addresses of an index, paths of a machine, leftovers."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

# Written with character classes, so that this file does not hold what it looks for.
FORBIDDEN = {
    "address of a package index": re.compile(
        r"https?://[\w.-]+/(simpl[e]|package[s]/|np[m]/)|--(extra-)?index-ur[l] |--find-link[s]"
    ),
    "path of a machine": re.compile(r"(?<![\w.])/(wor[k]|roo[t]|hom[e]/\w+|User[s]/\w+|op[t])/"),
    "unfinished work": re.compile(r"\b(TOD[O]|FIXM[E]|XX[X])\b"),
}
TEXT_SUFFIXES = {
    "", ".cfg", ".csv", ".html", ".json", ".jsonl", ".md", ".py", ".sh", ".svg", ".toml", ".txt",
    ".yaml", ".yml",
}  # fmt: skip


def tracked_texts(root: Path) -> Iterator[tuple[str, str]]:
    """Yields (path, text) of every text file that is in the repository or about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - on PATH wherever the project is cloned
        cwd=root,
        check=True,
        capture_output=True,
    ).stdout.decode("utf-8")
    for name in listed.split("\0"):
        path = root / name
        if not name or path.suffix not in TEXT_SUFFIXES or not path.is_file():
            continue
        yield name, path.read_bytes().decode("utf-8", "replace")


@pytest.fixture(scope="module")
def texts(root: Path) -> list[tuple[str, str]]:
    """Everything that is looked through."""
    return list(tracked_texts(root))


def test_the_files_of_the_project_are_looked_through(texts: list[tuple[str, str]]) -> None:
    names = {name for name, _ in texts}
    assert {"pyproject.toml", "Makefile", "src/packhorse/errors.py"} <= names


@pytest.mark.parametrize("kind", sorted(FORBIDDEN))
def test_no_file_holds(kind: str, texts: list[tuple[str, str]]) -> None:
    pattern = FORBIDDEN[kind]
    found = [f"{name}: {match.group()}" for name, text in texts for match in pattern.finditer(text)]
    assert found == []


def test_no_tracked_file_is_a_lock_of_another_tool(texts: list[tuple[str, str]]) -> None:
    assert "uv.lock" not in {name for name, _ in texts}

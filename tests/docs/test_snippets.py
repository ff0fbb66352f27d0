"""Every example on every page runs, and prints what the page says it prints."""

import shutil
from pathlib import Path

import pytest

from packhorse.api import open_kb
from tools.snippets import Command, Snippet, commands, run_console, run_python, snippets

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if any(snippets(path.read_text(encoding="utf-8")))
)


@pytest.mark.parametrize("page", PAGES)
def test_every_example_of_the_page_works(
    page: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # One cache for all pages: the sample knowledge base is indexed once.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    # On a busy machine indexing tells how long it takes, and pages show an index that is there.
    open_kb(ROOT / "fixtures" / "tax_kb").close()
    # The reader's own documents: these pages stand in for them.
    shutil.copytree(ROOT / "docs" / "concepts", tmp_path / "documents")
    found = list(snippets((ROOT / page).read_text(encoding="utf-8")))
    # Console first: pages build on the command line what their Python then opens.
    differences = [
        line
        for block in found
        if block.language == "console"
        for line in run_console(block, page, tmp_path)
    ]
    assert not differences, "\n\n".join(differences)
    run_python([block for block in found if block.language == "python"], page, tmp_path)


def test_the_readme_is_among_the_pages_that_are_run() -> None:
    assert "README.md" in PAGES


def test_blocks_are_found_with_their_line_and_without_their_indent() -> None:
    page = (
        "text\n\n```python\nx = 1\n```\n\n"
        "1. item\n\n   ```console\n   $ true\n   ```\n"
        "```sh\nno\n```\n"
    )
    assert list(snippets(page)) == [
        Snippet(language="python", code="x = 1\n", line=4),
        Snippet(language="console", code="$ true\n", line=10),
    ]


def test_commands_keep_their_continuation_and_expected_output() -> None:
    assert list(commands("$ echo a \\\n    b\na b\n$ true\n")) == [
        Command(command="echo a \\\nb", expected="a b\n"),
        Command(command="true", expected=""),
    ]


@pytest.mark.parametrize(
    ("code", "n_differences"),
    [
        ("$ echo one two\none two\n", 0),
        ("$ echo one two\none ...\n", 0),
        ("$ echo one\ntwo\n", 1),
        ("$ false\n$ echo $?\n1\n", 0),
        ("$ printf 'no newline'\nno newline\n", 0),
        ("$ echo said >&2\nsaid\n", 0),
        ("$ cat <<END\n> one\n>  two\n> END\none\n two\n", 0),
    ],
)
def test_console_output_is_compared(code: str, n_differences: int, tmp_path: Path) -> None:
    block = Snippet(language="console", code=code, line=1)
    assert len(run_console(block, "page.md", tmp_path)) == n_differences


def test_a_failing_python_example_names_its_page_and_line(tmp_path: Path) -> None:
    block = Snippet(language="python", code="x = 1\nassert x == 2\n", line=7)
    with pytest.raises(AssertionError, match=r"(?s)page\.md.*line 8"):
        run_python([block], "page.md", tmp_path)

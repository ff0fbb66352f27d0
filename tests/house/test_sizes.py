"""The size check finds what it is for, and the package passes it."""

from pathlib import Path

import pytest

from tools.check_sizes import MAX_FUNCTION_LINES, MAX_MODULE_LINES, oversized


def test_every_module_and_function_keeps_its_size(root: Path) -> None:
    found = [line for path in (root / "src").rglob("*.py") for line in oversized(path)]
    assert found == []


@pytest.mark.parametrize(("n_lines", "n_found"), [(MAX_MODULE_LINES, 0), (MAX_MODULE_LINES + 1, 1)])
def test_a_module_may_have_four_hundred_lines(tmp_path: Path, n_lines: int, n_found: int) -> None:
    path = tmp_path / "long.py"
    path.write_text("x = 1\n" * n_lines, encoding="utf-8")
    assert len(list(oversized(path))) == n_found


@pytest.mark.parametrize(("n_body", "n_found"), [(MAX_FUNCTION_LINES - 1, 0), (60, 1)])
def test_a_function_may_have_fifty_lines_without_its_docstring(
    tmp_path: Path, n_body: int, n_found: int
) -> None:
    path = tmp_path / "long.py"
    docstring = '    """First.\n\n    Second.\n    """\n'
    path.write_text("def f():\n" + docstring + "    x = 1\n" * n_body, encoding="utf-8")
    assert len(list(oversized(path))) == n_found

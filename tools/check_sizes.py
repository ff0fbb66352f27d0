"""Fails when a module of the package is over 400 lines or a function over 50."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["MAX_FUNCTION_LINES", "MAX_MODULE_LINES", "main", "oversized"]

MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 50
ROOT = Path(__file__).resolve().parent.parent


def oversized(path: Path) -> Iterator[str]:
    """Yields a sentence for everything in `path` that is over its size."""
    source = path.read_text(encoding="utf-8")
    n_lines = len(source.splitlines())
    if n_lines > MAX_MODULE_LINES:
        yield f"{path}: {n_lines} lines, at most {MAX_MODULE_LINES}"
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        n_lines = (node.end_lineno or node.lineno) - node.lineno + 1 - _docstring_lines(node)
        if n_lines > MAX_FUNCTION_LINES:
            place = f"{path}:{node.lineno}: {node.name}"
            yield f"{place} has {n_lines} lines, at most {MAX_FUNCTION_LINES}"


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of the docstring: explaining more is never what makes a function too long."""
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return (first.end_lineno or first.lineno) - first.lineno + 1
    return 0


def main() -> int:
    """Prints what is too long; returns 1 when anything is."""
    found = [line for path in sorted((ROOT / "src").rglob("*.py")) for line in oversized(path)]
    for line in found:
        print(line)
    print(f"Sizes: {'broken' if found else 'kept'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

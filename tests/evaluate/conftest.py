"""Small datasets, written to disk."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

Rows = Iterable[Mapping[str, Any]]
Written = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes a dataset folder in the own layout and returns it."""

    def write(corpus: Rows, queries: Rows, **more: Rows) -> Path:
        folder = tmp_path / "small"
        folder.mkdir(exist_ok=True)
        for name, rows in {"corpus": corpus, "queries": queries, **more}.items():
            lines = (json.dumps(row, ensure_ascii=False) for row in rows)
            (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        return folder

    return write

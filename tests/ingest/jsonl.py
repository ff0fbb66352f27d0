"""Files of records for the tests of this room."""

import json
from pathlib import Path

__all__ = ["record", "write_lines"]


def record(chunk_id: object = "a", **changes: object) -> dict[str, object]:
    """A good record, with fields changed or added."""
    return {"chunk_id": chunk_id, "source_id": "handbook.md", "text": "Some text."} | changes


def write_lines(folder: Path, *lines: object, name: str = "chunks.jsonl") -> Path:
    """A file with one line each: bytes and text as they are, anything else as JSON."""
    path = folder / name
    raw = [
        line
        if isinstance(line, bytes)
        else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]
    path.write_bytes(b"\n".join(raw) + b"\n")
    return path

"""What must be in before anything competes: mandatory, pinned and attached chunks."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.errors import ConfigError, InputError
from packhorse.pipeline import Required
from packhorse.text.wellformed import well_formed
from packhorse.types.chunk import Chunk
from packhorse.types.decision import InclusionCode

if TYPE_CHECKING:
    from packhorse.protocols import KnowledgeBase

__all__ = ["collect_required"]


def collect_required(
    kb: KnowledgeBase,
    pin: Sequence[str] = (),
    attach: Sequence[str | Path] = (),
    attached: Sequence[Chunk] = (),
) -> Required:
    """The required chunks in the order of reservation: mandatory, pinned, attached.

    A chunk that is required for two reasons is reserved once, for the first of them; a file that
    is attached twice is attached once. `attached` are files that were read already.

    Raises:
        ConfigError: a mandatory or pinned chunk is not in the knowledge base.
        InputError: an attached file cannot be read or holds no text.
    """
    codes: dict[str, InclusionCode] = {}
    for chunk_id in kb.policy.mandatory:
        codes.setdefault(chunk_id, InclusionCode.MANDATORY)
    for chunk_id in pin:
        codes.setdefault(chunk_id, InclusionCode.PINNED)
    found = kb.get(list(codes))
    for chunk_id, code in codes.items():
        if chunk_id not in found:
            raise ConfigError(
                f"{code.value.capitalize()} chunk {chunk_id!r} is not in {kb.policy.name}",
                hint="List a chunk_id that exists, or take it off the list",
            )
    chunks = [found[chunk_id] for chunk_id in codes]
    files: dict[Path, Path] = {}
    for path in map(Path, attach):
        files.setdefault(path.resolve(), path)
    for path in files.values():
        chunk = attached_chunk(path, taken=codes)
        codes[chunk.chunk_id] = InclusionCode.ATTACHED
        chunks.append(chunk)
    for chunk in attached:
        codes[chunk.chunk_id] = InclusionCode.ATTACHED
        chunks.append(chunk)
    return Required(chunks=tuple(chunks), codes=codes)


def attached_chunk(path: Path, taken: Collection[str] = ()) -> Chunk:
    """A whole file as one chunk: what a user hands over is never cut.

    Its id is `attached:` and the file's name; when that id is taken, a number follows.
    """
    from packhorse.ingest.documents import IngestReport, load_documents

    if not os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises where nothing may be looked at
        raise InputError(f"No file to attach at {path}", hint="Check the path")
    report = IngestReport()
    documents = list(load_documents(path, report=report))
    if not documents:
        reason = report.skipped_files[0][1] if report.skipped_files else "it holds no text"
        raise InputError(
            f"Cannot attach {path}: {reason}", hint="Attach a text, Markdown or HTML file"
        )
    document = documents[0]
    shown_name = well_formed(path.name)
    name = f"attached:{shown_name}"
    numbered = (f"{name}#{number}" for number in count(2))
    chunk_id = name if name not in taken else next(n for n in numbered if n not in taken)
    return Chunk(
        chunk_id=chunk_id,
        source_id=chunk_id,
        source=shown_name,
        header=document.title,
        text=document.text,
        trust_score=1.0,
    )

"""Builds an index directory from documents, folders and JSONL files; again, only what changed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.errors import ConfigError, InputError, StoreError
from packhorse.indexing.permissions import named_refusals
from packhorse.indexing.policy import keep_policy, merged_policy
from packhorse.indexing.splitting import (
    DEFAULT_CHUNK_TOKENS,
    DEFAULT_EMBEDDER,
    MAX_CHUNK_TOKENS,
    SPLITTING_TOKENIZER,
    splitter_name,
)
from packhorse.ingest.chunks import file_chunks, knowledge_files
from packhorse.ingest.report import IngestReport
from packhorse.ingest.splitter import MIN_CHUNK_TOKENS
from packhorse.kb.manifest import is_index, read_manifest
from packhorse.kb.progress import Progress, Silent
from packhorse.kb.writer import IndexWriter
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packhorse.kb.writer import IndexChange
    from packhorse.types.chunk import Chunk

__all__ = ["IndexReport", "build_index"]

_CHUNK_TOKENS = re.compile(r"chunk_tokens=(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What a run did, in chunks, and what it passed over."""

    added: int
    changed: int
    removed: int
    unchanged: int
    embedded: int
    """Vectors that had to be made."""
    chunks: int
    sources: int
    chunks_without_terms: int
    """Chunks in which there is nothing to search for, such as a ruler of dashes."""
    snapshot: str
    generation: int
    embedder: str
    chunk_tokens: int
    ingest: IngestReport = field(default_factory=IngestReport)
    not_forgotten: tuple[str, ...] = ()
    """Sources to forget that the index held no chunk of, as absolute paths."""
    origins: tuple[str, ...] = ()
    """Sources that the index held chunks of before this run, as absolute paths."""


@named_refusals()
def build_index(
    sources: str | Path | Sequence[str | Path],
    kb_dir: str | Path,
    *,
    embedder: str | None = None,
    chunk_tokens: int | None = None,
    trust: str | Path | None = None,
    progress: Progress | None = None,
    skip_bad_lines: bool = False,
    forget: str | Path | Sequence[str | Path] = (),
    wait: bool = False,
) -> IndexReport:
    """Makes `kb_dir` hold what the sources hold now, besides what other sources gave before.

    Only new and changed chunks are embedded. Until the end the old index goes on answering; an
    error, or the death of the process, leaves it as it was.

    Args:
        sources: folders, documents and JSONL files; one of them, or a sequence.
        kb_dir: the index directory; made when it does not exist.
        embedder: `minilm`, `static`, `none`, the path of an `.onnx` file or the URL of an endpoint.
            None is what the index was built with, and `minilm` for a new one.
        chunk_tokens: limit of a chunk of a document, in tokens of o200k_base. None is what the
            index was built with, and 320 for a new one.
        trust: a kb.yaml, or a plain mapping of source patterns to scores, kept with the index.
        progress: is told how far the work is.
        skip_bad_lines: go on after a bad record instead of raising.
        forget: sources of earlier runs whose chunks leave the index; they need not exist any more.
        wait: wait for another process that is indexing into `kb_dir`.

    Raises:
        InputError: a source cannot be read, or two sources give different chunks one id.
        ChunkError: a bad record, unless they are skipped.
        FingerprintError: the index was built with another embedder or splitter.
        StoreError: another process is writing, or `kb_dir` cannot be used.
        ConfigError: `trust` or a kb.yaml cannot be used.
    """
    from packhorse.embed.registry import embedder as embedder_named
    from packhorse.embed.registry import settled

    paths, kb_dir = _paths(sources), _paths(kb_dir)[0]
    origins = [_origin(source) for source in paths]
    forgotten = [_origin(source) for source in _paths(forget)]
    _origin(kb_dir)
    _refuse_foreign(kb_dir)
    if forgotten and not origins:
        read_manifest(kb_dir)  # without an index there is nothing to forget
    name, limit = _settings(kb_dir, embedder, chunk_tokens)
    name = settled(name)
    progress = progress or Silent()
    report = IngestReport()
    policy = merged_policy(kb_dir, paths, None if trust is None else Path(trust))
    with IndexWriter(
        kb_dir,
        embedder=embedder_named(name),
        embedder_name=name,
        splitter=splitter_name(limit),
        progress=progress,
        wait=wait,
    ) as writer:
        known = writer.known_origins()
        if paths:
            progress.stage("read", None)
        for source, origin in zip(paths, origins, strict=True):
            chunks = _chunks(source, kb_dir, limit, report, skip_bad_lines=skip_bad_lines)
            writer.stage(origin, chunks)
        for origin in forgotten:
            writer.stage(origin, ())
        change = writer.commit()
        keep_policy(kb_dir, policy)
    unknown = tuple(origin for origin in forgotten if origin not in known)
    made = _report(change, name, limit, report)
    return replace(made, not_forgotten=unknown, origins=tuple(known))


def _report(
    change: IndexChange, embedder: str, chunk_tokens: int, ingest: IngestReport
) -> IndexReport:
    manifest = change.manifest
    return IndexReport(
        added=change.added,
        changed=change.changed,
        removed=change.removed,
        unchanged=change.unchanged,
        embedded=change.embedded,
        chunks=manifest.chunks,
        sources=manifest.sources,
        chunks_without_terms=manifest.chunks_without_terms,
        snapshot=manifest.snapshot,
        generation=manifest.generation,
        embedder=embedder,
        chunk_tokens=chunk_tokens,
        ingest=ingest,
    )


def _chunks(
    source: Path, kb_dir: Path, chunk_tokens: int, report: IngestReport, *, skip_bad_lines: bool
) -> Iterator[Chunk]:
    from packhorse.tokens.registry import counter_named

    counter = counter_named(SPLITTING_TOKENIZER)
    own = kb_dir.resolve()
    for file in knowledge_files(source, report):
        # An index below its own source is no document of it.
        if own in file.path.resolve().parents:
            continue
        yield from file_chunks(
            file,
            chunk_tokens=chunk_tokens,
            counter=counter,
            skip_bad_lines=skip_bad_lines,
            report=report,
        )


def _settings(kb_dir: Path, embedder: str | None, chunk_tokens: int | None) -> tuple[str, int]:
    """What was asked for; where nothing was, what the index was built with, else the default."""
    least, most = MIN_CHUNK_TOKENS, MAX_CHUNK_TOKENS
    if chunk_tokens is not None and not least <= chunk_tokens <= most:
        raise ConfigError(
            f"chunk_tokens is {chunk_tokens}", hint=f"Set it to a number from {least} to {most}"
        )
    built = read_manifest(kb_dir).fingerprint if is_index(kb_dir) else None
    if embedder is None:
        embedder = built.embedder_name if built else DEFAULT_EMBEDDER
    if chunk_tokens is None:
        found = _CHUNK_TOKENS.search(built.splitter) if built else None
        chunk_tokens = int(found[1]) if found else DEFAULT_CHUNK_TOKENS
    return embedder, chunk_tokens


def _paths(given: str | Path | Sequence[str | Path]) -> list[Path]:
    """One path or several, as paths.

    Raises:
        InputError: an empty text; as a path it would be the working directory.
    """
    several = [given] if isinstance(given, str | Path) else list(given)
    if any(isinstance(path, str) and not path.strip() for path in several):
        raise InputError("A path is empty", hint="Name a file or a folder; . is this folder")
    return [Path(path) for path in several]


def _origin(path: Path) -> str:
    """A source as the index notes it.

    Raises:
        InputError: the path is not UTF-8, so that it cannot be noted.
    """
    origin = str(path.resolve())
    if well_formed(origin) != origin:
        raise InputError(
            f"The path {well_formed(origin)} is not UTF-8", hint="Rename it, or move it elsewhere"
        )
    return origin


def _refuse_foreign(kb_dir: Path) -> None:
    """An index is not written among files that are not its own."""
    if not kb_dir.exists():
        return
    if not kb_dir.is_dir():
        raise StoreError(f"{kb_dir} is a file", hint="Name a directory for the index")
    own = {"manifest.json", "records.sqlite", ".writer.lock", "kb.yaml"}
    names = {path.name for path in kb_dir.iterdir()}
    if names and not names & own:
        raise StoreError(
            f"{kb_dir} holds other files than an index",
            hint="Name an empty or new directory for the index",
        )

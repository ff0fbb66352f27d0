"""`packhorse index`: documents, folders and JSONL into a knowledge base."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packhorse.indexing.build import IndexReport

__all__ = ["index"]

SCHEMA_VERSION = "1"
MAX_LISTED = 5
EXIT_WARNING = 1


@click.command(
    context_settings=CONTEXT_SETTINGS, epilog="Example: packhorse index docs/ handbook.pdf --kb kb/"
)
@click.argument("sources", nargs=-1, metavar="SOURCE...", type=click.Path(path_type=Path))
@click.option(
    "--kb", required=True, type=click.Path(path_type=Path), help="Directory of the index."
)
@click.option(
    "--embedder",
    help="minilm, static, none, a PATH.onnx or a URL; default: as before, minilm for a new index.",
)
@click.option(
    "--chunk-tokens",
    type=int,
    help="Limit of a chunk of a document; default: as before, 320 for a new index.",
)
@click.option(
    "--trust", type=click.Path(path_type=Path), help="Source patterns and their trust, as YAML."
)
@click.option(
    "--forget",
    multiple=True,
    metavar="SOURCE",
    type=click.Path(path_type=Path),
    help="A source of an earlier run whose chunks leave the index.",
)
@click.option("--verify", is_flag=True, help="Check every file and record of the index.")
@click.option("--skip-bad-lines", is_flag=True, help="Go on without bad lines of a chunks file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print warnings and errors only.")
def index(
    *,
    sources: tuple[Path, ...],
    kb: Path,
    verify: bool,
    as_json: bool,
    quiet: bool,
    **settings: Any,
) -> int:
    """Turn documents, folders and JSONL files into a knowledge base.

    Run it again after the sources have changed: only what changed is done again, and until the end
    the old index goes on answering. Chunks of sources that are not named stay as they are.

    Exit code 0 means done; 1 that lines or whole files were lost, that a source to forget was not
    there, or that nothing can be searched; 2 that nothing was changed.
    """
    if not sources and not settings["forget"] and not verify:
        raise ConfigError(
            "No source to index", hint="Name folders, documents or .jsonl files, or pass --verify"
        )
    document: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "kb": str(kb)}
    lines: list[tuple[str, str]] = []
    if sources or settings["forget"]:
        report = _build(sources, kb, settings, quiet=quiet)
        document |= _as_document(report)
        lines += _said(report, kb)
    if verify:
        document |= _verify(kb)
        lines.append(
            ("PASS", f"Every file and record is as it was indexed ({document['chunks']} chunks)")
        )
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    for level, text in lines:
        if level == "WARN" or not quiet:
            click.echo(f"[{level}] {text}", err=as_json or level == "WARN")
    return EXIT_WARNING if any(level == "WARN" for level, _ in lines) else 0


def _build(
    sources: tuple[Path, ...], kb: Path, settings: dict[str, Any], *, quiet: bool
) -> IndexReport:
    from packhorse.cli.progress import TerminalProgress
    from packhorse.indexing.build import build_index

    with TerminalProgress(quiet=quiet) as progress:
        return build_index(sources, kb, progress=progress, **settings)


def _verify(kb: Path) -> dict[str, Any]:
    from packhorse.indexing.open import open_kb
    from packhorse.indexing.permissions import named_refusals
    from packhorse.kb.check import check_index
    from packhorse.kb.generation import check_files
    from packhorse.kb.local import LocalKnowledgeBase
    from packhorse.kb.manifest import generation_folder, is_index, read_manifest

    # Whatever else is there, such as a folder of documents, is not indexed to be checked.
    with named_refusals():
        if kb.exists() and not is_index(kb):
            raise ConfigError(f"{kb} is no index", hint="--verify checks what packhorse index made")
        manifest = read_manifest(kb)
    try:
        found = open_kb(kb)
    except StoreError:
        # Of several files that were needed, the damaged one is to be named.
        check_files(generation_folder(kb, manifest.generation), manifest.files)
        raise
    with found as opened:
        assert isinstance(opened, LocalKnowledgeBase)  # noqa: S101 - what an index is opened as
        check_index(opened)
        return {"verified": True, **opened.stats()}


def _as_document(report: IndexReport) -> dict[str, Any]:
    document = asdict(report)
    passed_over = document.pop("ingest")
    lost = set(report.ingest.lost_files)
    return {
        **document,
        "skipped": {
            "bad_lines": [
                {"path": path, "line": line, "reason": reason}
                for path, line, reason in passed_over["bad_lines"]
            ],
            "empty": passed_over["skipped_empty"],
            "files": [
                {"path": path, "reason": reason, "lost": (path, reason) in lost}
                for path, reason in passed_over["skipped_files"]
            ],
        },
        "notes": [{"path": path, "note": note} for path, note in passed_over["notes"]],
        "replaced_surrogates": passed_over["replaced_surrogates"],
    }


def _said(report: IndexReport, kb: Path) -> Iterator[tuple[str, str]]:
    """(level, text) lines about a run."""
    found = report.ingest
    holds = f"{_n(report.chunks, 'chunk')} from {_n(report.sources, 'source')}"
    made = f"embedder {report.embedder}, snapshot {report.snapshot[:12]}"
    yield "INFO", f"Index {kb}: {holds} ({made})"
    changes = ("added", "changed", "removed", "unchanged", "embedded")
    yield "INFO", ", ".join(f"{getattr(report, name)} {name}" for name in changes)
    yield from _listed("INFO", "without any text", found.skipped_empty)
    lost = set(found.lost_files)
    no_documents = [item for item in found.skipped_files if item not in lost]
    yield from _by_reason("INFO", "not read", no_documents)
    yield from _by_reason("WARN", "lost, could not be read", found.lost_files)
    yield from _by_reason("INFO", "read with care", found.notes)
    yield from _listed("INFO", "with broken characters replaced", found.replaced_surrogates)
    yield from _listed(
        "WARN",
        "left out as bad lines",
        [f"{path} line {line} ({reason})" for path, line, reason in found.bad_lines],
    )
    for origin in report.not_forgotten:
        holds = ", ".join(report.origins[:MAX_LISTED]) or "nothing"
        more = ", ..." if report.origins[MAX_LISTED:] else ""
        yield "WARN", f"Nothing to forget of {origin}: the index held {holds}{more}"
    if report.chunks == report.chunks_without_terms:
        yield "WARN", "Nothing in this index can be searched: it holds no word"
    elif report.chunks_without_terms:
        yield "INFO", f"{_n(report.chunks_without_terms, 'chunk')} without any word to search for"


def _listed(level: str, what: str, items: list[str]) -> Iterator[tuple[str, str]]:
    if items:
        more = f" and {len(items) - MAX_LISTED} more" if len(items) > MAX_LISTED else ""
        yield level, f"{len(items)} {what}: {', '.join(items[:MAX_LISTED])}{more}"


def _by_reason(level: str, what: str, items: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """A short list as it is; of a long one how many files each reason has, and one of them."""
    if len(items) <= MAX_LISTED:
        yield from _listed(level, what, [f"{path} ({reason})" for path, reason in items])
        return
    paths: dict[str, list[str]] = {}
    for path, reason in items:
        paths.setdefault(reason, []).append(path)
    most_first = sorted(paths.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    groups = [f"{len(found)} {reason}, such as {found[0]}" for reason, found in most_first]
    more = f"; and {_n(len(groups) - MAX_LISTED, 'other reason')}" if groups[MAX_LISTED:] else ""
    yield level, f"{len(items)} {what}: {'; '.join(groups[:MAX_LISTED])}{more}"


def _n(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

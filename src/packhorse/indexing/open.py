"""Opens whatever a user names as a knowledge base."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from packhorse.errors import FingerprintError, StoreError
from packhorse.indexing.cache import (
    cache_entry,
    cache_root,
    read_source_record,
    signature,
    write_source_record,
)
from packhorse.indexing.permissions import named_refusals
from packhorse.indexing.policy import policy_of, trust_in
from packhorse.indexing.splitting import DEFAULT_CHUNK_TOKENS, DEFAULT_EMBEDDER, splitter_name
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.manifest import is_index, read_manifest
from packhorse.kb.records import RECORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from packhorse.kb.progress import Progress
    from packhorse.protocols import Embedder, KnowledgeBase

__all__ = ["URL_SCHEMES", "open_kb"]

URL_SCHEMES: Mapping[str, Callable[[str], KnowledgeBase]] = {}
"""Scheme of a URL -> what opens it. Engines beyond this machine register here."""


@named_refusals()
def open_kb(
    source: str | Path,
    *,
    cache_dir: Path | None = None,
    embedder: str | None = None,
    progress: Progress | None = None,
    skip_bad_lines: bool = False,
) -> KnowledgeBase:
    """Opens an index, a folder with chunks.jsonl, a JSONL file, or documents.

    Anything but an index is indexed on first use into the cache directory. It is used again as
    long as the content of the source is the same; the result is the same either way. The kb.yaml
    of a folder is read each time and is no part of the index.

    Args:
        source: path or URL.
        cache_dir: where indexes of other sources are kept; None is the user's cache directory.
        embedder: makes the vectors of a source that is indexed now (None: `minilm`); for an index,
            refused unless it is the one that the index was built with. A file or an endpoint may
            be somewhere else now.
        progress: is told how far the indexing is.
        skip_bad_lines: go on after a bad record of a JSONL file instead of raising.

    Raises:
        StoreError: there is nothing to open, it is damaged, or its kind is not supported.
        FingerprintError: the index was built with another embedder than `embedder`.
        ConfigError: the kb.yaml cannot be used.
        InputError: the source cannot be read.
        ChunkError: a bad record, unless they are skipped.
    """
    scheme = urlsplit(str(source)).scheme if "://" in str(source) else ""
    if scheme:
        return _open_url(str(source), scheme)
    if not str(source).strip():
        # Path("") is the working directory; it is more likely a variable that was not set.
        raise StoreError("The knowledge base has no name", hint="Give a path, for example docs/")
    path = Path(source)
    if not path.exists():
        raise StoreError(
            f"No knowledge base at {path}",
            hint="Give a folder, a .jsonl file, documents, or an index made by packhorse index",
        )
    if is_index(path):
        return _open_index(path, embedder)
    if (path / RECORDS).is_file():
        raise StoreError(
            f"The index in {path} was never finished",
            hint="Run packhorse index again; what is done already is not done twice",
        )
    return _open_cached(
        path,
        cache_root(cache_dir),
        embedder or DEFAULT_EMBEDDER,
        progress,
        skip_bad_lines=skip_bad_lines,
    )


def _open_url(url: str, scheme: str) -> KnowledgeBase:
    opener = URL_SCHEMES.get(scheme)
    if opener is None:
        known = ", ".join(sorted(URL_SCHEMES)) or "none"
        raise StoreError(
            f"This version cannot open a {scheme} knowledge base",
            hint=f"Give a path on this machine; URL schemes it knows: {known}",
        )
    return opener(url)


def _open_index(path: Path, embedder: str | None) -> LocalKnowledgeBase:
    policy = policy_of(path)
    given = None if embedder is None else _same_embedder(path, embedder)
    return LocalKnowledgeBase(path, policy=policy, trust_of=trust_in(policy), embedder=given)


def _same_embedder(path: Path, name: str) -> Embedder | None:
    """The embedder of a name, which may be that of the index in another place.

    None stands for the one that the index names.
    """
    from packhorse.embed.registry import BY_NAME, embedder, settled

    built = read_manifest(path).fingerprint
    if settled(name) == built.embedder_name:
        return None
    if name not in BY_NAME and built.embedder_name not in BY_NAME:
        model = embedder(name)
        if model is not None and model.fingerprint == built.embedder:
            return model
    raise FingerprintError(
        f"{path} was built with embedder {built.embedder_name!r}, not {name!r}",
        built_with=built.embedder_name,
        asked_for=name,
        hint="Leave the embedder out, or build an index with it in another directory",
    )


def _open_cached(
    source: Path, root: Path, embedder: str, progress: Progress | None, *, skip_bad_lines: bool
) -> LocalKnowledgeBase:
    from packhorse.embed.registry import decides

    policy = policy_of(source)
    entry = cache_entry(
        root,
        source,
        embedder=decides(embedder),
        splitter=splitter_name(DEFAULT_CHUNK_TOKENS),
        lenient=skip_bad_lines,
    )

    def fill() -> None:
        _fill(entry, source, embedder, progress, skip_bad_lines=skip_bad_lines)

    def opened() -> LocalKnowledgeBase:
        return LocalKnowledgeBase(
            entry,
            policy=policy,
            trust_of=trust_in(policy),
            notes=read_source_record(entry),
        )

    try:
        fill()
        return opened()
    except StoreError:
        # A cache is only a copy: one that is damaged, or of another make, is made anew.
        shutil.rmtree(entry, ignore_errors=True)
        fill()
        return opened()


def _fill(
    entry: Path, source: Path, embedder: str, progress: Progress | None, *, skip_bad_lines: bool
) -> None:
    """Brings the index of a source up to date."""
    now = signature(source)
    if is_index(entry) and read_source_record(entry).get("signature") == now:
        return
    from packhorse.indexing.build import build_index

    if progress is not None:
        progress.stage("again" if is_index(entry) else "first", None)
    report = build_index(
        [source],
        entry,
        embedder=embedder,
        chunk_tokens=DEFAULT_CHUNK_TOKENS,
        progress=progress,
        skip_bad_lines=skip_bad_lines,
        wait=True,
    )
    passed_over = report.ingest
    write_source_record(
        entry,
        {
            # Taken before reading: a file that changed meanwhile is read again next time.
            "signature": now,
            "source": str(source.resolve()),
            "bad_lines": len(passed_over.bad_lines),
            "skipped_empty": len(passed_over.skipped_empty),
            "empty_records": passed_over.n_empty_records,
            "skipped_files": len(passed_over.skipped_files),
            "lost_files": len(passed_over.lost_files),
        },
    )

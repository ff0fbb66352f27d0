"""The corpus of a dataset as a knowledge base, indexed once and kept in the user's cache.

The index is found by its content. The vectors are kept apart from it, by model and text, so that
an index that has to be made anew (because search terms are made in another way, for example) costs
no embedding.
"""

from __future__ import annotations

import hashlib
import shutil
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from packhorse.api import open_kb
from packhorse.config import KnowledgeBasePolicy
from packhorse.embed.registry import embedder as embedder_named
from packhorse.embed.registry import settled
from packhorse.embed.remembered import VECTORS_FILE, RememberedEmbedder
from packhorse.errors import StoreError
from packhorse.kb.local import LocalKnowledgeBase
from packhorse.kb.manifest import FORMAT_VERSION, is_index
from packhorse.kb.writer import IndexWriter
from packhorse.text.analysis import ANALYSIS_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from packhorse.evaluate.dataset import Dataset
    from packhorse.kb.progress import Progress
    from packhorse.protocols import Embedder, KnowledgeBase
    from packhorse.types.chunk import Chunk

__all__ = ["open_corpus", "opened_dataset", "remembered_embedder"]

_SPLITTER = "whole passages"


def remembered_embedder(name: str, cache: Path) -> Embedder | None:
    """The embedder of a name, which makes a vector once for each text; None for `none`."""
    embedder = embedder_named(name)
    return None if embedder is None else RememberedEmbedder(embedder, cache / VECTORS_FILE)


@contextmanager
def opened_dataset(
    dataset: Dataset, *, embedder_name: str, cache: Path, progress: Progress | None = None
) -> Iterator[tuple[KnowledgeBase, Embedder | None]]:
    """A dataset's passages, open for search, and what makes the direction of a question.

    A dataset over a knowledge base is searched as it is, with the model that its vectors are of.
    """
    if dataset.kb is not None:
        with closing(open_kb(dataset.kb)) as indexed:
            yield indexed, indexed.embedder()
        return
    with open_corpus(
        dataset.name,
        dataset.passages,
        embedder_name=embedder_name,
        cache=cache,
        progress=progress,
    ) as kb:
        yield kb, remembered_embedder(embedder_name, cache)


def open_corpus(
    name: str,
    passages: Sequence[Chunk],
    *,
    embedder_name: str,
    cache: Path,
    progress: Progress | None = None,
) -> LocalKnowledgeBase:
    """The passages, open for search.

    Args:
        name: what the knowledge base is called.
        passages: one chunk each.
        embedder_name: `minilm`, `static`, `none`, the path of an `.onnx` file or a URL.
        cache: directory of the index and the vectors.
        progress: is told how far the indexing is.

    Raises:
        UnknownStrategyError: no embedder is registered under the name.
        StoreError: the cache cannot be written.
    """
    embedder = remembered_embedder(embedder_name, cache)
    entry = _entry(cache, passages, embedder.fingerprint if embedder else "none")
    policy = KnowledgeBasePolicy(name=name)

    def opened() -> LocalKnowledgeBase:
        if not is_index(entry):
            with IndexWriter(
                entry,
                embedder=embedder,
                embedder_name=settled(embedder_name),
                splitter=_SPLITTER,
                progress=progress,
                wait=True,
            ) as writer:
                writer.stage("corpus", passages)
                writer.commit()
        return LocalKnowledgeBase(entry, policy=policy, embedder=embedder)

    try:
        return opened()
    except StoreError:
        # A cache is only a copy: one that is damaged is made anew.
        shutil.rmtree(entry, ignore_errors=True)
        return opened()


def _entry(cache: Path, passages: Sequence[Chunk], embedder: str) -> Path:
    """The directory of an index, named after everything that decides what is in it."""
    digest = hashlib.sha256()
    for decides in (embedder, ANALYSIS_VERSION, str(FORMAT_VERSION)):
        digest.update(f"{decides}\0".encode())
    for content in sorted(passage.content_hash() for passage in passages):
        digest.update(content.encode())
    return cache / "evaluate" / digest.hexdigest()[:24]

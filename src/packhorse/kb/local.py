"""Opens an index directory and searches one generation of it, whatever is written meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from packhorse.errors import ConfigError, FingerprintError, StoreError
from packhorse.kb.closing import Closing
from packhorse.kb.damage import BUILD_AGAIN
from packhorse.kb.generation import Generation
from packhorse.kb.lock import Lease
from packhorse.kb.manifest import Manifest, generation_folder, read_manifest
from packhorse.kb.records import RecordReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from packhorse.config import KnowledgeBasePolicy
    from packhorse.protocols import Embedder, Reference, SearchResult
    from packhorse.types.arrays import FloatArray
    from packhorse.types.chunk import Chunk

__all__ = ["LocalKnowledgeBase"]

_TRIES = 20


class LocalKnowledgeBase(Closing):
    """Reads the generation that was live when it was opened. Safe from several threads.

    Args:
        path: an index directory.
        policy: what the operator says about it.
        trust_of: the operator's trust in a source id, or None where nothing is said; it stands in
            for what the record says.
        notes: more for `stats`, such as how many records were passed over.
        embedder: stands in for the one that the index names, which may have been moved.

    Raises:
        StoreError: there is no finished index, it is damaged, or it cannot be read.
    """

    def __init__(
        self,
        path: Path,
        *,
        policy: KnowledgeBasePolicy,
        trust_of: Callable[[str], float | None] | None = None,
        notes: Mapping[str, object] | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.policy = policy
        self.path = path
        self._trust_of = trust_of
        self._notes = dict(notes or {})
        self.manifest, self._lease = _lease_live(path)
        self._given = embedder
        self._embedder: Embedder | None = None
        try:
            folder = generation_folder(path, self.manifest.generation)
            self.generation = Generation(folder, self.manifest.files, self.manifest.dimension)
            self._records = RecordReader(path)
        except OSError as exc:
            self._lease.release()
            raise StoreError(
                f"Cannot read the index in {path}: {exc.strerror or exc}",
                hint="Check the permissions of its files",
            ) from exc
        except BaseException:
            self._lease.release()
            raise

    def snapshot(self) -> str:
        """Content hash of the chunks."""
        self._refuse_closed()
        return self.manifest.snapshot

    def search(self, text: str, vector: FloatArray | None, limit: int) -> SearchResult:
        """The best `limit` chunks of each channel; the dense one needs a vector."""
        self._refuse_closed()
        return self.generation.engine.search(text, vector, limit)

    def named(self, text: str) -> tuple[Reference, ...]:
        """The chunks that a question names, surest first."""
        self._refuse_closed()
        return self.generation.mentions.named(text)

    def mentions(self, chunks: Sequence[Chunk], text: str) -> tuple[tuple[Reference, ...], ...]:
        """The chunks that each of `chunks` mentions, strongest first."""
        self._refuse_closed()
        return self.generation.mentions.mentions(chunks, text)

    def lexical_scores(self, text: str, chunk_ids: Sequence[str]) -> FloatArray:
        """float64, shape (n,): what the lexical channel scores each; 0 for an unknown id."""
        self._refuse_closed()
        rows = self.generation.ids.rows(chunk_ids)
        return self.generation.engine.lexical_scores(text, rows)

    def neighbours(self, chunk_id: str, reach: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """At most `reach` chunks of its source before it, and after it, in reading order."""
        return self._beside(chunk_id, reach, self.generation.order.neighbours)

    def section(self, chunk_id: str, reach: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The same, of its section alone."""
        return self._beside(chunk_id, reach, self.generation.order.section)

    def _beside(
        self,
        chunk_id: str,
        reach: int,
        rows_beside: Callable[[int, int], tuple[tuple[int, ...], tuple[int, ...]]],
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        self._refuse_closed()
        ids, row = self.generation.ids, self.generation.ids.row(chunk_id)
        if row is None:
            return (), ()
        before, after = rows_beside(row, reach)
        return tuple(ids[each] for each in before), tuple(ids[each] for each in after)

    def get(self, chunk_ids: Iterable[str]) -> Mapping[str, Chunk]:
        """The chunks that exist among `chunk_ids`, with the operator's trust."""
        stored = self.stored(chunk_ids)
        return {chunk_id: self._trusted(chunk) for chunk_id, chunk in stored.items()}

    def chunk_ids(self) -> list[str]:
        """Ids of all chunks, ascending."""
        self._refuse_closed()
        ids = self.generation.ids
        return [ids[row] for row in range(len(ids))]

    def stored(self, chunk_ids: Iterable[str]) -> dict[str, Chunk]:
        """The chunks that exist among `chunk_ids`, as they were indexed."""
        self._refuse_closed()
        asked, content_hash = list(chunk_ids), self.generation.content_hash
        rows = zip(asked, self.generation.ids.rows(asked), strict=True)
        hashes = {chunk_id: content_hash(row) for chunk_id, row in rows if row is not None}
        chunks = self._records.chunks(sorted(set(hashes.values())))
        lost = [chunk_id for chunk_id, key in hashes.items() if key not in chunks]
        if lost:
            raise StoreError(
                f"Chunk {lost[0]!r} is listed in {self.path} but its record is gone",
                hint=BUILD_AGAIN,
            )
        return {chunk_id: chunks[key] for chunk_id, key in hashes.items()}

    def vectors(self, chunk_ids: Sequence[str]) -> FloatArray | None:
        """float32, shape (n, d), in the order asked; None for an index without vectors.

        Raises:
            StoreError: an id does not exist.
        """
        self._refuse_closed()
        if self.generation.vectors is None:
            return None
        found = self.generation.ids.rows(chunk_ids)
        rows = [row for row in found if row is not None]
        if len(rows) < len(found):
            raise StoreError(
                f"No chunk {chunk_ids[found.index(None)]!r} in {self.policy.name}",
                hint="Ask for chunks that exist",
            )
        return self.generation.vectors[rows]

    def embedder(self) -> Embedder | None:
        """The model that made the vectors, loaded on first call.

        Raises:
            FingerprintError: the model of that name is now another one than the index was built
                with, so its vectors would not compare.
            ConfigError: the model is a file that is not where it was.
        """
        self._refuse_closed()
        built = self.manifest.fingerprint
        if built.embedder is None:
            return None
        if self._embedder is None:
            model = self._given or self._named()
            found = model.fingerprint if model else "none"
            if found != built.embedder:
                raise FingerprintError(
                    f"{self.path} was built with embedder {built.embedder!r}, not {found!r}",
                    built_with=built.embedder,
                    asked_for=found,
                    hint="Use the version it was built with, or index into a new directory",
                )
            self._embedder = model
        return self._embedder

    def _named(self) -> Embedder | None:
        """The embedder that the index names."""
        from packhorse.embed.registry import embedder

        try:
            return embedder(self.manifest.fingerprint.embedder_name)
        except ConfigError as exc:
            raise ConfigError(
                f"{exc.message}, which embedded {self.path}",
                hint=f"{exc.hint}; or give the same model where it is now with --embedder",
            ) from exc

    def stats(self) -> Mapping[str, object]:
        """Counts, snapshot, generation and what the index was built with."""
        self._refuse_closed()
        manifest = self.manifest
        return {
            **self._notes,
            "chunks": manifest.chunks,
            "sources": manifest.sources,
            "snapshot": manifest.snapshot,
            "chunks_without_terms": manifest.chunks_without_terms,
            "embedder": manifest.fingerprint.embedder,
            "splitter": manifest.fingerprint.splitter,
            "generation": manifest.generation,
        }

    def close(self) -> None:
        """Lets a writer remove the generation once it is no longer live."""
        super().close()
        self._records.close()
        self._lease.release()

    def _called(self) -> str:
        return str(self.path)

    def _trusted(self, chunk: Chunk) -> Chunk:
        trust = self._trust_of(chunk.source_id) if self._trust_of else None
        return chunk if trust is None else replace(chunk, trust_score=trust)


def _lease_live(path: Path) -> tuple[Manifest, Lease]:
    """The live manifest and a lease on its generation; looks again when a writer was quicker."""
    for _ in range(_TRIES):
        manifest = read_manifest(path)
        lease = Lease.shared(generation_folder(path, manifest.generation))
        if lease is not None:
            return manifest, lease
    raise StoreError(
        f"The generation that {path} names is missing",
        hint=BUILD_AGAIN,
    )

"""What each stage promises. A stage is a small object: settings in the constructor, one verb.

Nothing here is imported to do work; implementations need not inherit. The contract suites that
an implementation should pass are in `packhorse.testing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from packhorse.types.constraints import NO_CONSTRAINTS

if TYPE_CHECKING:
    from types import TracebackType

    from packhorse.config import KnowledgeBasePolicy
    from packhorse.types.arrays import FloatArray, IntArray
    from packhorse.types.candidate import CandidatePool
    from packhorse.types.chunk import Chunk
    from packhorse.types.closing import LeftOut
    from packhorse.types.constraints import Constraints
    from packhorse.types.decision import InclusionCode
    from packhorse.types.packing import Packing
    from packhorse.types.query import Query
    from packhorse.types.ranking import Ranking
    from packhorse.types.rendered import Rendered
    from packhorse.types.verdict import Verdict

__all__ = [
    "ContradictionModel",
    "CrossEncoder",
    "Embedder",
    "EmbedsQuestions",
    "HasNeighbours",
    "KnowledgeBase",
    "NamesChunks",
    "Orderer",
    "Packer",
    "Reference",
    "Renderer",
    "Reranker",
    "Retriever",
    "ScoresChunks",
    "SearchHit",
    "SearchResult",
    "TokenCounter",
    "Verifier",
]


@runtime_checkable
class TokenCounter(Protocol):
    """Counts tokens as one model family does. Text is data: never a control token, never an error.

    A lone surrogate counts as U+FFFD. Counting is deterministic and safe from several threads.
    """

    name: str
    """Vocabulary, for example `o200k_base`."""
    library: str
    """What counts, for example `toktok-rs`."""
    exact: bool
    margin: float
    """Share that an estimate may be too low by, 0..1; 0 when exact."""

    def count(self, text: str) -> int:
        """Tokens of one text."""
        ...

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """One count a text, in order; faster than calling `count` for each."""
        ...


class Embedder(Protocol):
    """Turns text into directions. The same text gives the same vector in every batch."""

    @property
    def fingerprint(self) -> str:
        """All that decides a vector, prompts included; an index of another one is refused."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """float32, shape (n, dimension), rows of length 1, or 0 for a text without any token."""
        ...


@runtime_checkable
class EmbedsQuestions(Protocol):
    """What an embedder may also do: read a question otherwise than a passage.

    One that does not is given questions by `embed` too.
    """

    def embed_questions(self, texts: Sequence[str]) -> FloatArray:
        """What `embed` gives, for questions: rows that are compared with those of passages."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One chunk and its place in one channel."""

    chunk_id: str
    score: float
    """The channel's own scale, higher is better, six decimals."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchResult:
    """What a knowledge base found: a list for each channel, best first, ties by chunk id."""

    lexical: tuple[SearchHit, ...] = ()
    dense: tuple[SearchHit, ...] = ()
    lexical_ideal: float = 0.0
    """Upper bound of any lexical score for this query (its whole idf mass): the channel's scale."""
    note: str = ""
    """`empty_knowledge_base`, `no_searchable_text`, `no_searchable_terms` or empty."""


class KnowledgeBase(Protocol):
    """Chunks that can be searched. A query is text and never syntax of an engine.

    An open knowledge base answers from one snapshot, whatever is written meanwhile. A `with` block
    closes it; after that every call raises StoreError.
    """

    policy: KnowledgeBasePolicy

    def snapshot(self) -> str:
        """Content hash: 64 hex digits that depend on the chunks alone, not on their order."""
        ...

    def search(self, text: str, vector: FloatArray | None, limit: int) -> SearchResult:
        """The best `limit` chunks of each channel; ties never depend on storage order."""
        ...

    def get(self, chunk_ids: Iterable[str]) -> Mapping[str, Chunk]:
        """The chunks that exist among `chunk_ids`; ids that do not exist are left out."""
        ...

    def vectors(self, chunk_ids: Sequence[str]) -> FloatArray | None:
        """float32, shape (n, d), in the order asked; None for a knowledge base without vectors."""
        ...

    def embedder(self) -> Embedder | None:
        """The model that made the vectors, loaded on first call; None when there are none."""
        ...

    def stats(self) -> Mapping[str, object]:
        """At least `chunks`, `sources`, `snapshot`; with vectors `embedder`, its fingerprint."""
        ...

    def close(self) -> None:
        """Releases files; the object is not used after it. Closing again does nothing."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@runtime_checkable
class HasNeighbours(Protocol):
    """What a knowledge base may also know: what stands around a chunk in its source.

    One that does not is searched without expansion. Chunks of a source are read by
    `position_in_source`; where several have one position, their order is not known, and they are
    nobody's neighbours there.
    """

    def neighbours(self, chunk_id: str, reach: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Ids of at most `reach` chunks of its source before it, and of as many after it.

        Both in reading order; none for an unknown id.
        """
        ...

    def section(self, chunk_id: str, reach: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """As `neighbours`, of its section alone.

        A section is what follows each other in a source under one `section_id`; chunks without
        one make up a section too. Under one that is named, chunks of one position count as well.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A name of a chunk that stands in a text."""

    chunk_id: str
    """The chunk that is called so."""
    name: str
    """As it is written in the text, on one line."""
    strength: float
    """How surely the text means this chunk, 0..1, above 0, six decimals."""


@runtime_checkable
class NamesChunks(Protocol):
    """What a knowledge base may also know: what its chunks are called, and where names stand.

    One that does not is searched without following.
    """

    def named(self, text: str) -> tuple[Reference, ...]:
        """What a question names.

        Returns:
            at most one reference a chunk, its strongest, by (highest strength, chunk id).
        """
        ...

    def mentions(self, chunks: Sequence[Chunk], text: str) -> tuple[tuple[Reference, ...], ...]:
        """Which chunks each of `chunks` mentions, itself left out.

        A name counts for more where it stands near words of the question `text` that the header
        of the mentioning chunk does not hold.

        Returns:
            for each chunk, in the order given, what `named` returns for a question.
        """
        ...


@runtime_checkable
class ScoresChunks(Protocol):
    """What a knowledge base may do besides: score any chunk by words, found or not."""

    def lexical_scores(self, text: str, chunk_ids: Sequence[str]) -> FloatArray:
        """float64, shape (n,), in the order asked: what the lexical channel of `search` scores.

        0 for an id that does not exist, and for all where the text or the knowledge base holds no
        term.
        """
        ...


class Retriever(Protocol):
    """Finds candidates; the pool is best first, with required chunks always in it."""

    def retrieve(self, query: Query, required: Sequence[Chunk] = ()) -> CandidatePool:
        """The chunks that compete for `query`, and those in `required`."""
        ...


class Reranker(Protocol):
    """Scores and orders a pool; says why for everything it takes out."""

    def rerank(
        self, query: Query, pool: CandidatePool, reserved: Mapping[str, InclusionCode]
    ) -> Ranking:
        """Every row of the pool: in order, reserved (by chunk id), or out with a reason."""
        ...


@runtime_checkable
class CrossEncoder(Protocol):
    """Reads a question and a passage together, and says how well the passage answers it."""

    name: str
    """What it is called in a packet; holds no key."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """A finite number for each text, in order; higher is better.

        Logits, or probabilities from 0 to 1: which of the two is declared with the model, and
        never guessed. The number of a text does not depend on the other texts.

        Raises:
            RerankError: no usable answer. The caller goes on without the reranker.
        """
        ...


class Packer(Protocol):
    """Spends the budget: decides what is in. Never over, never a part of a chunk."""

    name: str

    def pack(
        self,
        ranking: Ranking,
        block_tokens: Sequence[int] | IntArray,
        budget: int,
        constraints: Constraints = NO_CONSTRAINTS,
    ) -> Packing:
        """Selects rows.

        Args:
            ranking: the candidates in order.
            block_tokens: (n,) rendered tokens of each row's block.
            budget: tokens for blocks, the evidence preamble already taken off.
            constraints: kept wherever that is possible; what is not kept is said in `unmet`.

        Raises:
            BudgetExceededError: the reserved rows alone are over `budget`.
        """
        ...


class Orderer(Protocol):
    """Decides where: a permutation of what was packed. The input is left as it is."""

    name: str

    def order(self, ranked: Sequence[Chunk]) -> tuple[int, ...]:
        """Positions in `ranked` (best first), in reading order."""
        ...


class Renderer(Protocol):
    """Turns chunks into text that no chunk can break out of.

    A block starts with a fixed opener that is no space, and ends with a newline, so that block
    token counts add up (design: BPE counts are not additive over other joins).
    """

    name: str

    def preamble(self, text: str) -> str:
        """The opening of the section, ending with a newline; empty for an empty text."""
        ...

    def block(self, number: int, chunk: Chunk) -> str:
        """One chunk under the number that the answer cites it by."""
        ...

    def closing(self, notice: str) -> str:
        """The notice as one line that no chunk can forge; empty for an empty notice."""
        ...

    def render(
        self,
        preamble: str,
        chunks: Sequence[Chunk],
        counter: TokenCounter,
        notice: str = "",
        known: Sequence[int] = (),
    ) -> Rendered:
        """The whole section in reading order, numbered from 1 and certified by a recount.

        `known` are counts of the preamble, the blocks and the notice, if any, from before; they
        stand only where they add up to the count of the whole.
        """
        ...


class Notice(Protocol):
    """What one question's evidence can say at its end about what was left out of it."""

    def longest(self) -> str:
        """A notice as long as any that the question can end with."""
        ...

    def left_out(self, packing: Packing, room: int) -> LeftOut:
        """What a selection that had `room` tokens for blocks leaves out."""
        ...

    def forms(self, left_out: LeftOut) -> tuple[str, ...]:
        """The notice in words, longest first; none when nothing is left out."""
        ...


@runtime_checkable
class ContradictionModel(Protocol):
    """Says how likely one sentence contradicts another: natural language inference."""

    name: str
    """What it is called where a check reports on it; holds no key."""

    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """A probability from 0 to 1 for each pair, in order; the same pair gives the same.

        Raises:
            VerificationError: no usable answer. The caller goes on without the model.
        """
        ...


class Verifier(Protocol):
    """Checks what was packed. Failing is data; nothing is raised and nothing is changed."""

    def verify(self, query: Query, pool: CandidatePool, packed: Sequence[Chunk]) -> Verdict:
        """All checks over the packed chunks, in reading order."""
        ...

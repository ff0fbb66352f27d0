"""Packs the three workloads with Packhorse, LangChain, LlamaIndex and Haystack, in one run.

Usage: make bench-peers, or with ARGS="--rounds 9"

Everybody gets the same candidates with vectors and token counts, the same budget, and the same
exact tokenizer, and is asked for the text that goes to the model: diverse, best first, at most
the budget. What each was asked to do in its own words is written at its function. Nobody is
asked for more chunks than an average says will fit; Packhorse ranks all of them. "Over" is how
many tokens the text is above the budget, counted as a whole with the target model's tokenizer.
A library that cannot be asked for diversity without a neural model is not asked for it.

Slow ones get fewer rounds; one of each is called in turn. Numbers are medians in milliseconds.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")

import argparse
import importlib.metadata
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.bench_selection import packed_by, pipeline
from bench.workloads import SIZES, VOCABULARY, Workload, made
from packhorse.tokens.registry import counter_named

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk

__all__ = ["main"]

LAMBDA = 0.7
WORDS_A_TOKEN = 0.75
"""The rule of thumb for English by which a budget in tokens becomes a limit in words."""

SLOW_S = 1.0
"""A call that takes longer is measured `SLOW_ROUNDS` times."""
SLOW_ROUNDS = 3
HOPELESS_S = 20.0
"""A call that takes longer is measured once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A library, and how it packs."""

    name: str
    package: str
    prepare: Callable[[Workload], Callable[[], str]]
    """From a workload to a call that gives the text; preparing is not measured."""
    reasons: str
    """Whether it says why each candidate is in or out."""


def packhorse_text(work: Workload) -> Callable[[], str]:
    """Five signals, MMR over all candidates, `ranked`, sandwich order, XML, certified."""
    stages = pipeline()
    return lambda: packed_by(stages, work)[1].text


def langchain_text(work: Workload) -> Callable[[], str]:
    """`maximal_marginal_relevance`, then `trim_messages`, then texts with blank lines between.

    MMR as its vector stores do it, then its way of keeping to a token limit with the counts
    given, then the format of `create_stuff_documents_chain`.
    """
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, HumanMessage, trim_messages
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

    documents = [Document(page_content=each.text, id=each.chunk_id) for each in _chunks(work)]
    tokens = {each.chunk_id: n for each, n in zip(_chunks(work), work.text_tokens, strict=True)}
    assert work.pool.vectors is not None  # noqa: S101 - workloads have vectors
    vectors = list(work.pool.vectors)

    def count(messages: list[BaseMessage]) -> int:
        return sum(tokens[str(message.id)] for message in messages)

    def call() -> str:
        chosen = maximal_marginal_relevance(
            work.query_vector,
            vectors,
            lambda_mult=LAMBDA,
            k=_expected(work),
        )
        messages = [
            HumanMessage(content=documents[row].page_content, id=documents[row].id)
            for row in chosen
        ]
        kept = trim_messages(
            messages, max_tokens=work.budget, strategy="first", token_counter=count
        )
        return "\n\n".join(str(message.content) for message in kept)

    return call


def llama_index_text(work: Workload) -> Callable[[], str]:
    """`get_top_k_mmr_embeddings`, then `PromptHelper.repack` as the response mode `compact` does.

    Of the texts that repacking gives, the first is what one call to the model holds; `compact`
    goes on with the others in further calls.
    """
    from llama_index.core import PromptHelper, PromptTemplate
    from llama_index.core.indices.query.embedding_utils import get_top_k_mmr_embeddings

    counter = counter_named(VOCABULARY)
    template = PromptTemplate("{context_str}")
    helper = PromptHelper(
        context_window=work.budget,
        num_output=0,
        tokenizer=lambda text: list(range(counter.count(text))),
    )
    texts = [each.text for each in _chunks(work)]
    assert work.pool.vectors is not None  # noqa: S101 - workloads have vectors
    vectors, query = list(work.pool.vectors), work.query_vector

    def call() -> str:
        _, rows = get_top_k_mmr_embeddings(
            query,
            vectors,
            similarity_top_k=_expected(work),
            mmr_threshold=LAMBDA,
        )
        return str(helper.repack(template, [texts[row] for row in rows])[0])

    return call


def haystack_text(work: Workload) -> Callable[[], str]:
    """`LostInTheMiddleRanker` with a limit in words, then `PromptBuilder`.

    Its limit counts words, so the budget is turned into words by the usual rule of thumb; the
    document that crosses the limit is still taken. Its diversity ranker needs a neural model,
    and is not asked.
    """
    from haystack import Document
    from haystack.components.builders import PromptBuilder
    from haystack.components.rankers import LostInTheMiddleRanker

    scores = work.pool.relevance.tolist()
    documents = [
        Document(id=each.chunk_id, content=each.text, score=score)
        for each, score in zip(_chunks(work), scores, strict=True)
    ]
    words = int(work.budget * WORDS_A_TOKEN)
    ranker = LostInTheMiddleRanker(word_count_threshold=words)
    builder = PromptBuilder(
        "{% for document in documents %}{{ document.content }}\n{% endfor %}",
        required_variables=["documents"],
    )

    def call() -> str:
        ranked = ranker.run(documents=documents)["documents"]
        return str(builder.run(documents=ranked)["prompt"])

    return call


CONTENDERS = (
    Contender(
        name="Packhorse", package="packhorse", prepare=packhorse_text, reasons="every candidate"
    ),
    Contender(name="LangChain", package="langchain-core", prepare=langchain_text, reasons="none"),
    Contender(
        name="LlamaIndex", package="llama-index-core", prepare=llama_index_text, reasons="none"
    ),
    Contender(name="Haystack", package="haystack-ai", prepare=haystack_text, reasons="none"),
)


def _chunks(work: Workload) -> tuple[Chunk, ...]:
    return work.pool.chunks


def _expected(work: Workload) -> int:
    """How many chunks will fit, by their average length."""
    return math.ceil(work.budget * len(work.block_tokens) / sum(work.block_tokens))


def measured(calls: dict[str, Callable[[], str]], rounds: int) -> dict[str, tuple[float, str]]:
    """Name -> median milliseconds and the text."""
    spent: dict[str, list[float]] = {}
    texts: dict[str, str] = {}
    for name, call in calls.items():
        begun = time.perf_counter()
        texts[name] = call()
        spent[name] = [time.perf_counter() - begun]
    limit = {
        name: 0 if first[0] > HOPELESS_S else SLOW_ROUNDS if first[0] > SLOW_S else rounds
        for name, first in spent.items()
    }
    for turn in range(rounds):
        for name, call in calls.items():
            if turn < limit[name]:
                begun = time.perf_counter()
                call()
                spent[name].append(time.perf_counter() - begun)
    # The first call warms up, and counts only where there is no other.
    return {
        name: (statistics.median(each[1:] or each) * 1_000, texts[name])
        for name, each in spent.items()
    }


def main() -> None:
    """Prints a line a workload and contender."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--sizes", type=int, default=len(SIZES), help="how many of the workloads")
    options = parser.parse_args()
    for each in CONTENDERS:
        print(f"{each.package} {importlib.metadata.version(each.package)}", end="  ")
    print("\n\ncandidates   budget  library          p50 ms  tokens    over  reasons")
    counter = counter_named(VOCABULARY)
    for n, budget in SIZES[: options.sizes]:
        work = made(n, budget)
        calls = {each.name: each.prepare(work) for each in CONTENDERS}
        results = measured(calls, options.rounds)
        for each in CONTENDERS:
            ms, text = results[each.name]
            tokens = counter.count(text)
            print(
                f"{n:10d} {budget:8d}  {each.name:12s} {ms:10.2f} {tokens:7d}"
                f" {max(0, tokens - budget):7d}  {each.reasons}",
                flush=True,
            )


if __name__ == "__main__":
    main()

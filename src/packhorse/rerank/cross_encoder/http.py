"""Rerankers behind an endpoint, in the two forms that servers speak.

    Cohere, Jina, vLLM, llama.cpp   POST /v1/rerank {"model", "query", "documents", "top_n"}
                                    -> {"results": [{"index": 0, "relevance_score": 0.97}, ...]}
    text-embeddings-inference       POST /rerank {"query", "texts", "raw_scores", "truncate"}
                                    -> [{"index": 0, "score": 0.97}, ...]

Servers answer best first: each score is put where its `index` says. A passage of more than 8,000
characters goes as several, and the best of them counts; at most eight are sent.
"""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING, Any

from packhorse.errors import RerankError
from packhorse.posting.address import address_of, key_in
from packhorse.posting.by_index import by_index
from packhorse.posting.transport import Limits, Purpose, Transport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["KEY_VARIABLE", "HttpCrossEncoder", "TeiCrossEncoder"]

KEY_VARIABLE = "PACKHORSE_RERANKER_KEY"
"""Environment variable of the key, sent as a bearer token and shown nowhere."""

_WINDOW = 8_000
_OVERLAP = 1_000
_MAX_WINDOWS = 8
_QUERY_CHARACTERS = 8_000
_MAX_CHARACTERS = 400_000
"""Of the passages of one request."""
_MAX_ANSWER_BYTES = 8 * 1024 * 1024
_PURPOSE = Purpose(
    error=RerankError,
    role="rerank endpoint",
    key_variable=KEY_VARIABLE,
    doing="Asking a reranker",
    otherwise="leave the reranker out",
)


class HttpCrossEncoder:
    """Sends passages to `URL/v1/rerank`, 100 at a time; the model is named after `#`.

    Nothing is followed to another host, an answer may have 8 MiB, and a request holds at most
    400,000 characters of passages.

    Args:
        url: for example `http://localhost:8000#BAAI/bge-reranker-v2-m3`; a path that ends in
            `/rerank` is used as it is.
        timeout_s: seconds for one call of `scores`, all its requests and tries together.
        clock: seconds that only go forward.

    Raises:
        ConfigError: the URL has no host, or carries something secret.
    """

    path = "/v1/rerank"
    at_a_time = 100
    """Passages of one request. Cohere charges by the hundred."""

    def __init__(
        self, url: str, *, timeout_s: float = 30.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        # `/v1`, `/v2` or a whole path is given: only what is missing is put behind it.
        given = url.partition("#")[0].rstrip("/")
        has_version = given.endswith(("/rerank", "/v1", "/v2"))
        address = address_of(url, "/rerank" if has_version else self.path, _PURPOSE)
        self._address = address
        self._timeout_s = timeout_s
        self._clock = clock
        self.name = address.name + (f"#{address.label}" if address.label else "")

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """The endpoint's score for each text, in order, as it gives it.

        Raises:
            RerankError: the endpoint cannot be reached, is too slow, refuses, or answers
                something else than one finite score a text.
            ConfigError: the key would go to a far host unencrypted, or is none.
            MissingExtraError: httpx2 is not installed.
        """
        windows = [(row, window) for row, text in enumerate(texts) for window in _windows_of(text)]
        best = [-math.inf] * len(texts)
        ends = self._clock() + self._timeout_s
        for batch in self._batches(windows):
            left = ends - self._clock()
            if left <= 0:
                raise RerankError(
                    f"{self.name} did not judge all passages in {self._timeout_s:g} s",
                    hint="Set reranker.timeout_seconds higher, or reranker.top lower",
                )
            found = self._asked(query[:_QUERY_CHARACTERS], [window for _, window in batch], left)
            for (row, _), score in zip(batch, found, strict=True):
                best[row] = max(best[row], score)
        return tuple(best)

    def _batches(self, windows: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
        batch: list[tuple[int, str]] = []
        characters = 0
        for row, window in windows:
            if len(batch) == self.at_a_time or characters + len(window) > _MAX_CHARACTERS:
                yield batch
                batch, characters = [], 0
            batch.append((row, window))
            characters += len(window)
        if batch:
            yield batch

    def _asked(self, query: str, texts: Sequence[str], left_s: float) -> list[float]:
        limits = Limits(
            timeout_s=left_s, deadline_s=left_s, tries=2, max_answer_bytes=_MAX_ANSWER_BYTES
        )
        key = key_in(os.environ, _PURPOSE)
        with Transport(self._address.base, key=key, limits=limits, purpose=_PURPOSE) as transport:
            answer = transport.post_any(self._address.path, self._body(query, texts))
            try:
                return [_score(item) for item in by_index(self._items(answer), len(texts))]
            except ValueError as exc:
                raise transport.unusable(self._address.path, str(exc)) from exc

    def _body(self, query: str, texts: Sequence[str]) -> Mapping[str, Any]:
        named = {"model": self._address.label} if self._address.label else {}
        return {**named, "query": query, "documents": texts, "top_n": len(texts)}

    def _items(self, answer: Any) -> Any:
        return answer.get("results") if isinstance(answer, dict) else None


class TeiCrossEncoder(HttpCrossEncoder):
    """Sends passages to `URL/rerank` in the form of text-embeddings-inference, 32 at a time.

    That is what its servers take unless they are started with a larger batch size.
    """

    path = "/rerank"
    at_a_time = 32

    def _body(self, query: str, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"query": query, "texts": texts, "raw_scores": False, "truncate": True}

    def _items(self, answer: Any) -> Any:
        return answer


def _windows_of(text: str) -> Iterator[str]:
    """The text, or overlapping parts of a long one, at most eight."""
    step = _WINDOW - _OVERLAP
    for place in range(_MAX_WINDOWS):
        start = place * step
        if place and start + _OVERLAP >= len(text):
            return
        yield text[start : start + _WINDOW]


def _score(item: Mapping[str, Any]) -> float:
    """The item's number.

    Raises:
        ValueError: it has none, or one that is not finite.
    """
    score = item.get("relevance_score", item.get("score"))
    if type(score) not in {int, float}:
        raise ValueError("an item without a score")
    try:
        number = float(score)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("a score that is not finite")
    return number

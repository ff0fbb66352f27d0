"""Counting with an endpoint: texts, and whole requests on the lines of the ledger."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any

from packhorse.text.wellformed import well_formed
from packhorse.tokens.endpoints.shares import shared_out
from packhorse.tokens.requests.request import RequestCount
from packhorse.tokens.requests.values import compact_json
from packhorse.tokens.store import content_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from packhorse.tokens.endpoints.endpoint import Endpoint
    from packhorse.tokens.requests.request import (
        ChatRequest,
        MessageCost,
        RequestCounter,
        Turn,
    )
    from packhorse.tokens.store import CountStore

__all__ = ["Asker", "EndpointCounter", "EndpointRequestCounter", "balanced_lines"]

OPEN, CLOSE = "x\n", " x"
"""Stand around a text that is counted inside a message. Tokenizers cut behind a line end and before
a space, so that no token reaches over them, unless the text itself starts or ends with space."""
WORKERS = 4
PROTOCOL = "1"
"""Part of every key: a change in how an endpoint is asked makes old counts unknown."""


class Asker:
    """One endpoint, asked each question once: remembers counts here and in a store on disk."""

    def __init__(self, endpoint: Endpoint, store: CountStore | None = None) -> None:
        self.endpoint = endpoint
        self.n_asked = 0
        """Questions that the endpoint answered."""
        self._store = store
        self._known: dict[bytes, int] = {}
        self._lock = Lock()

    def texts(self, texts: Sequence[str]) -> list[int]:
        """`Endpoint.text_total` of each text, in order; each text is asked once."""
        return self._ask("text", {text: text for text in texts}, self.endpoint.text_total, texts)

    def request(self, request: ChatRequest) -> int:
        """`Endpoint.request_total` of a request, as it is written: order may cost tokens."""
        body = well_formed(compact_json(request.body))
        return self._ask("request", {body: request}, self.endpoint.request_total, [body])[0]

    def _ask(
        self,
        kind: str,
        questions: Mapping[str, Any],
        ask: Callable[[Any], int],
        wanted: Sequence[str],
    ) -> list[int]:
        keys = {content: self._key(kind, content) for content in questions}
        missing = self._missing(keys)
        fresh: dict[bytes, int] = {}
        try:
            totals = _answers(ask, [questions[content] for content in missing])
            for content, total in zip(missing, totals, strict=True):
                fresh[keys[content]] = total
        finally:
            # What was answered before a failure need not be asked again.
            self._remember(fresh)
        with self._lock:
            return [self._known[keys[content]] for content in wanted]

    def _remember(self, fresh: Mapping[bytes, int]) -> None:
        with self._lock:
            self.n_asked += len(fresh)
            self._known.update(fresh)
        if self._store is not None and fresh:
            self._store.keep(fresh)

    def _missing(self, keys: Mapping[str, bytes]) -> list[str]:
        with self._lock:
            unknown = [content for content, key in keys.items() if key not in self._known]
        if self._store is not None and unknown:
            stored = self._store.recall([keys[content] for content in unknown])
            with self._lock:
                self._known.update(stored)
            unknown = [content for content in unknown if keys[content] not in stored]
        return unknown

    def _key(self, kind: str, content: str) -> bytes:
        endpoint = self.endpoint
        asked = f"{PROTOCOL} {endpoint.label} {endpoint.where} {endpoint.model} {kind}"
        return content_key(asked, content)


def _answers(ask: Callable[[Any], int], questions: Sequence[Any]) -> Iterator[int]:
    """The answers in order, asked `WORKERS` at a time."""
    if len(questions) <= 1:
        yield from map(ask, questions)
        return
    with ThreadPoolExecutor(min(WORKERS, len(questions))) as pool:
        yield from pool.map(ask, questions)


class EndpointCounter:
    """Counts texts with an endpoint; a `TokenCounter`.

    An engine counts the text alone. A provider counts requests only: a text is then what it adds
    to a request whose one message is a mark before and a mark behind it. Both numbers are the
    provider's own; their difference is the text's share, and right unless a token reaches over a
    mark, which moves it by one. Sums of such counts need not be the count of the texts joined:
    what must be certain is counted whole.

    A batch asks each different text once, four at a time, and gives counts in order. Counts are
    remembered by the hash of endpoint, model and text.

    Args:
        asker: the endpoint with its memory.

    Raises:
        CountingError: (on counting) the endpoint gave no usable answer.
    """

    exact = True
    margin = 0.0

    def __init__(self, asker: Asker) -> None:
        self.name = asker.endpoint.model or "model of the server"
        self.library = asker.endpoint.label
        self._asker = asker

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order; the empty text costs nothing and is not asked."""
        cleaned = [well_formed(text) for text in texts]
        filled = [text for text in cleaned if text]
        if not filled:
            return [0] * len(texts)
        if not self._asker.endpoint.framed:
            counts = iter(self._asker.texts(filled))
        else:
            marked = [f"{OPEN}{text}{CLOSE}" for text in filled]
            frame, *totals = self._asker.texts([f"{OPEN}{CLOSE}", *marked])
            counts = iter([max(0, total - frame) for total in totals])
        return [next(counts) if text else 0 for text in cleaned]


class EndpointRequestCounter:
    """Counts whole requests with an endpoint; a `RequestCounter`.

    The total is the endpoint's number for the request as it was written. It says nothing about
    the parts, so the lines are made of the rules' lines (`balanced_lines`), and the costs of
    single messages are the rules' own.

    Args:
        asker: the endpoint with its memory.
        rules: gives the lines that the total is shared over.
        exact_contents: whether the rules count contents with the model's own tokenizer.
        only_estimates: take the rules' word where it is exact, and ask for the rest.
    """

    def __init__(
        self,
        asker: Asker,
        rules: RequestCounter,
        *,
        exact_contents: bool,
        only_estimates: bool = False,
    ) -> None:
        self._asker = asker
        self._rules = rules
        self._exact_contents = exact_contents
        self._only_estimates = only_estimates

    def count(self, request: ChatRequest) -> RequestCount:
        """The endpoint's total on the lines of the ledger.

        Raises:
            InputError: a part of the request that the endpoint does not take.
            CountingError: the endpoint gave no usable answer.
        """
        ruled = self._rules.count(request.without_refusals())
        if self._only_estimates and ruled.exact and not _refused(request):
            return ruled
        total = self._asker.request(request)
        return RequestCount(
            lines=balanced_lines(ruled.lines, total, exact_contents=self._exact_contents),
            messages=ruled.messages,
            exact=True,
            estimated=(),
        )

    def message_costs(self, turns: Sequence[Turn]) -> list[MessageCost]:
        """By the rules: an endpoint counts requests, and a turn is none."""
        return self._rules.message_costs(turns)


def balanced_lines(lines: Mapping[str, int], total: int, *, exact_contents: bool) -> dict[str, int]:
    """Ledger lines that add up to a total counted elsewhere; none is below zero.

    With exact contents the content lines stay, and `message_overhead` is what is left of the
    total; what is missing for them is taken off `tools`, whose figure is a rule's. With estimated
    contents, or where even that is too little, `message_overhead` stays at the rules' figure as
    far as the total allows, and the content lines share the rest in proportion to their own.
    """
    framing = lines["message_overhead"]
    contents = {name: tokens for name, tokens in lines.items() if name != "message_overhead"}
    left = total - sum(contents.values())
    if (exact_contents and left >= 0) or not any(contents.values()):
        return {**lines, "message_overhead": left}
    if exact_contents and left + lines["tools"] >= 0:
        return {**lines, "tools": lines["tools"] + left, "message_overhead": 0}
    overhead = min(framing, total)
    shares = shared_out(total - overhead, list(contents.values()))
    return {**lines, **dict(zip(contents, shares, strict=True)), "message_overhead": overhead}


def _refused(request: ChatRequest) -> bool:
    """Whether a part of the request has no rule."""
    return bool(request.refused) or any(turn.refused for turn in request.turns)

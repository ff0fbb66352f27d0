"""Fits conversations with Packhorse, LangChain, LlamaIndex and Haystack, in one run.

Usage: python -m bench.bench_peers_history [--traces TRACES.jsonl]

Two workloads: 2,000 messages of 260 thousand tokens into 32 thousand, and, where TRACES names a
file of recorded agent runs, every request of every run into 4,096 tokens: what the model was given
before each of its messages. Where counts are "known", the exact cost of each message is looked up;
"counting" counts their texts with the same tokenizer, and adds the exact framing; "approximate" is
what the library counts with when it is told nothing. Making a library's own messages is not timed.
What each was asked to do in its own words is written at its function. What comes back is counted as
a request, with the model's tokenizer and framing, and read by the provider's rules.
"""

from __future__ import annotations

import os

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")

import argparse
import importlib.metadata
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.bench_window import long_conversation
from packhorse.errors import BudgetExceededError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.count import count_request
from packhorse.window.growing import GrowingConversation
from packhorse.window.messages import counter_with_memory, fit_messages

__all__ = ["main"]

MODEL = "gpt-4o"
LIMIT, TRACE_LIMIT = 32_000, 4_096
GROWN = 12
"""Turns that are appended one by one: as many as there are rounds, and one that warms up."""
PRIMING = 3
"""Tokens of a request beside its messages."""

COUNTER = counter_for(MODEL)

Talk = Sequence[Mapping[str, Any]]
Kept = list[int]
"""Places of the messages that stay, in the order that comes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A conversation, its limit, and what each message costs as part of a request."""

    talk: Talk
    costs: Sequence[int]
    framing: Sequence[int]
    """Of `costs`: what is not the text."""
    limit: int

    def counted(self, places: Sequence[int]) -> int:
        """Tokens of some messages, their texts counted now."""
        texts = [str(self.talk[at].get("content") or "") for at in places]
        return sum(COUNTER.count_batch(texts)) + sum(self.framing[at] for at in places)

    def known(self, places: Sequence[int]) -> int:
        """The same, looked up."""
        return sum(self.costs[at] for at in places)


def packhorse_kept(policy: str) -> Callable[[Asked], Callable[[], Kept]]:
    """`fit_messages` with its counts remembered, as they are from one request to the next."""

    def prepare(asked: Asked) -> Callable[[], Kept]:
        places = {id(message): at for at, message in enumerate(asked.talk)}

        def call() -> Kept:
            fitted = fit_messages(
                asked.talk, model=MODEL, max_tokens=asked.limit, policy=policy, elide=False
            )
            return [places[id(message)] for message in fitted]

        call()
        return call

    return prepare


def packhorse_cold(asked: Asked) -> Callable[[], Kept]:
    """`fit_messages` that counts everything."""
    warm = packhorse_kept("sliding")(asked)

    def call() -> Kept:
        counter_with_memory.cache_clear()
        return warm()

    return call


def packhorse_grown(asked: Asked) -> Callable[[], Kept]:
    """`GrowingConversation`, to which the last messages are appended one by one."""
    before, rest = asked.talk[:-GROWN], iter(asked.talk[-GROWN:])
    places = {id(message): at for at, message in enumerate(asked.talk)}
    history = GrowingConversation(before, model=MODEL, max_tokens=asked.limit, elide=False)
    history.fitted()

    def call() -> Kept:
        history.append(next(rest))
        return [places[id(message)] for message in history.fitted()]

    return call


def langchain_kept(how: str) -> Callable[[Asked], Callable[[], Kept]]:
    """`trim_messages` as its guide shows it.

    `strategy="last"`, `include_system=True`, `start_on="human"`, `end_on=("human", "tool")`.
    """

    def prepare(asked: Asked) -> Callable[[], Kept]:
        from langchain_core.messages import BaseMessage, convert_to_messages, trim_messages

        messages = convert_to_messages([_complete(message) for message in asked.talk])
        for at, message in enumerate(messages):
            message.id = str(at)
        cost = asked.counted if how == "counting" else asked.known

        def count(some: list[BaseMessage]) -> int:
            return PRIMING + cost([int(str(message.id)) for message in some])

        def call() -> Kept:
            kept = trim_messages(
                messages,
                max_tokens=asked.limit,
                token_counter="approximate" if how == "approximate" else count,
                strategy="last",
                include_system=True,
                start_on="human",
                end_on=("human", "tool"),
            )
            return [int(str(message.id)) for message in kept]

        return call

    return prepare


def llama_index_kept(asked: Asked) -> Callable[[], Kept]:
    """`ChatMemoryBuffer.get`, with the instructions apart, as its chat engines do it.

    It counts texts by itself and can be told a tokenizer alone.
    """
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import ChatMemoryBuffer

    first = [at for at, message in enumerate(asked.talk) if message["role"] == "system"]
    messages = [
        ChatMessage(
            role=message["role"], content=message["content"] or "", additional_kwargs={"at": at}
        )
        for at, message in enumerate(asked.talk)
        if at not in first
    ]

    def tokens(text: str) -> range:
        return range(COUNTER.count(text))

    memory = ChatMemoryBuffer.from_defaults(
        chat_history=messages, token_limit=asked.limit, tokenizer_fn=tokens
    )
    instructions = " ".join(str(asked.talk[at]["content"]) for at in first)

    def call() -> Kept:
        kept = memory.get(initial_token_count=COUNTER.count(instructions))
        return [*first, *(message.additional_kwargs["at"] for message in kept)]

    return call


def haystack_kept(how: str) -> Callable[[Asked], Callable[[], Kept]]:
    """`SlidingWindowCompactor.compact` without a note."""

    def prepare(asked: Asked) -> Callable[[], Kept]:
        from haystack.hooks.compaction import SlidingWindowCompactor
        from haystack.token_counters import ApproximateTokenCounter

        messages = _haystack_messages(asked.talk)
        cost = asked.counted if how == "counting" else asked.known

        class Told:
            """Counts as it is told, whatever the tools."""

            def count(self, messages: Sequence[Any], *_: Any, **__: Any) -> int:
                """Framing included."""
                return cost([message.meta["at"] for message in messages])

        counter: Any = ApproximateTokenCounter() if how == "approximate" else Told()
        compactor = SlidingWindowCompactor(omission_note=None)

        def call() -> Kept:
            kept = compactor.compact(messages, asked.limit - PRIMING, counter)
            return [message.meta["at"] for message in (messages if kept is None else kept)]

        return call

    return prepare


def _haystack_messages(talk: Talk) -> list[Any]:
    from haystack.dataclasses import ChatMessage, ToolCall

    messages: list[Any] = []
    waiting: list[ToolCall] = []
    for at, given in enumerate(talk):
        message, meta = _complete(given), {"at": at}
        if message["role"] == "tool":
            named = [call for call in waiting if call.id == message["tool_call_id"]]
            origin = (named or waiting)[0]
            messages.append(ChatMessage.from_tool(message["content"], origin=origin, meta=meta))
        elif message["role"] == "assistant":
            waiting = [
                ToolCall(tool_name=call["function"]["name"], arguments={}, id=call["id"])
                for call in message.get("tool_calls") or ()
            ]
            messages.append(
                ChatMessage.from_assistant(
                    message["content"] or None, tool_calls=waiting or None, meta=meta
                )
            )
        else:
            make = ChatMessage.from_system if message["role"] == "system" else ChatMessage.from_user
            messages.append(make(message["content"], meta=meta))
    return messages


def _complete(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message that every library takes: with a content, and results with an id."""
    whole = {key: message[key] for key in message if key in {"role", "tool_calls", "tool_call_id"}}
    if message["role"] == "tool":
        whole.setdefault("tool_call_id", "")
    return {**whole, "content": message.get("content") or ""}


CONTENDERS: Mapping[str, tuple[str, Callable[[Asked], Callable[[], Kept]]]] = {
    "Packhorse, counts known": ("packhorse", packhorse_kept("sliding")),
    "Packhorse, counting": ("packhorse", packhorse_cold),
    "Packhorse, blocks": ("packhorse", packhorse_kept("blocks")),
    "Packhorse, one turn more": ("packhorse", packhorse_grown),
    "LangChain, counts known": ("langchain-core", langchain_kept("known")),
    "LangChain, counting": ("langchain-core", langchain_kept("counting")),
    "LangChain, approximate": ("langchain-core", langchain_kept("approximate")),
    "LlamaIndex, counting": ("llama-index-core", llama_index_kept),
    "Haystack, counts known": ("haystack-ai", haystack_kept("known")),
    "Haystack, counting": ("haystack-ai", haystack_kept("counting")),
    "Haystack, approximate": ("haystack-ai", haystack_kept("approximate")),
}


def wrongs(asked: Asked, kept: Kept) -> Iterator[tuple[str, int]]:
    """(what is wrong with the request, how much) by counting it and reading it anew."""
    messages = [asked.talk[at] for at in kept]
    over = _tokens(messages) - asked.limit
    if over > 0:
        yield "over", over
    orphans = _orphans(messages)
    if orphans:
        yield "orphaned", orphans
    roles = [message["role"] for message in asked.talk]
    if "system" in roles and roles.index("system") not in kept:
        yield "no system", 1
    words = [at for at, role in enumerate(roles) if role == "user"]
    if words and words[-1] not in kept:
        yield "no last word", 1


def _tokens(messages: Talk) -> int:
    spec = model_spec(MODEL)
    return count_request({"messages": messages}, spec, counter_with_memory(MODEL)).total_tokens


def _orphans(messages: Talk) -> int:
    """Results that do not follow their call, and calls without their results."""
    orphans, open_calls = 0, 0
    for message in messages:
        if message["role"] == "tool":
            orphans += open_calls == 0
            open_calls = max(0, open_calls - 1)
        else:
            orphans += open_calls
            open_calls = len(message.get("tool_calls") or ())
    return orphans + open_calls


def asked_of(talk: Talk, limit: int) -> Asked:
    """The conversation with the exact cost of each message."""
    counter = counter_with_memory(MODEL)
    found = count_request({"messages": talk}, model_spec(MODEL), counter).messages
    costs = [cost.total for cost in found]
    texts = counter.count_batch([str(message.get("content") or "") for message in talk])
    framing = [cost - text for cost, text in zip(costs, texts, strict=True)]
    return Asked(talk=talk, costs=costs, framing=framing, limit=limit)


def long_rows() -> Iterator[str]:
    """A row of Markdown a contender, over the long conversation."""
    asked = asked_of(long_conversation(2_000), LIMIT)
    for name, (_, prepare) in CONTENDERS.items():
        call = prepare(asked)
        spent = []
        for turn in range(GROWN):
            begun = time.process_time()
            kept = call()
            spent.append(time.process_time() - begun)
            if turn == 0 and spent[0] > 1:
                break
        found = dict(wrongs(asked, kept))
        tokens = _tokens([asked.talk[at] for at in kept])
        ms = statistics.median(spent[1:] or spent) * 1_000
        yield (
            f"| {name} | {ms:,.1f} | {len(kept)} | {tokens:,} | {found.get('over', 0):,} |"
            f" {'yes' if 'no system' not in found else 'lost'} |"
        )


def trace_rows(path: Path) -> Iterator[str]:
    """A row of Markdown a contender, over all requests of the recorded runs."""
    runs = [json.loads(line)["messages"] for line in path.read_text("utf-8").splitlines() if line]
    all_asked = [
        asked_of(run[:at], TRACE_LIMIT)
        for run in runs
        for at, message in enumerate(run)
        if at and message["role"] == "assistant"
    ]
    for name, (_, prepare) in CONTENDERS.items():
        spent, tally, most = 0.0, Counter[str](), 0
        if prepare is packhorse_grown:
            continue  # a run that grows is timed in bench_window
        for asked in all_asked:
            try:
                call = prepare(asked)
                begun = time.process_time()
                kept = call()
            except (BudgetExceededError, ValueError):
                tally["refused"] += 1
                continue
            spent += time.process_time() - begun
            for kind, n in wrongs(asked, kept):
                tally[kind] += 1
                most = max(most, n) if kind == "over" else most
        ms = spent * 1_000 / (len(all_asked) - tally["refused"])
        yield (
            f"| {name} | {ms:,.2f} | {tally['refused']} | {tally['over']} | {most:,} |"
            f" {tally['orphaned']} | {tally['no system']} | {tally['no last word']} |"
        )
    yield f"\n{len(all_asked):,} requests of {len(runs)} runs"


def main() -> None:
    """Prints two tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--traces", type=Path)
    asked = parser.parse_args()
    for package in dict.fromkeys(package for package, _ in CONTENDERS.values()):
        print(f"{package} {importlib.metadata.version(package)}", end="  ")
    print("\n\n| 2,000 messages | cpu ms | kept | tokens | over | instructions |")
    print("|---|---:|---:|---:|---:|---|")
    for row in long_rows():
        print(row, flush=True)
    if asked.traces is None:
        print("\nName a file of agent runs with --traces for the second table.")
        return
    print(
        "\n| agent runs | cpu ms | refused | over | most tokens over | orphaned | no instructions"
        " | no last word |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for row in trace_rows(asked.traces):
        print(row, flush=True)


if __name__ == "__main__":
    main()

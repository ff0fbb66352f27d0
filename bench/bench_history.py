"""Measures which turns history policies keep, and what a question made of a conversation finds.

Usage: python -m bench.bench_history DATA [--sets irc_ubuntu,sgd,mtrag_un] [--every N]

DATA is a folder with a folder for each set (or the variable PACKHORSE_HISTORY_DATA names it), each
with `conversations.jsonl` and `queries.jsonl`, mtrag_un with `corpus.jsonl` as well. A turn costs
the o200k tokens of its text, and in the rows "with speaker" those of `speaker: text`. The settings
were fitted on every second conversation ("fitted on"); "held out" are the others.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from packhorse.config import KnowledgeBasePolicy
from packhorse.evaluate.compare import paired_difference
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.tokens.registry import counter_for
from packhorse.types.chunk import Chunk
from packhorse.window.conversation import read_conversation
from packhorse.window.policies.policy import Pieces
from packhorse.window.policies.registry import history_policy
from packhorse.window.rewriting import rewrite_query

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter

__all__ = ["kept_turns", "lines_of", "messages_of", "question_gains"]

BUDGETS = {"irc_ubuntu": (256, 512, 1024), "sgd": (64, 128, 256)}
SHOWN = ("sliding", "relevant")
ASSISTANTS = ("system", "agent", "assistant")


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The records of a file with one JSON document a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def messages_of(turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Turns as OpenAI chat messages: two roles where there are two, else users with names."""
    speakers = {turn["speaker"] for turn in turns}
    if speakers <= {"user", *ASSISTANTS}:
        roles = {"user": "user"}
        return [
            {"role": roles.get(turn["speaker"], "assistant"), "content": turn["text"]}
            for turn in turns
        ]
    return [
        {"role": "user", "content": turn["text"]}
        | ({"name": turn["speaker"]} if turn["speaker"] else {})
        for turn in turns
    ]


def kept_turns(
    turns: Sequence[Mapping[str, Any]], costs: Sequence[int], policy: str, rooms: Sequence[int]
) -> Iterator[list[int]]:
    """Turns before the last one that a policy keeps, room by room; the last one is the question."""
    last = len(turns) - 1
    pieces = Pieces(
        conversation=read_conversation(messages_of(turns)),
        members=tuple((at,) for at in range(len(turns))),
        costs=(*costs[:last], 0),
        required=frozenset([last]),
        banned=frozenset(),
    )
    for room in rooms:
        out = history_policy(policy).leave_out(pieces, room)
        kept = [at for at in range(last) if at not in out]
        if sum(costs[at] for at in kept) > room:
            raise AssertionError(f"{policy} is over {room} tokens")
        yield kept


def recalls(
    folder: Path, counter: TokenCounter, name: str, every: int, *, with_speaker: bool
) -> Iterator[tuple[str, str, int, str, float]]:
    """(half, policy, budget, measure, mean) of one set."""
    talks = {talk["id"]: talk["turns"] for talk in lines_of(folder / name / "conversations.jsonl")}
    costs = {
        key: counter.count_batch(
            [
                f"{turn['speaker']}: {turn['text']}" if with_speaker else turn["text"]
                for turn in turns
            ]
        )
        for key, turns in talks.items()
    }
    queries = lines_of(folder / name / "queries.jsonl")[::every]
    half = {key: ("fitted on", "held out")[at % 2] for at, key in enumerate(sorted(talks))}
    for policy in SHOWN:
        found: dict[tuple[int, str, str], list[float]] = {}
        for query in queries:
            key = query["conversation"]
            turns = talks[key][: query["turn_index"] + 1]
            chosen = kept_turns(turns, costs[key], policy, BUDGETS[name])
            for budget, kept in zip(BUDGETS[name], chosen, strict=True):
                for measure, value in _measured(query, turns, kept):
                    found.setdefault((budget, measure, half[key]), []).append(value)
        for (budget, measure, part), values in sorted(found.items()):
            yield part, policy, budget, measure, statistics.fmean(values)


def _measured(
    query: Mapping[str, Any], turns: Sequence[Mapping[str, Any]], kept: Sequence[int]
) -> Iterator[tuple[str, float]]:
    ids = {turns[at]["id"] for at in kept}
    yield "turns", sum(turn in ids for turn in query["gold"]) / len(query["gold"])
    if query.get("facts"):
        text = "\n".join(turns[at]["text"] for at in kept).casefold()
        facts = query["facts"]
        yield "values", sum(fact["value"].casefold() in text for fact in facts) / len(facts)


def question_gains(folder: Path, counter: TokenCounter) -> Iterator[str]:
    """What the last turn, all turns, and the question made of the conversation find by words.

    Asked are the questions that have gold passages and a conversation before them. "Gold in 512" is
    the share of gold passages among the best that fit into 512 tokens of text, up to the first that
    does not.
    """
    passages = {each["id"]: each for each in lines_of(folder / "mtrag_un" / "corpus.jsonl")}
    sizes = dict(
        zip(
            passages, counter.count_batch([each["text"] for each in passages.values()]), strict=True
        )
    )
    date = datetime(2026, 1, 1, tzinfo=UTC)
    kb = MemoryKnowledgeBase(
        (
            Chunk(chunk_id=key, source_id=key, text=each["text"], timestamp=date)
            for key, each in passages.items()
        ),
        policy=KnowledgeBasePolicy(name="bench"),
    )
    path = folder / "mtrag_un"
    talks = {talk["id"]: talk["turns"] for talk in lines_of(path / "conversations.jsonl")}
    found: dict[tuple[str, str], list[float]] = {}
    n_rewritten = n_asked = 0
    for query in lines_of(path / "queries.jsonl"):
        if not query["gold"] or not query["turn_index"]:
            continue
        turns = talks[query["conversation"]][: query["turn_index"] + 1]
        rewritten = rewrite_query(messages_of(turns))
        n_asked += 1
        n_rewritten += bool(rewritten.added)
        for name, text in (
            ("last turn", query["query"]),
            ("all turns", " ".join(turn["text"] for turn in turns)),
            ("rewritten", rewritten.text),
        ):
            best = [hit.chunk_id for hit in kb.search(text, None, 30).lexical]
            for measure, ids in (
                ("recall@5", best[:5]),
                ("recall@10", best[:10]),
                ("gold in 512", _fitting(best, sizes, 512)),
            ):
                share = len(set(query["gold"]) & set(ids)) / len(query["gold"])
                found.setdefault((measure, name), []).append(share)
    yield f"{n_asked} questions, {n_rewritten} of them rewritten"
    for (measure, name), values in sorted(found.items()):
        gain = paired_difference(np.array(found[measure, "last turn"]), np.array(values))
        more = "" if gain is None else f"{gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"
        yield f"{measure:12} {name:10} {statistics.fmean(values):.3f}  {more}"


def _fitting(best: Sequence[str], sizes: Mapping[str, int], room: int) -> list[str]:
    fitting = []
    for key in best:
        room -= sizes[key]
        if room < 0:
            break
        fitting.append(key)
    return fitting


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("data", nargs="?", default=os.environ.get("PACKHORSE_HISTORY_DATA"))
    parser.add_argument("--sets", default="irc_ubuntu,sgd,mtrag_un")
    parser.add_argument("--every", type=int, default=1, help="take every n-th question alone")
    args = parser.parse_args()
    if args.data is None:
        parser.error("name the folder of data, or set PACKHORSE_HISTORY_DATA")
    counter = counter_for("gpt-4o")
    for name in args.sets.split(","):
        if name == "mtrag_un":
            for line in question_gains(Path(args.data), counter):
                print(f"{name:10} {line}")
            continue
        for with_speaker in (False, True):
            said = "with speaker" if with_speaker else "text alone"
            for part, policy, budget, measure, mean in recalls(
                Path(args.data), counter, name, args.every, with_speaker=with_speaker
            ):
                print(f"{name:10} {said:12} {part:9} {measure:6} {policy:8} {budget:5} {mean:.3f}")


if __name__ == "__main__":
    main()

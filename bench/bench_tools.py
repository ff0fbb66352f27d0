"""Measures whether the tool that an agent called next is among the chosen ones.

Usage: python -m bench.bench_tools TRACES.jsonl

TRACES is a file of recorded runs in the OpenAI chat shape. It holds no definitions, so a tool is
its name and the names of the arguments that it was ever called with: less than real definitions
say. A run's tools are those of its source. Before each call so many tools are chosen, given what
was said and called before and what was chosen then; a call of a tool that the run had not called
yet is a first call.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.bench_history import lines_of
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.window.conversation import read_conversation
from packhorse.window.costs import Costs
from packhorse.window.policies.policy import LeftOut
from packhorse.window.tool_choice.pool import called_by, tool_pool

__all__ = ["calls_chosen", "main"]

CAPS = (3, 4, 6, 8)


def tools_of(runs: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Definitions by source, in the order of their names."""
    known: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for run in runs:
        for message in run["messages"]:
            for call in message.get("tool_calls") or ():
                function = call["function"]
                try:
                    given = json.loads(function["arguments"])
                except ValueError:
                    given = {}
                names = known[run["source"]][function["name"]]
                names.update(given if isinstance(given, dict) else ())
    return {
        source: [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "parameters": {
                        "type": "object",
                        "properties": {arg: {} for arg in sorted(args)},
                    },
                },
            }
            for name, args in sorted(tools.items())
        ]
        for source, tools in known.items()
    }


def calls_chosen(
    runs: Sequence[Mapping[str, Any]], cap: int
) -> Iterator[tuple[str, bool, bool, int, int]]:
    """Five facts of each call.

    Source, whether it is the run's first of its tool, whether the tool is among the chosen ones,
    how many of these changed, and how many tools there are.
    """
    tools = tools_of(runs)
    costs = Costs(spec=model_spec("gpt-4o"), counter=counter_for("gpt-4o"))
    for run in runs:
        previous: tuple[str, ...] = ()
        for at, message in enumerate(run["messages"]):
            if not message.get("tool_calls"):
                continue
            body = {"messages": run["messages"][:at], "tools": tools[run["source"]]}
            conversation = read_conversation(body)
            called = called_by(conversation, range(len(conversation.units)))
            stays = dict.fromkeys(called, LeftOut("called"))
            chosen = tool_pool(conversation, costs).choose(
                max_tools=cap, stays=stays, previous=previous
            )
            changed = len(set(previous) - set(chosen.kept))
            for call in message["tool_calls"]:
                name = call["function"]["name"]
                is_in = name in chosen.kept
                yield run["source"], name not in called, is_in, changed, len(tools[run["source"]])
            previous = chosen.kept


def main() -> None:
    """Prints a line for each source and cap."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    runs = lines_of(parser.parse_args().traces)
    print(
        "source                     tools  cap  calls  chosen  first calls  chosen  changed a call"
    )
    for cap in CAPS:
        found = list(calls_chosen(runs, cap))
        for source in sorted({row[0] for row in found}):
            rows = [row for row in found if row[0] == source]
            first = [row for row in rows if row[1]]
            print(
                f"{source:26} {rows[0][4]:5} {cap:4} {len(rows):6} "
                f"{sum(row[2] for row in rows) / len(rows):7.3f} {len(first):12} "
                f"{sum(row[2] for row in first) / max(1, len(first)):7.3f} "
                f"{sum(row[3] for row in rows) / len(rows):15.3f}"
            )


if __name__ == "__main__":
    main()

"""Fits every conversation of some sets at every budget: `python -m evals.fits --data DIR`.

The sets are no part of the project; they are read where they lie. Each conversation is fitted by
each policy at budgets from the least that can hold what must stay up to all of it, evenly by
ratio, and once below the least, which has to be refused. What comes back is recounted and read by
rules that share no code with the fitting. Recorded agent runs are tried in the shapes of all
providers, and turn by turn as they grow.

Exit code 1 where anything is wrong, 2 where there is nothing to try.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from bench.bench_history import lines_of, messages_of
from evals.fits.shapes import MODELS, in_shape
from packhorse.errors import BudgetExceededError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.requests.count import count_request
from packhorse.window.growing import GrowingConversation
from packhorse.window.messages import counter_with_memory, fit_messages
from packhorse.window.policies.registry import POLICIES
from packhorse.window.report import FittedMessages
from tests.window.conversations import FIELDS, faults

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent.parent
RESULT = Path(__file__).resolve().parent / "result.json"
SETS = ("irc_ubuntu", "sgd", "mtrag_un", "agent_traces")
TRACES = "agent_traces"
STEPS = 12
GROWN_LIMIT = 4_096
"""Tokens that a run is held to while it grows."""
SHOWN = 20
"""Faults that are printed in full."""

Case = tuple[str, str, str, Mapping[str, Any]]
"""Set, conversation, shape, request."""


def main(arguments: list[str] | None = None) -> int:
    """Tries all of them; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.fits", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--steps", type=int, default=STEPS, help="budgets of each conversation")
    parser.add_argument("--every", type=int, default=1, help="take every n-th conversation alone")
    parser.add_argument("--write", action="store_true", help="store what comes out")
    asked = parser.parse_args(arguments)
    if asked.steps < 2 or asked.every < 1:  # noqa: PLR2004 - from the least to the whole
        parser.error("--steps is 2 or more, --every is 1 or more")
    missing = [name for name in asked.sets.split(",") if not (asked.data / name).is_dir()]
    if missing:
        print(f"[ERROR] No {', '.join(missing)} in {asked.data}", file=sys.stderr)
        print("[HINT] Say where the sets are: --data path/to/data", file=sys.stderr)
        return 2
    cases = [each for name in asked.sets.split(",") for each in cases_of(asked.data, name)]
    found: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    with click.progressbar(cases[:: asked.every], file=sys.stderr, label="Fitting") as some:
        for name, identity, shape, body in some:
            tally = found.setdefault(f"{name} {shape}", Counter())
            tally["conversations"] += 1
            for kind, said in faults_of(shape, body, asked.steps, grows=name == TRACES):
                tally[kind] += 1
                if said:
                    wrong.append(f"{name} {identity} {shape}: {said}")
    document = {
        "date": datetime.now(UTC).date().isoformat(),
        "version": version("packhorse"),
        "settings": {
            "every": asked.every,
            "models": MODELS,
            "policies": sorted(POLICIES),
            "steps": asked.steps,
            "grown_limit": GROWN_LIMIT,
        },
        "found": {key: dict(sorted(tally.items())) for key, tally in found.items()},
        "faults": len(wrong),
    }
    print(json.dumps(document["found"], indent=1))
    print(f"{len(wrong)} faults")
    for each in wrong[:SHOWN]:
        print(f"  {each}")
    if asked.write:
        RESULT.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 1 if wrong else 0


def cases_of(data: Path, name: str) -> Iterator[Case]:
    """Every conversation of a set; recorded runs in each shape."""
    if name == TRACES:
        for run in lines_of(data / name / "traces.jsonl"):
            for shape in FIELDS:
                yield name, run["id"], shape, in_shape(shape, run["messages"])
        return
    for talk in lines_of(data / name / "conversations.jsonl"):
        yield name, talk["id"], "openai", {"messages": messages_of(talk["turns"])}


def faults_of(
    shape: str, body: Mapping[str, Any], steps: int, *, grows: bool
) -> Iterator[tuple[str, str]]:
    """(what was tried or is wrong, what is wrong with it or nothing), one after the other."""
    for policy in sorted(POLICIES):
        fits = partial(fit_messages, body, model=MODELS[shape], policy=policy)
        least = least_of(fits)
        if least:
            yield "refused below the least", ""
        if least_of(fits, least - 1) != least:
            yield "not refused", f"{policy}, said to need {least}, fits into {least - 1}"
        for budget in budgets(least, fits(max_tokens=10**9).tokens, steps):
            yield "fits", ""
            try:
                fitted = fits(max_tokens=budget)
            except BudgetExceededError as error:
                yield "refused", f"{policy} at {budget}: {error.message}"
                continue
            for said in wrong_with(shape, body, fitted, policy):
                yield said.partition(":")[0], f"{policy} at {budget}: {said}"
    if grows:
        yield from grown_otherwise(shape, body)


def least_of(fits: Callable[..., FittedMessages], limit: int = 0) -> int:
    """What must stay takes so many tokens, as the refusal of a limit says; 0 where none comes."""
    try:
        fits(max_tokens=max(0, limit))
    except BudgetExceededError as error:
        return error.needed
    return 0


def budgets(least: int, whole: int, steps: int) -> list[int]:
    """From the least to the whole, evenly by ratio; both are among them."""
    ratio = whole / max(1, least)
    return sorted({round(max(1, least) * ratio ** (at / (steps - 1))) for at in range(steps)})


def wrong_with(
    shape: str, body: Mapping[str, Any], fitted: FittedMessages, policy: str
) -> Iterator[str]:
    """What a provider, or who asked, would not accept; each says its kind first."""
    model, field = MODELS[shape], FIELDS[shape]
    tokens = count_request(
        fitted.request, model_spec(model), counter_with_memory(model)
    ).total_tokens
    if not tokens == fitted.tokens <= fitted.max_tokens:
        yield f"over: {tokens} tokens counted, {fitted.tokens} said, {fitted.max_tokens} allowed"
    for each in faults(shape, fitted.messages):
        yield f"refused by the provider: {each}"
    beside = {key: value for key, value in body.items() if key != field}
    if {key: value for key, value in fitted.request.items() if key != field} != beside:
        yield "changed: the request beside its messages"
    items = body[field]
    kept = {id(item) for item in fitted.messages}
    instructions = [item for item in items if item.get("role") in ("system", "developer")]
    if not all(id(item) in kept for item in instructions):
        yield "lost: an instruction"
    words = [item for item in items if _speaks(item)]
    if words and id(words[-1]) not in kept:
        yield "lost: the last word of the user's"
    if policy != "summary":
        place_of = {id(item): at for at, item in enumerate(items)}
        known = [place_of[id(item)] for item in fitted if id(item) in place_of]
        if known != sorted(set(known)):
            yield "order: messages doubled or moved"
        limit = fitted.max_tokens
        again = fit_messages(fitted.request, model=model, max_tokens=limit, policy=policy)
        if again.messages != fitted.messages:
            yield "not idempotent: fitting what was fitted changes it"


def _speaks(item: Mapping[str, Any]) -> bool:
    """Whether the user says something in it, by the kinds of its pieces alone."""
    pieces = item.get("content", item.get("parts"))
    if item.get("role") != "user" or isinstance(pieces, str):
        return item.get("role") == "user"
    return any("text" in (piece.get("type"), *piece) for piece in pieces or ())


def grown_otherwise(shape: str, body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Where a run that grows is fitted otherwise than as a whole."""
    model, field = MODELS[shape], FIELDS[shape]
    for policy in ("sliding", "blocks"):
        empty = {**body, field: []}
        history = GrowingConversation(empty, model=model, max_tokens=GROWN_LIMIT, policy=policy)
        for at, item in enumerate(body[field], 1):
            history.append(item)
            whole = {**body, field: body[field][:at]}
            fits = partial(fit_messages, whole, model=model, max_tokens=GROWN_LIMIT, policy=policy)
            yield "turns grown", ""
            if _told(history.fitted) != _told(fits):
                yield "grown otherwise", f"{policy}, message {at}"


def _told(ask: Callable[[], FittedMessages]) -> str:
    try:
        fitted = ask()
    except BudgetExceededError as error:
        return str(error.message)
    return json.dumps([fitted.request, fitted.tokens, [str(each) for each in fitted.decisions]])


if __name__ == "__main__":
    sys.exit(main())

"""What a request keeps free for its answer, and how much of that thinking may take.

Thinking is part of the answer: a thinking budget is inside the output limit (Claude docs, Extended
thinking; OpenAI docs, Reasoning models: `max_output_tokens` covers reasoning and answer; Gemini API
docs, Thinking). So it never adds to the reservation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.tokens.requests.fields import OUTPUT_LIMITS
from packhorse.tokens.requests.gemini import settings_of
from packhorse.tokens.requests.ollama import options_of
from packhorse.tokens.requests.request import RequestCount, Reservation

if TYPE_CHECKING:
    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["fit_warnings", "read_reservation", "window_of"]

MOST_TOKENS = 10**12
"""Above this nothing is a number of tokens; Python refuses to print the largest numbers."""

OFF = frozenset({"none", "disabled", "off"})
"""Words for thinking that is switched off."""


def read_reservation(body: Mapping[str, Any], spec: ModelSpec) -> Reservation:
    """Output limit and thinking of a request.

    Without a limit of its own nothing is reserved but a thinking budget. An effort, or a model that
    always thinks, sets no number: thinking may then take the whole reservation.

    Raises:
        InputError: a limit that is no whole number above zero, or a thinking budget that is not
            below the output limit of a request without tools (with tools, thinking between calls
            may go on for longer).
    """
    limits = list(_limits(body))
    limit = max((tokens for _, tokens in limits), default=0)
    budget = _budget(body)
    if budget is None:
        thinks = _asks_to_think(body)
        always = spec.reasoning is not None and spec.reasoning.always
        return Reservation(output=limit, reasoning=limit if thinks or always else 0)
    name, tokens = budget
    if limits and tokens >= limit and not body.get("tools"):
        raise InputError(
            f"{name} is {tokens}, not below {limits[0][0]}, which is {limit}",
            hint="Thinking is part of the answer: raise the output limit, or think less",
        )
    output = limit if limits else tokens
    return Reservation(output=output, reasoning=min(tokens, output))


def window_of(body: Mapping[str, Any], spec: ModelSpec) -> int:
    """The model's window, or the smaller one that a request to Ollama sets (`num_ctx`).

    Raises:
        InputError: the request's is no whole number above zero.
    """
    given = options_of(body).get("num_ctx")
    return spec.window if given is None else min(spec.window, _whole(given, "num_ctx", least=1))


def fit_warnings(counted: RequestCount, spec: ModelSpec) -> tuple[str, ...]:
    """Sentences about limits of the model that a request is over."""
    total, output = counted.total_tokens, counted.reservation.output
    parts = {**counted.lines, "output_reservation": output}
    largest = max(parts, key=lambda name: parts[name])
    shown = f"the largest part is {largest} ({parts[largest]})"
    found = []
    if total + output > counted.window:
        sums = f"{total} tokens of input" + (
            f" + {output} reserved for the answer" if output else ""
        )
        over = total + output - counted.window
        found.append(
            f"The request does not fit {spec.name}: {sums} are {over} over the window of"
            f" {counted.window}; {shown}"
        )
    elif spec.max_input is not None and total > spec.max_input:
        found.append(
            f"The request does not fit {spec.name}: {total} tokens of input are"
            f" {total - spec.max_input} over its input limit of {spec.max_input}; {shown}"
        )
    if output > spec.max_output:
        found.append(
            f"The request reserves {output} tokens for the answer, {output - spec.max_output} more"
            f" than the {spec.max_output} that {spec.name} can write"
        )
    return tuple(found)


def _limits(body: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Every output limit of a request, by name."""
    options = options_of(body)
    for name in sorted(OUTPUT_LIMITS):
        for where, value in ((name, body.get(name)), (f"options.{name}", options.get(name))):
            # Engines write -1 and -2 for an answer without a limit.
            unlimited = "predict" in name and value in (-1, -2)
            if value is not None and not unlimited:
                yield where, _whole(value, where, least=1)
    if "contents" in body:
        value = settings_of(body).get("maxOutputTokens")
        if value is not None:
            yield "maxOutputTokens", _whole(value, "maxOutputTokens", least=1)


def _budget(body: Mapping[str, Any]) -> tuple[str, int] | None:
    """A number of tokens for thinking, with its name; None when none is given."""
    thinking = _object(body.get("thinking"))
    config = _object(settings_of(body).get("thinkingConfig")) if "contents" in body else {}
    spelled = {
        **config,
        "thinkingBudget": config.get("thinkingBudget", config.get("thinking_budget")),
    }
    given = {
        "thinking.budget_tokens": thinking.get("budget_tokens"),
        "reasoning.max_tokens": _object(body.get("reasoning")).get("max_tokens"),
        "thinking_budget": body.get("thinking_budget"),
        "thinkingConfig.thinkingBudget": spelled["thinkingBudget"],
    }
    if _is_off(thinking.get("type")):
        del given["thinking.budget_tokens"]
    for name, value in given.items():
        # -1 is Gemini's word for a budget that the model chooses itself.
        if value is not None and value != -1:
            return name, _whole(value, name, least=0)
    return None


def _asks_to_think(body: Mapping[str, Any]) -> bool:
    """Whether a request switches thinking on without giving a number."""
    thinking = body.get("thinking")
    kind = _object(thinking).get("type", thinking if isinstance(thinking, str) else None)
    config = _object(settings_of(body).get("thinkingConfig")) if "contents" in body else {}
    words = (
        kind,
        body.get("reasoning_effort"),
        _object(body.get("reasoning")).get("effort"),
        body.get("think"),
        body.get("enable_thinking"),
        *config.values(),
    )
    return any(_is_on(word) for word in words)


def _is_on(word: Any) -> bool:
    return word is True or (isinstance(word, str) and not _is_off(word)) or word == -1


def _is_off(word: Any) -> bool:
    return isinstance(word, str) and word.lower() in OFF


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _whole(value: Any, name: str, *, least: int) -> int:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole and least <= value <= MOST_TOKENS:
        return int(value)
    raise InputError(
        f"{name} is not a whole number between {least} and {MOST_TOKENS}",
        hint="Give a number of tokens, or leave the field out",
    )

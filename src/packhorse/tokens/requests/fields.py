"""Fields of a request: what costs nothing is listed, what is unknown and holds text is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from packhorse.tokens.requests.request import Refusal
from packhorse.tokens.requests.values import is_set

__all__ = [
    "DELIVERY",
    "MESSAGE_MARKS",
    "OUTPUT_LIMITS",
    "SAMPLING",
    "leftover_fields",
    "unread",
]

OUTPUT_LIMITS = frozenset(
    {"max_tokens", "max_completion_tokens", "max_output_tokens", "n_predict", "num_predict"}
)
"""Names under which a request limits its answer."""

SAMPLING = frozenset(
    {
        "best_of", "frequency_penalty", "ignore_eos", "length_penalty", "logit_bias", "logprobs",
        "min_p", "min_tokens", "n", "presence_penalty", "random_seed", "repeat_penalty",
        "repetition_penalty", "seed", "stop", "stop_sequences", "stop_token_ids", "temperature",
        "top_a", "top_k", "top_logprobs", "top_p", "typical_p", "use_beam_search",
    }
)  # fmt: skip
"""How the answer is drawn and where it ends: nothing of it is shown to the model."""

DELIVERY = frozenset(
    {
        "background", "include", "metadata", "model", "prompt_cache_key", "prompt_cache_options",
        "prompt_cache_retention", "safety_identifier", "service_tier", "store", "stream",
        "stream_options", "user",
    }
)  # fmt: skip
"""Who is asked, how the answer is sent, kept, cached and billed."""

MESSAGE_MARKS = frozenset(
    {
        "annotations", "cache_control", "created_at", "id", "index", "logprobs", "metadata",
        "object", "phase", "prefix", "prompt_cache_breakpoint", "status", "timestamp", "type",
    }
)  # fmt: skip
"""Fields of a message or of a block that mark it and are not shown to the model."""

NUMBERS = (bool, int, float)


def leftover_fields(
    given: Mapping[str, Any], known: frozenset[str], refused: Mapping[str, str], where: str
) -> tuple[tuple[Refusal, ...], tuple[str, ...]]:
    """Fields that no rule covers, and unknown ones that hold a number or a truth value.

    A number carries no text, so an unknown one is taken to cost nothing, and named.

    Args:
        given: what stands in the request.
        known: names of fields that are counted, or cost nothing.
        refused: names of fields that cannot be counted, and the next step for each.
        where: place of the fields, for errors; empty for the request itself.
    """
    refusals, assumed = [], []
    for name, value in given.items():
        if name in known or not is_set(value):
            continue
        place = f"{where}.{name}" if where else str(name)
        if name in refused:
            refusals.append(Refusal(where=place, what=f"the field {name!r}", hint=refused[name]))
        elif isinstance(value, NUMBERS):
            assumed.append(place)
        else:
            hint = "Leave the field out, or move its text into a message"
            refusals.append(Refusal(where=place, what=f"the unknown field {name!r}", hint=hint))
    return tuple(refusals), tuple(assumed)


def unread(given: Mapping[str, Any], known: frozenset[str], where: str) -> tuple[Refusal, ...]:
    """Fields of a message or block that no rule covers."""
    rest = {name: given[name] for name in given if name not in known and name not in MESSAGE_MARKS}
    return leftover_fields(rest, frozenset(), {}, where)[0] if rest else ()

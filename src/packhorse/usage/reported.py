"""The prompt tokens that a provider reported, in each spelling of a usage object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["NotInLogError", "Reported", "UsageError", "reported_usage"]

CACHED = ("cache_creation_input_tokens", "cache_read_input_tokens")
"""Fields of Anthropic, whose `input_tokens` are those beside the cache."""

GEMINI = ("promptTokenCount", "prompt_token_count")
USAGES = ("usage", "usageMetadata", "usage_metadata")
MAX_TOKENS = 10**9


class UsageError(ValueError):
    """A usage object that cannot be read; the message is a plain reason."""


class NotInLogError(ValueError):
    """What was reported covers more than the request that stands in the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What a provider says that a prompt was."""

    tokens: int
    """The whole prompt, cached parts included."""
    dialect: str
    """`openai` (prompt_tokens), `anthropic` or `openai-responses` (input_tokens), `gemini`."""


def reported_usage(line: Mapping[str, Any]) -> Reported | None:
    """The prompt tokens that a logged line reports; None when it reports none.

    The usage stands in the line itself or in its `response`. Zero prompt tokens are what gateways
    write when they do not know, and count as none.

    Raises:
        UsageError: a usage of an unknown form.
        NotInLogError: tools that the provider ran itself added to the prompt.
    """
    usage = _usage(line)
    if usage is None:
        return None
    if not isinstance(usage, Mapping):
        raise UsageError(f"the usage is {_kind(usage)}, not an object")
    reported = _read(usage)
    _refuse_server_tools(usage)
    return reported if reported.tokens else None


def _usage(line: Mapping[str, Any]) -> Any:
    response = line.get("response")
    for place in (line, response if isinstance(response, Mapping) else {}):
        for name in USAGES:
            if place.get(name) is not None:
                return place[name]
    return None


def _read(usage: Mapping[str, Any]) -> Reported:
    for name in GEMINI:
        if name in usage:
            return Reported(tokens=_tokens(usage, name), dialect="gemini")
    if "prompt_tokens" in usage:
        return Reported(tokens=_tokens(usage, "prompt_tokens"), dialect="openai")
    if "input_tokens" not in usage:
        raise UsageError("the usage names neither prompt_tokens, input_tokens nor promptTokenCount")
    own = _tokens(usage, "input_tokens")
    if "input_tokens_details" in usage or not any(name in usage for name in CACHED):
        # Without either mark both providers mean the same: nothing was cached.
        known = "input_tokens_details" in usage or "output_tokens_details" in usage
        return Reported(tokens=own, dialect="openai-responses" if known else "anthropic")
    cached = sum(_tokens(usage, name) for name in CACHED if usage.get(name) is not None)
    return Reported(tokens=own + cached, dialect="anthropic")


def _refuse_server_tools(usage: Mapping[str, Any]) -> None:
    ran = usage.get("server_tool_use")
    used = ran.values() if isinstance(ran, Mapping) else ()
    if any(isinstance(count, int) and count > 0 for count in used):
        raise NotInLogError("tools that the provider ran itself added to the prompt")


def _tokens(usage: Mapping[str, Any], name: str) -> int:
    value = usage[name]
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError(f"{name} is {_kind(value)}, not a whole number")
    if not 0 <= value <= MAX_TOKENS:
        raise UsageError(f"{name} is {'negative' if value < 0 else 'impossibly large'}")
    return value


def _kind(value: Any) -> str:
    return {
        bool: "true or false",
        str: "text",
        list: "a list",
        dict: "an object",
        float: "a fraction",
        int: "a number",
    }.get(type(value), "null")

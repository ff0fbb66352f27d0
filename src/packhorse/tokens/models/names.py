"""The spellings of a model at gateways and clouds, and the names near a misspelled one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

__all__ = ["MAKERS", "near_names", "spellings"]

ROUTES = ("openrouter/", "bedrock/converse/", "bedrock/", "vertex_ai/", "models/")
"""What a gateway puts before the name and which says nothing of who made the model."""

MAKERS: Mapping[str, str] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "google",
    "gemini": "google",
    "mistral": "mistral",
    "mistralai": "mistral",
    "meta": "meta",
    "meta-llama": "meta",
    "meta_llama": "meta",
    "qwen": "qwen",
    "alibaba": "qwen",
    "dashscope": "qwen",
    "deepseek": "deepseek",
    "deepseek-ai": "deepseek",
}
"""Prefix of a name, as LiteLLM, OpenRouter, Bedrock and Hugging Face write it -> `provider`."""

MAKER = re.compile(r"(?:(?:us|eu|apac|au|jp|ca|global)\.)?([a-z_-]+)[./]", re.IGNORECASE)
BEDROCK_VERSION = re.compile(r"-v\d+(?::\d+)?$")
VERTEX_DATE = re.compile(r"@(?=\d{8}$)")
N_NEAR = 3


def spellings(model: str) -> Iterator[tuple[str, str | None]]:
    """Names to look for, most literal first, each with the provider that it must belong to.

    Only prefixes and suffixes of a known form are taken off, so that a name is either found or
    unknown: a deployment's own name, or a route's variant (`:free`), finds nothing.
    """
    name = model.strip().casefold()
    yield name, None
    route = next((route for route in ROUTES if name.startswith(route)), "")
    rest = name.removeprefix(route)
    prefix = MAKER.match(rest)
    maker = MAKERS.get(prefix[1]) if prefix else None
    if prefix and maker:
        rest = rest[prefix.end() :]
    elif not route:
        return
    yield rest, maker
    yield BEDROCK_VERSION.sub("", VERTEX_DATE.sub("-", rest)), maker


def near_names(model: str, names: Sequence[str]) -> list[str]:
    """The names most like a misspelled one, then those that hold it, shortest first."""
    *_, (wanted, _) = spellings(model)
    folded = {name.casefold(): name for name in names}
    holding = sorted((name for name in folded if wanted and wanted in name), key=_short_first)
    close = get_close_matches(wanted, folded, n=N_NEAR)
    return [folded[name] for name in dict.fromkeys([*close, *holding])][:N_NEAR]


def _short_first(name: str) -> tuple[int, str]:
    return len(name), name

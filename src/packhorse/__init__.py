"""Packhorse decides what goes into a language model's context window, and proves why.

Names are imported when they are first used, so that `import packhorse` stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packhorse.api import count_request, count_tokens, open_kb, pack, stats
    from packhorse.config import Profile
    from packhorse.errors import (
        BudgetError,
        BudgetExceededError,
        ConfigError,
        InputError,
        MissingExtraError,
        NoModelFitsError,
        PackhorseError,
        StoreError,
        UnknownModelError,
    )
    from packhorse.indexing.build import build_index
    from packhorse.packet.packet import Packet
    from packhorse.packing.small import fit_window, pack_parts, pack_ranked, total_tokens
    from packhorse.profiles.profile import load_profile
    from packhorse.rerank.mmr import mmr
    from packhorse.tokens.requests.request import RequestCount
    from packhorse.types.chunk import Chunk
    from packhorse.types.note import Note
    from packhorse.types.section import Section
    from packhorse.window.few_shot.pool import choose_examples
    from packhorse.window.growing import GrowingConversation
    from packhorse.window.messages import fit_messages
    from packhorse.window.offload import recall
    from packhorse.window.report import FittedMessages
    from packhorse.window.rewriting import rewrite_query
    from packhorse.window.route import route

__all__ = [
    "BudgetError",
    "BudgetExceededError",
    "Chunk",
    "ConfigError",
    "FittedMessages",
    "GrowingConversation",
    "InputError",
    "MissingExtraError",
    "NoModelFitsError",
    "Note",
    "Packet",
    "PackhorseError",
    "Profile",
    "RequestCount",
    "Section",
    "StoreError",
    "UnknownModelError",
    "build_index",
    "choose_examples",
    "count_request",
    "count_tokens",
    "fit_messages",
    "fit_window",
    "load_profile",
    "mmr",
    "open_kb",
    "pack",
    "pack_parts",
    "pack_ranked",
    "recall",
    "rewrite_query",
    "route",
    "stats",
    "total_tokens",
]

_HOMES = {
    "Chunk": "types.chunk",
    "FittedMessages": "window.report",
    "GrowingConversation": "window.growing",
    "Note": "types.note",
    "Packet": "packet.packet",
    "Profile": "config",
    "RequestCount": "tokens.requests.request",
    "Section": "types.section",
    "build_index": "indexing.build",
    "choose_examples": "window.few_shot.pool",
    "count_request": "api",
    "count_tokens": "api",
    "fit_messages": "window.messages",
    "fit_window": "packing.small",
    "load_profile": "profiles.profile",
    "mmr": "rerank.mmr",
    "open_kb": "api",
    "pack": "api",
    "pack_parts": "packing.small",
    "pack_ranked": "packing.small",
    "recall": "window.offload",
    "rewrite_query": "window.rewriting",
    "route": "window.route",
    "stats": "api",
    "total_tokens": "packing.small",
}
"""Public name -> the module it lives in; errors, the rest, live in `errors`."""


def __getattr__(name: str) -> Any:
    """Imports a public name on first use (PEP 562)."""
    if name not in __all__:
        raise AttributeError(f"module 'packhorse' has no attribute {name!r}")
    value = getattr(import_module(f"packhorse.{_HOMES.get(name, 'errors')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Public names."""
    return sorted(__all__)

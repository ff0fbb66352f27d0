"""A request with a question as its last message, in the shape that the request has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["with_question"]

ENTRIES = ("messages", "contents", "input")
"""Fields of the known shapes that hold the conversation, asked in this order."""


def with_question(body: Mapping[str, Any] | Sequence[Any], query: str) -> Any:
    """The request and the question; one that ends with the question already is left as it is.

    Args:
        body: a request body in one of the known shapes, or bare messages; anything else is left as
            it is, for the counter to refuse.
        query: what the user asks.
    """
    if isinstance(body, Mapping):
        name = next((name for name in ENTRIES if name in body), None)
        return body if name is None else {**body, name: _asked(body[name], query, name)}
    return _asked(body, query, "messages")


def _asked(entries: Any, query: str, name: str) -> Any:
    if isinstance(entries, str):
        entries = [_entry(entries, name)]
    if not isinstance(entries, (list, tuple)):
        return entries
    if entries and _is_the_question(entries[-1], query):
        return list(entries)
    return [*entries, _entry(query, name)]


def _entry(text: str, name: str) -> dict[str, Any]:
    if name == "contents":
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}


def _is_the_question(entry: Any, query: str) -> bool:
    if not isinstance(entry, Mapping) or entry.get("role", "user") != "user":
        return False
    said = entry.get("content", entry.get("parts"))
    if isinstance(said, list) and len(said) == 1 and isinstance(said[0], Mapping):
        said = said[0].get("text")
    return isinstance(said, str) and said.strip() == query.strip()

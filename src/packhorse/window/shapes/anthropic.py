"""Anthropic messages: calls and results are blocks, results stand in a message of the user's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from packhorse.tokens.requests.blocks import missing_role
from packhorse.window.shapes.openai_chat import INSTRUCTING
from packhorse.window.shapes.said import Change, with_said
from packhorse.window.shapes.shape import Entry, texts_in

__all__ = ["OWN_BLOCKS", "AnthropicShape"]

OWN_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
"""Blocks by which messages are known to be Anthropic's."""


class AnthropicShape:
    """`messages` whose content is blocks; the system text stands beside them."""

    name = "anthropic"
    field = "messages"
    starts_with_user = True

    def entries(self, items: Sequence[Any], start: int = 0) -> tuple[Entry, ...]:
        """What is known of each message.

        Raises:
            InputError: a message without a role.
        """
        return tuple([_entry(item, at) for at, item in enumerate(items, start)])

    def message(self, role: str, text: str) -> Mapping[str, Any]:
        """A message to be put in."""
        return {"role": role, "content": text}

    def with_said(self, item: Any, change: Change) -> Any:
        """The message with the first text of it changed; results stay in front."""
        content = with_said(item.get("content"), change, {"type": "text"}, _is_result)
        return item if content is item.get("content") else {**item, "content": content}

    def with_results(self, item: Any, text: str) -> Any:
        """The message with another content in each of its results."""
        content = [
            {**block, "content": text} if _is_result(block) else block for block in _blocks(item)
        ]
        return {**item, "content": content} if content else item

    def results(self, item: Any) -> list[Any]:
        """The content of each result block."""
        return [block.get("content") for block in _blocks(item) if _is_result(block)]

    def with_result(self, item: Any, n: int, text: str) -> Any:
        """The message with another content in one of its result blocks."""
        content = list(_blocks(item))
        at = [place for place, block in enumerate(content) if _is_result(block)][n]
        content[at] = {**content[at], "content": text}
        return {**item, "content": content}

    def without_results(self, item: Any) -> Any | None:
        """The message without its results; None where it is nothing but results."""
        content = [block for block in _blocks(item) if not _is_result(block)]
        if isinstance(item.get("content"), str):
            return item
        return {**item, "content": content} if content else None


def _entry(item: Any, at: int) -> Entry:
    role = item.get("role") if isinstance(item, Mapping) else None
    if not isinstance(role, str):
        raise missing_role(item, f"messages[{at}]")
    content = item.get("content")
    if isinstance(content, str):
        return Entry(
            "system" if role in INSTRUCTING else role,
            content,
            is_instruction=role in INSTRUCTING,
            is_users_word=role == "user",
        )
    calls, results, texts, own = [], [], [], 0
    for block in _blocks(item):
        kind = block.get("type") if isinstance(block, Mapping) else None
        if kind == "tool_use":
            calls.append(_name(block.get("id")))
        elif kind == "tool_result":
            results.append(_name(block.get("tool_use_id")))
            texts.append(texts_in(block.get("content")))
        else:
            own += 1
            texts.append(texts_in([block]))
    return Entry(
        "system" if role in INSTRUCTING else role,
        "\n".join(filter(None, texts)),
        calls=tuple(calls),
        results=tuple(results),
        is_instruction=role in INSTRUCTING,
        is_users_word=role == "user" and (own > 0 or not results),
    )


def _blocks(item: Mapping[str, Any]) -> Iterator[Any]:
    content = item.get("content")
    if isinstance(content, Sequence) and not isinstance(content, (str, bytes)):
        yield from content


def _is_result(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_result"


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""

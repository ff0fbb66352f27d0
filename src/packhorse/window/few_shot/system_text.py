"""The block of examples at the end of a request's system text, in every shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from packhorse.window.few_shot.block import without_block
from packhorse.window.inserted import Inserted

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation

__all__ = ["is_block", "with_block"]

FIELDS = {
    "openai-responses": ("instructions",),
    "anthropic": ("system",),
    "gemini": ("systemInstruction", "system_instruction"),
}
"""Where the system text stands beside the messages; in OpenAI's chat shape it is one of them."""


def with_block(conversation: Conversation, block: str) -> tuple[Conversation, tuple[Inserted, ...]]:
    """The conversation with a block at the end of its system text, in place of one that is there.

    In OpenAI's chat shape the block joins the first message where that instructs; else a message is
    put in before all others. An empty block takes the present one out, but for a message that is
    one, which the caller has to leave out.
    """
    fields = FIELDS.get(conversation.shape.name)
    if fields is not None:
        field = next((name for name in fields if name in conversation.body), fields[0])
        given = conversation.body.get(field)
        if given is None and conversation.shape.name == "gemini":
            given = {"parts": []}
        text = _joined(given, block)
        body = {key: value for key, value in conversation.body.items() if key != field}
        return replace(conversation, body=body if text is None else {**body, field: text}), ()
    entries = conversation.entries
    is_own = bool(entries) and entries[0].is_instruction and not is_block(conversation)
    first = conversation.items[0] if is_own else {}
    if first.get("content"):
        item = {**first, "content": _joined(first.get("content"), block) or ""}
        items = (item, *conversation.items[1:])
        entries = conversation.shape.entries(items)
        return replace(conversation, items=items, entries=entries), ()
    message = Inserted(-1, {"role": "system", "content": block}, opens=False)
    return conversation, (message,) if block else ()


def is_block(conversation: Conversation) -> bool:
    """Whether the first message is a block of examples and nothing else."""
    if conversation.shape.name in FIELDS or not conversation.items:
        return False
    first = conversation.items[0]
    content = first.get("content") if isinstance(first, Mapping) else None
    return isinstance(content, str) and content != "" and not without_block(content)


def _joined(given: Any, block: str) -> Any:
    """A system text, or what a provider takes in its place, with the block at its end."""
    if isinstance(given, Mapping):
        parts = [*_without(given.get("parts") or ()), *([{"text": block}] if block else [])]
        return {**given, "parts": parts} if parts else None
    if isinstance(given, Sequence) and not isinstance(given, str):
        kind = next(
            (each["type"] for each in given if isinstance(each, Mapping) and "type" in each), "text"
        )
        new = [{"type": kind, "text": block}] if block else []
        return [*_without(given), *new] or None
    own = without_block(given) if isinstance(given, str) else ""
    if not block:
        return own or None
    return f"{own}\n\n{block}" if own else block


def _without(parts: Sequence[Any]) -> list[Any]:
    """The parts without those that are a block of examples and nothing else."""
    return [
        part
        for part in parts
        if not (
            isinstance(part, Mapping)
            and isinstance(part.get("text"), str)
            and part["text"]
            and not without_block(part["text"])
        )
    ]

"""OpenAI Responses: an assistant's turn is a run of items (thinking, calls, messages)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packhorse.errors import InputError
from packhorse.tokens.requests.values import kind_of
from packhorse.window.shapes.openai_chat import INSTRUCTING
from packhorse.window.shapes.said import Change, with_said
from packhorse.window.shapes.shape import Entry, texts_in

__all__ = ["OpenAIResponsesShape"]

CALLS = frozenset({"function_call", "custom_tool_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})


class OpenAIResponsesShape:
    """`input` items; the instructions stand beside them.

    A run of an assistant's items is one unit: the endpoint takes neither thinking without the item
    that it led to, nor that item without its thinking.
    """

    name = "openai-responses"
    field = "input"
    starts_with_user = False

    def entries(self, items: Sequence[Any], start: int = 0) -> tuple[Entry, ...]:
        """What is known of each item.

        Raises:
            InputError: one is neither a text nor an object.
        """
        return tuple([_entry(item, at) for at, item in enumerate(items, start)])

    def message(self, role: str, text: str) -> Mapping[str, Any]:
        """An item to be put in."""
        return {"role": role, "content": text}

    def with_said(self, item: Any, change: Change) -> Any:
        """The item with the first text of it changed."""
        if isinstance(item, str):
            return change(item)
        content = with_said(item.get("content"), change, {"type": "input_text"}, lambda _: False)
        return item if content is item.get("content") else {**item, "content": content}

    def with_results(self, item: Any, text: str) -> Any:
        """The result with another output; other items as they are."""
        is_result = isinstance(item, Mapping) and item.get("type") in OUTPUTS
        return {**item, "output": text} if is_result else item

    def results(self, item: Any) -> list[Any]:
        """The output of a result; nothing of other items."""
        is_result = isinstance(item, Mapping) and item.get("type") in OUTPUTS
        return [item.get("output")] if is_result else []

    def with_result(self, item: Any, n: int, text: str) -> Any:
        """The result with another output; it is the only one."""
        return item if n else self.with_results(item, text)

    def without_results(self, item: Any) -> Any | None:
        """None for a result, any other item as it is."""
        return None if isinstance(item, Mapping) and item.get("type") in OUTPUTS else item


def _entry(item: Any, at: int) -> Entry:
    if isinstance(item, str):
        return Entry("user", item, is_users_word=True)
    if not isinstance(item, Mapping):
        raise InputError(f"input[{at}] is not an object", hint="Give items as the API takes them")
    kind = item.get("type", "message")
    if not isinstance(kind, str | None):
        raise InputError(f"input[{at}].type is no text", hint="Give items as the API takes them")
    called = (_name(item.get("call_id")),)
    if kind in OUTPUTS:
        return Entry("tool", texts_in(item.get("output")), results=called)
    role = item.get("role") if kind == "message" else "assistant"
    if not isinstance(role, str):
        said = " has no role" if role is None else f".role is {kind_of(role)}, not text"
        raise InputError(f"input[{at}]{said}", hint="Give user, assistant or developer")
    return Entry(
        "system" if role in INSTRUCTING else role,
        texts_in(item.get("content")) if kind == "message" else "",
        calls=called if kind in CALLS else (),
        is_instruction=role in INSTRUCTING,
        is_users_word=role == "user",
        continues=role == "assistant",
    )


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""

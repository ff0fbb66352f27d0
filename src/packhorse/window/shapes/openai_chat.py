"""OpenAI chat messages, as most engines take them: calls in a field, results with a role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packhorse.errors import InputError
from packhorse.tokens.requests.blocks import missing_role
from packhorse.window.shapes.said import Change, with_said
from packhorse.window.shapes.shape import Entry, texts_in

__all__ = ["OpenAIChatShape"]

INSTRUCTING = frozenset({"system", "developer"})
RESULTS = frozenset({"tool", "function"})
SPEAKERS = INSTRUCTING | {"user", "assistant"}
PLAIN = 2
"""Fields of a message that is a role and a text."""


class OpenAIChatShape:
    """`messages` with `tool_calls`; a result names its call in `tool_call_id`."""

    name = "openai"
    field = "messages"
    starts_with_user = False

    def entries(self, items: Sequence[Any], start: int = 0) -> tuple[Entry, ...]:
        """What is known of each message.

        Raises:
            InputError: a message without a role, or calls that are no calls.
        """
        return tuple([_entry(item, at) for at, item in enumerate(items, start)])

    def message(self, role: str, text: str) -> Mapping[str, Any]:
        """A message to be put in."""
        return {"role": role, "content": text}

    def with_said(self, item: Any, change: Change) -> Any:
        """The message with the first text of it changed."""
        content = with_said(item.get("content"), change, {"type": "text"}, lambda _: False)
        return item if content is item.get("content") else {**item, "content": content}

    def with_results(self, item: Any, text: str) -> Any:
        """The result with another content; other messages as they are."""
        return {**item, "content": text} if item.get("role") in RESULTS else item

    def results(self, item: Any) -> list[Any]:
        """The content of a result; nothing of other messages."""
        return [item.get("content")] if item.get("role") in RESULTS else []

    def with_result(self, item: Any, n: int, text: str) -> Any:
        """The result with another content; it is the only one."""
        return item if n else self.with_results(item, text)

    def without_results(self, item: Any) -> Any | None:
        """None for a result, any other message as it is."""
        return None if item.get("role") in RESULTS else item


def _entry(item: Any, at: int) -> Entry:
    # Asking for the type itself first is several times as fast as asking the abstract class.
    is_object = type(item) is dict or isinstance(item, Mapping)
    role = item.get("role") if is_object else None
    if not isinstance(role, str):
        raise missing_role(item, f"messages[{at}]")
    content = item.get("content")
    if isinstance(content, str) and len(item) == PLAIN and role in SPEAKERS:
        instructs = role in INSTRUCTING
        named = "system" if instructs else role
        return Entry(named, content, (), (), instructs, role == "user", False, True)  # noqa: FBT003 - by name it takes twice as long
    text = content if isinstance(content, str) else texts_in(content)
    if role == "assistant":
        has_calls = "tool_calls" in item or "function_call" in item
        return Entry(role, text, calls=_calls(item, f"messages[{at}]") if has_calls else ())
    if role in INSTRUCTING:
        return Entry("system", text, is_instruction=True)
    if role in RESULTS:
        named = item.get("tool_call_id" if role == "tool" else "name")
        return Entry("tool", text, results=(_name(named),))
    return Entry(role, text, is_users_word=role == "user")


def _calls(item: Mapping[str, Any], where: str) -> tuple[str, ...]:
    calls = item.get("tool_calls") or ()
    if not isinstance(calls, Sequence) or isinstance(calls, (str, bytes)):
        raise InputError(f"{where}.tool_calls is not a list", hint="Give a list of calls")
    if not all(isinstance(call, Mapping) for call in calls):
        raise InputError(f"{where}.tool_calls holds what is no call", hint="Give objects")
    older = item.get("function_call")
    named = [_name(older.get("name"))] if isinstance(older, Mapping) else []
    return (*(_name(call.get("id")) for call in calls), *named)


def _name(value: Any) -> str:
    return value if isinstance(value, str) else ""

"""Gemini contents: parts of one kind each; calls and results often carry a name and no id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packhorse.errors import InputError
from packhorse.window.shapes.said import Change, with_said
from packhorse.window.shapes.shape import Entry

__all__ = ["GeminiShape"]


class GeminiShape:
    """`contents` of `parts`; the instructions stand beside them."""

    name = "gemini"
    field = "contents"
    starts_with_user = True

    def entries(self, items: Sequence[Any], start: int = 0) -> tuple[Entry, ...]:
        """What is known of each content.

        Raises:
            InputError: one is neither a text nor an object.
        """
        return tuple([_entry(item, at) for at, item in enumerate(items, start)])

    def message(self, role: str, text: str) -> Mapping[str, Any]:
        """A content to be put in."""
        return {"role": "model" if role == "assistant" else role, "parts": [{"text": text}]}

    def with_said(self, item: Any, change: Change) -> Any:
        """The content with the first text of it changed; results stay in front."""
        if isinstance(item, str):
            return change(item)
        given = _parts(item)
        parts = with_said(
            given, change, {}, lambda part: _key(part, "functionResponse") is not None
        )
        return item if parts is given else {**item, "parts": parts}

    def with_results(self, item: Any, text: str) -> Any:
        """The content with another response in each of its results."""
        parts = []
        for part in _parts(item):
            key = _key(part, "functionResponse")
            parts.append(part if key is None else {**part, key: _replaced(part[key], text)})
        return {**item, "parts": parts} if isinstance(item, Mapping) else item

    def results(self, item: Any) -> list[Any]:
        """What each function gave back; its images stand beside the response."""
        found = []
        for part in _parts(item):
            key = _key(part, "functionResponse")
            if key is not None:
                fields = part[key]
                held = {name: fields[name] for name in ("response", "parts") if name in fields}
                found.append(held if "parts" in held else held.get("response"))
        return found

    def with_result(self, item: Any, n: int, text: str) -> Any:
        """The content with another response of one of its functions."""
        parts, seen = [], 0
        for part in _parts(item):
            key = _key(part, "functionResponse")
            is_meant = key is not None and seen == n
            seen += key is not None
            parts.append({**part, key: _replaced(part[key], text)} if is_meant else part)
        return {**item, "parts": parts}

    def without_results(self, item: Any) -> Any | None:
        """The content without its results; None where it is nothing but results."""
        if not isinstance(item, Mapping):
            return item
        parts = [part for part in _parts(item) if _key(part, "functionResponse") is None]
        return {**item, "parts": parts} if parts else None


def _entry(item: Any, at: int) -> Entry:
    if isinstance(item, str):
        return Entry("user", item, is_users_word=True)
    if not isinstance(item, Mapping):
        raise InputError(f"contents[{at}] is not an object", hint="Give `role` and `parts`")
    calls, results, texts, own = [], [], [], 0
    for part in _parts(item):
        call, result = _key(part, "functionCall"), _key(part, "functionResponse")
        if call is not None:
            calls.append(_identity(part[call]))
        elif result is not None:
            results.append(_identity(part[result]))
            texts.append(str(part[result].get("response", "")))
        else:
            own += 1
            said = part if isinstance(part, str) else part.get("text")
            thinks = isinstance(part, Mapping) and part.get("thought")
            texts += [said] if isinstance(said, str) and not thinks else []
    given = item.get("role")
    if not isinstance(given, str | None):
        raise InputError(f"contents[{at}].role is no text", hint='Give "user" or "model"')
    role = {"model": "assistant", "function": "user", None: "user"}.get(given, given or "")
    return Entry(
        role,
        "\n".join(texts),
        calls=tuple(calls),
        results=tuple(results),
        is_instruction=role == "system",
        is_users_word=role == "user" and (own > 0 or not results),
    )


def _parts(item: Any) -> Sequence[Any]:
    parts = item.get("parts") if isinstance(item, Mapping) else (item,)
    if isinstance(parts, (str, Mapping)):
        return (parts,)
    usable = isinstance(parts, Sequence) and not isinstance(parts, bytes)
    return [part for part in parts or () if isinstance(part, (str, Mapping))] if usable else ()


def _key(part: Any, name: str) -> str | None:
    """The field of the part that holds a call or a result, in either spelling."""
    snake = name.replace("C", "_c").replace("R", "_r")
    for key in (name, snake):
        if isinstance(part, Mapping) and isinstance(part.get(key), Mapping):
            return key
    return None


def _identity(fields: Mapping[str, Any]) -> str:
    """The id, and where there is none the name: results then answer calls of their name."""
    own, name = fields.get("id"), fields.get("name")
    return own if isinstance(own, str) and own else name if isinstance(name, str) else ""


def _replaced(result: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    return {**{key: result[key] for key in result if key != "parts"}, "response": {"result": text}}

"""Values inside a request: each of the right type, or an error that says where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packhorse.errors import InputError
from packhorse.text.compact_json import compact_json

__all__ = ["as_fields", "as_list", "as_text", "compact_json", "is_set", "kind_of", "typed"]

KINDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    tuple: "a list",
    type(None): "null",
}
"""What JSON and YAML can hold, in a reader's words; an object is looked for apart."""


def kind_of(value: Any) -> str:
    """What a value is, in the words of who writes a request, not of who programs."""
    if isinstance(value, Mapping):
        return "an object"
    return KINDS.get(type(value), "something that JSON does not have")


def typed(part: str, value: Any, key: str = "type") -> str:
    """A part of a request with the kind that it says it is of: `a content block of type 'x'`."""
    if not isinstance(value, Mapping):
        return f"{part} that is {kind_of(value)}"
    kind = value.get(key)
    if isinstance(kind, str):
        return f"{part} of type {kind!r}"
    return f"{part} without a type" if kind is None else f"{part} whose type is {kind_of(kind)}"


def as_list(value: Any, where: str) -> Sequence[Any]:
    """The value as a list.

    Raises:
        InputError: it is a text, or no list at all.
    """
    if isinstance(value, (list, tuple)):
        return value
    raise InputError(
        f"{where} is {kind_of(value)}, not a list",
        hint="Give a list, in the provider's shape",
    )


def as_text(value: Any, where: str) -> str:
    """The value as text.

    Raises:
        InputError: it is something else.
    """
    if isinstance(value, str):
        return value
    raise InputError(f"{where} is {kind_of(value)}, not text", hint="Give text in quotes")


def as_fields(value: Any, where: str) -> Mapping[str, Any]:
    """The value as an object whose keys are text.

    Raises:
        InputError: it is no object.
    """
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return value
    raise InputError(
        f"{where} is {kind_of(value)}, not an object with names",
        hint="Give an object, in the provider's shape",
    )


def is_set(value: Any) -> bool:
    """Whether a field says anything: null, false, and what is empty say nothing."""
    return value is not None and value is not False and value not in ("", [], {}, ())

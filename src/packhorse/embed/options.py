"""What stands after the name of a model: `dimensions=256,question="search_query: "`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from packhorse.errors import ConfigError
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_options", "whole_number"]

_NAME = re.compile(r"([A-Za-z_]+)=")
_WHOLE = re.compile(r"0*[1-9][0-9]{0,8}")
_PLAIN = re.compile(r'[^",]*')
_QUOTES = 'Values with a comma, a quote or spaces at an end stand in quotes: question="query: "'


def read_options(text: str, known: Sequence[str]) -> dict[str, str]:
    r"""Options by name.

    A value is plain, up to the next comma, or a JSON string in double quotes, which may hold
    commas and spaces at its ends, and where `\n` is a new line.

    Args:
        text: `name=value`, with commas between; empty for no option.
        known: the names that mean something here.

    Raises:
        ConfigError: an unknown or repeated name, or a value that cannot be read, with its place.
    """
    found: dict[str, str] = {}
    at = 0
    while text:
        name = _NAME.match(text, at)
        if name is None or name[1] not in known:
            what = f"Unknown option {name[1]!r}" if name else "No `name=`"
            raise _at(text, at, what, f"Options here: {', '.join(known)}")
        if name[1] in found:
            raise _at(text, at, f"Another {name[1]}", "Give it once")
        found[name[1]], at = _value(text, name.end())
        if at == len(text):
            break
        if text[at] != ",":
            raise _at(text, at, "Something after a closing quote", _QUOTES)
        at += 1
    return found


def whole_number(name: str, value: str, example: str) -> int:
    """An option that is a number above 0.

    Raises:
        ConfigError: it is none.
    """
    if not _WHOLE.fullmatch(value):
        raise ConfigError(
            f"The embedder's {name}={value} is no number from 1 to 999999999",
            hint=f"Write it like {example}",
        )
    return int(value)


def _value(text: str, at: int) -> tuple[str, int]:
    """A value, and where it ends."""
    if text[at : at + 1] == '"':
        try:
            value, end = json.JSONDecoder().raw_decode(text, at)
        except ValueError as exc:
            raise _at(text, at, "A quoted value that cannot be read", _QUOTES) from exc
    else:
        plain = _PLAIN.match(text, at)
        value, end = (plain[0], plain.end()) if plain else ("", at)
        if not value or value != value.strip() or text[end : end + 1] == '"':
            hint = f'{_QUOTES}; an empty one is ""'
            raise _at(text, at, f"A value that needs quotes, {value!r},", hint)
    if well_formed(value) != value:
        raise _at(text, at, "Half of a surrogate pair", "Write the character itself")
    return value, end


def _at(text: str, at: int, what: str, hint: str) -> ConfigError:
    return ConfigError(
        f"{what} at character {at + 1} of the embedder's options {text!r}", hint=hint
    )

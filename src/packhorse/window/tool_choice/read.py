"""Reads definitions of tools, strictly: a file with a JSON list, or the definitions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from packhorse.errors import InputError
from packhorse.text.json_fault import json_fault
from packhorse.text.wellformed import well_formed
from packhorse.window.tool_choice.definitions import DECLARED, definitions

__all__ = ["Definitions", "Tools", "read_tools"]

Definitions = tuple[Mapping[str, Any], ...]
"""One tool each, in any provider's form."""

Tools = str | Path | Sequence[Mapping[str, Any]]
"""A file of definitions, or the definitions."""

FORM = '{"type": "function", "function": {"name": "...", "parameters": {...}}}'


def read_tools(given: Tools) -> Definitions:
    """The definitions as they were given, one tool each, in their order.

    Args:
        given: as OpenAI, Anthropic or Gemini takes them in a request's `tools`; a file may hold the
            whole request. Several functions that Gemini takes in one tool become one tool each.

    Raises:
        InputError: a file that cannot be read, a tool that is no definition of a function (such as
            one that the provider runs), or a name that comes twice; says which.
    """
    where = str(given) if isinstance(given, (str, Path)) else "tools"
    listed = _file(Path(given)) if isinstance(given, (str, Path)) else given
    if isinstance(listed, Mapping):
        listed = listed.get("tools")
    if not isinstance(listed, Sequence) or isinstance(listed, (str, bytes)):
        raise InputError(f"{where} is no list of tools", hint=f"A tool is {FORM}")
    found: dict[str, Mapping[str, Any]] = {}
    for at, tool in enumerate(listed):
        place = f"{where}[{at}]"
        defined = definitions([tool])
        if len(defined) != _n_functions(tool):
            raise InputError(
                f"{place} is not the definition of a function",
                hint=f"A tool is {FORM}; leave out tools that the provider runs",
            )
        for each in defined:
            _add(found, each.name, each.tool, place)
    return tuple(found.values())


def _n_functions(tool: Any) -> int:
    """How many functions a tool should define, 1 at least."""
    if not isinstance(tool, Mapping):
        return 1
    parts = next((tool[key] for key in DECLARED if key in tool), ())
    beside = set(tool) - set(DECLARED) if any(key in tool for key in DECLARED) else ()
    return -1 if beside else max(1, len(parts) if isinstance(parts, Sequence) else 1)


def _add(found: dict[str, Mapping[str, Any]], name: str, tool: Any, place: str) -> None:
    if not name.strip():
        raise InputError(f"{place} has no name", hint=f"A tool is {FORM}")
    if name in found:
        raise InputError(
            f"{place}: the tool {name!r} is defined before", hint="Give each tool a name of its own"
        )
    try:
        found[name] = json.loads(well_formed(json.dumps(tool, ensure_ascii=False, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{place} is not JSON: {json_fault(error)}", hint=f"A tool is {FORM}"
        ) from error


def _file(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(
            f"Cannot read {path}: {error.strerror or error}", hint="Give a file with tools"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 (byte {error.start})", hint="Save the file as UTF-8"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is not JSON: {json_fault(error)}", hint=f"A list of tools is [{FORM}]"
        ) from error

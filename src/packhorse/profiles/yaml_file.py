"""Reads one YAML file into plain values, with the line of every key, and nothing clever.

Aliases, tags beyond the plain scalars, duplicate keys, deep nesting and large files are refused,
so that no file can grow while it is read or mean two things at once. PyYAML is imported on first
use: it costs 80 ms.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError

if TYPE_CHECKING:
    from yaml import Node

__all__ = ["MAX_BYTES", "MAX_DEPTH", "YamlFile", "read_text_file", "read_yaml"]

MAX_BYTES = 1_000_000
"""Size from which a settings file is taken for something else."""
MAX_DEPTH = 16
"""Levels of nesting; the deepest setting needs four."""

_SCALAR_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float"))
_DATE_TAG = "tag:yaml.org,2002:timestamp"
_TEXT_TAG = "tag:yaml.org,2002:str"
_MERGE_TAG = "tag:yaml.org,2002:merge"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlFile:
    """A mapping as written, and where its keys stand."""

    path: Path
    data: Mapping[str, Any]
    """Keys are text as written, whatever YAML would make of them; values are None, bool, int,
    float, str, list or dict. A date stays text."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """Dotted path of a key -> its 1-based line."""

    def where(self, key: str) -> str:
        """The place of a key, for messages: `profile.yaml line 3`."""
        line = self.lines.get(key)
        return f"{self.path} line {line}" if line else str(self.path)


def read_text_file(path: Path, what: str) -> str:
    """Reads a UTF-8 file; a byte order mark at its start is not part of the text.

    Raises:
        ConfigError: the file is missing, unreadable, too large, UTF-16 or no UTF-8.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError as exc:
        raise ConfigError(
            f"No {what} at {path}", hint="Check the path; it is relative to where it is named"
        ) from exc
    except OSError as exc:
        reason = exc.strerror or type(exc).__name__
        raise ConfigError(
            f"The {what} cannot be read ({reason}), {path}", hint="Give the path of a readable file"
        ) from exc
    if len(raw) > MAX_BYTES:
        raise ConfigError(
            f"The {what} is larger than {MAX_BYTES:,} bytes, {path}",
            hint="Is this the right file? Settings are short",
        )
    if raw.startswith(_UTF16_MARKS) or b"\0" in raw[:4]:
        raise ConfigError(
            f"The {what} looks like UTF-16, {path}", hint="Save the file as UTF-8 and try again"
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise ConfigError(
            f"The {what} is not UTF-8 at byte {exc.start}, {path}",
            hint="Save the file as UTF-8 and try again",
        ) from exc
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_yaml(path: Path, what: str) -> YamlFile:
    """Reads a mapping; an empty file is an empty mapping.

    Args:
        path: the file.
        what: how messages call it, for example `profile`.

    Raises:
        ConfigError: the file cannot be read, is no YAML, or is not one plain mapping.
    """
    return _parsed(read_text_file(path, what), path, what)


@lru_cache(maxsize=64)
def _parsed(text: str, path: Path, what: str) -> YamlFile:
    """The mapping in `text`; remembered, because a service reads its profile for every question."""
    import yaml

    try:
        _refuse_growth(text, path, what)
        node = yaml.compose(text, Loader=_loader_class())
    except yaml.YAMLError as exc:
        raise ConfigError(
            f"The {what} is not valid YAML: {_problem(exc)}, {path}"
            f"{_at(getattr(exc, 'problem_mark', None))}",
            hint="Correct the file; `name: value` on one line is the usual form",
        ) from exc
    if node is None or (node.tag.endswith(":null") and isinstance(node, yaml.ScalarNode)):
        return YamlFile(path=path, data={})
    if not isinstance(node, yaml.MappingNode):
        raise ConfigError(
            f"The {what} is not a list of `name: value` settings, {path}",
            hint="Write one setting a line, for example `mmr_lambda: 0.7`",
        )
    lines: dict[str, int] = {}
    data = _Values(path=path, lines=lines).of(node, "")
    return YamlFile(path=path, data=data, lines=lines)


def _loader_class() -> Any:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _refuse_growth(text: str, path: Path, what: str) -> None:
    """Walks the events, which cannot grow, before anything is built from them."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=_loader_class()):
        if isinstance(event, yaml.AliasEvent):
            raise ConfigError(
                f"The {what} uses a YAML alias (*{event.anchor}), {path}{_at(event.start_mark)}",
                hint="Write the value out; to share settings between files use `extends`",
            )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise ConfigError(
                    f"The {what} is nested more than {MAX_DEPTH} levels deep,"
                    f" {path}{_at(event.start_mark)}",
                    hint="Settings are at most four levels deep",
                )
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _problem(exc: Exception) -> str:
    problem = getattr(exc, "problem", None) or getattr(exc, "reason", None) or "cannot be parsed"
    return str(problem)


def _at(mark: Any) -> str:
    return f" line {mark.line + 1}" if mark is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Values:
    """Turns nodes into values and notes the line of each key."""

    path: Path
    lines: dict[str, int]

    def of(self, node: Node, key: str) -> Any:
        import yaml

        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, key)
        if isinstance(node, yaml.SequenceNode):
            return [self.of(item, f"{key}[{i}]") for i, item in enumerate(node.value)]
        return self._scalar(node, key)

    def _mapping(self, node: Node, key: str) -> dict[str, Any]:
        import yaml

        values: dict[str, Any] = {}
        for name_node, value_node in node.value:
            line = name_node.start_mark.line + 1
            if not isinstance(name_node, yaml.ScalarNode):
                raise ConfigError(
                    f"A key is not plain text, {self.path} line {line}",
                    hint="Write keys as words, for example `mmr_lambda`",
                )
            name = name_node.value
            inner = f"{key}.{name}" if key else name
            if name in values:
                raise ConfigError(
                    f"{inner} is set twice, {self.path} lines {self.lines[inner]} and {line}",
                    hint="Keep one of the two",
                )
            self.lines[inner] = line
            values[name] = self.of(value_node, inner)
        return values

    def _scalar(self, node: Node, key: str) -> Any:
        import yaml

        # A date is read by the setting that wants one, so that it is not rewritten here.
        if node.tag in (_TEXT_TAG, _DATE_TAG, _MERGE_TAG):
            return node.value
        if node.tag in _SCALAR_TAGS:
            try:
                return yaml.constructor.SafeConstructor().construct_object(node)
            except (ValueError, yaml.YAMLError) as exc:
                raise self._unusable(node, key) from exc
        raise self._unusable(node, key)

    def _unusable(self, node: Node, key: str) -> ConfigError:
        line = node.start_mark.line + 1
        return ConfigError(
            f"{key} has a value that cannot be used, {self.path} line {line}",
            hint="Use plain text, numbers, true, false, lists and mappings, without YAML tags",
        )

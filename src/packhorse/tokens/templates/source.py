"""Finds the chat template of an open model, and what its engine does around it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from packhorse.errors import InputError

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter

__all__ = ["ChatTemplate", "Dialect", "find_template"]

Dialect = Literal["llama.cpp", "transformers"]

CONFIG, TEMPLATE = "tokenizer_config.json", "chat_template.jinja"
VARIANTS = "additional_chat_templates"
HINT = (
    "Give a folder with chat_template.jinja or tokenizer_config.json, one of these files, a .jinja"
    " file, or a .gguf file"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTemplate:
    """A template and the engine's habits that decide what it is given."""

    path: Path
    source: str
    tool_source: str = ""
    """The variant for requests with tools; empty where one template serves all."""
    bos_token: str = ""
    eos_token: str = ""
    adds_bos: bool = False
    """Whether the engine puts the token of the beginning before the rendered text."""
    adds_eos: bool = False
    dialect: Dialect = "transformers"
    """Whose way of preparing messages is followed: vLLM goes with transformers."""

    @property
    def sha256(self) -> str:
        """Hash of the template and its variant."""
        return hashlib.sha256(f"{self.source}\0{self.tool_source}".encode()).hexdigest()

    def source_for(self, *, tools: bool) -> str:
        """The text that renders a request with or without tools."""
        return self.tool_source if tools and self.tool_source else self.source


def find_template(path: Path, counter: TokenCounter) -> ChatTemplate:
    """The chat template at a path.

    A folder's `chat_template.jinja` goes before its `tokenizer_config.json`. Where the vocabulary
    is a GGUF file's, the template is rendered as llama.cpp does, whatever file it is in.

    Args:
        path: a folder, `tokenizer_config.json`, a `.jinja` file, or a `.gguf` file.
        counter: of the model; knows the tokens of the beginning and end of a GGUF file.

    Raises:
        InputError: there is no template at the path, or it cannot be read.
    """
    kind = "folder" if path.is_dir() else path.suffix.lower()
    read = READERS.get(kind)
    if read is None:
        raise InputError(f"{path} is no place of a chat template", hint=HINT)
    sources, config = read(path)
    source = sources.get("default") or sources.get("tool_use")
    if not source:
        raise InputError(f"{path} has no chat template", hint=HINT)
    variant = sources.get("tool_use", "")
    return ChatTemplate(
        path=path,
        source=source,
        tool_source=variant if variant != source else "",
        **_habits(config, counter),
    )


def _habits(config: Mapping[str, Any], counter: TokenCounter) -> dict[str, Any]:
    """Tokens of the beginning and end, and who adds them."""
    adds_bos = getattr(counter, "adds_bos", None)
    if adds_bos is None:
        return {
            "bos_token": _spelling(config.get("bos_token")),
            "eos_token": _spelling(config.get("eos_token")),
        }
    return {
        "bos_token": getattr(counter, "bos_token", ""),
        "eos_token": getattr(counter, "eos_token", ""),
        "adds_bos": adds_bos,
        "adds_eos": getattr(counter, "adds_eos", False),
        "dialect": "llama.cpp",
    }


def _spelling(token: Any) -> str:
    """A special token is a text, or an object with the text under `content`."""
    spelled = token.get("content") if isinstance(token, Mapping) else token
    return spelled if isinstance(spelled, str) else ""


Found = tuple[dict[str, str], Mapping[str, Any]]


def _in_folder(path: Path) -> Found:
    config = path / CONFIG
    sources, values = _in_config(config) if config.is_file() else ({}, {})
    for file in sorted((path / VARIANTS).glob("*.jinja")):
        sources[file.stem] = _text(file)
    if (path / TEMPLATE).is_file():
        sources["default"] = _text(path / TEMPLATE)
    return sources, values


def _in_config(path: Path) -> Found:
    try:
        values = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}", hint="Download the file again") from error
    template = values.get("chat_template") if isinstance(values, dict) else None
    if isinstance(template, str):
        return {"default": template}, values
    named = template if isinstance(template, list) else []
    sources = {
        str(entry.get("name")): str(entry.get("template", ""))
        for entry in named
        if isinstance(entry, Mapping)
    }
    return sources, values if isinstance(values, dict) else {}


def _in_file(path: Path) -> Found:
    beside = path.parent / CONFIG
    return {"default": _text(path)}, _in_config(beside)[1] if beside.is_file() else {}


def _in_gguf(path: Path) -> Found:
    from packhorse.tokens.vocabularies.gguf_metadata import read_gguf_metadata

    metadata = read_gguf_metadata(path)
    key = "tokenizer.chat_template"
    named = {"default": metadata.text(key), "tool_use": metadata.text(f"{key}.tool_use")}
    return {name: source for name, source in named.items() if source}, {}


READERS: Mapping[str, Callable[[Path], Found]] = {
    "folder": _in_folder,
    ".json": _in_config,
    ".jinja": _in_file,
    ".gguf": _in_gguf,
}


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(f"Cannot read {path}: {reason}", hint="Check the path") from error

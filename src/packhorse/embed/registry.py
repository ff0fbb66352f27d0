"""Embedders by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from packhorse.errors import UnknownStrategyError
from packhorse.onnx.place import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from packhorse.protocols import Embedder

__all__ = ["BY_NAME", "KNOWN_EMBEDDERS", "decides", "embedder", "settled"]

_ONNX = re.compile(r"(.+?\.onnx)(?:,(.*))?", re.DOTALL | re.IGNORECASE)
"""The path of a model, and its options."""


def _minilm(_name: str) -> Embedder:
    from packhorse.embed.minilm import MiniLmEmbedder

    return MiniLmEmbedder()


def _static(_name: str) -> Embedder:
    from packhorse.embed.static import StaticEmbedder

    return StaticEmbedder()


def _none(_name: str) -> None:
    return None


def _http(name: str) -> Embedder:
    from packhorse.embed.http import HttpEmbedder

    return HttpEmbedder(name)


def _onnx(path: str, options: str) -> Embedder:
    from packhorse.embed.onnx import OnnxEmbedder
    from packhorse.embed.options import read_options, whole_number

    given = read_options(options, ("length", "passage", "pooling", "question"))
    length = given.pop("length", None)
    example = "models/model.onnx,length=512"
    number = None if length is None else whole_number("length", length, example)
    return OnnxEmbedder(
        place_of(path),
        pooling=given.get("pooling"),
        question=given.get("question"),
        passage=given.get("passage"),
        length=number,
    )


BY_NAME: Mapping[str, Callable[[str], Embedder | None]] = {
    "minilm": _minilm,
    "none": _none,
    "static": _static,
}
_BY_SCHEME: Mapping[str, Callable[[str], Embedder]] = {"http": _http, "https": _http}

KNOWN_EMBEDDERS = (*sorted(BY_NAME), "PATH.onnx", "http(s)://HOST/v1#MODEL")


def embedder(name: str) -> Embedder | None:
    """The embedder of a name; None for `none`.

    Nothing heavy is loaded before the first text.

    Args:
        name: `minilm`, `static` or `none`; the path of an `.onnx` file with its `tokenizer.json`
            beside it; or the URL of an endpoint, with its model behind `#`. Path and model may
            have options behind a comma, such as `question="query: "`.

    Raises:
        UnknownStrategyError: nothing is registered under the name.
        ConfigError: a file is not there, or the options cannot be read.
        MissingExtraError: the package behind it is not installed.
    """
    factory = BY_NAME.get(name) or _BY_SCHEME.get(urlsplit(name).scheme)
    if factory is not None:
        return factory(name)
    file = _ONNX.fullmatch(name)
    if file is None:
        raise UnknownStrategyError("embedder", name, KNOWN_EMBEDDERS)
    return _onnx(file[1], file[2] or "")


def settled(name: str) -> str:
    """The name as it holds in any working directory: the path of a file is made absolute."""
    file = None if _is_no_file(name) else _ONNX.fullmatch(name)
    if file is None:
        return name
    return str(place_of(file[1]).absolute()) + name[file.end(1) :]


def decides(name: str) -> str:
    """What the vectors of a name depend on, as far as this machine knows without loading a model.

    Raises:
        ConfigError: a file is not there, or the options cannot be read.
    """
    if _is_no_file(name) or not _ONNX.fullmatch(name):
        return name
    model = embedder(name)
    return f"{settled(name)} {model.fingerprint}" if model else name


def _is_no_file(name: str) -> bool:
    return name in BY_NAME or urlsplit(name).scheme in _BY_SCHEME

"""Embedders by name."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from packhorse.errors import UnknownStrategyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from packhorse.protocols import Embedder

__all__ = ["BY_NAME", "KNOWN_EMBEDDERS", "embedder"]


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


BY_NAME: Mapping[str, Callable[[str], Embedder | None]] = {
    "minilm": _minilm,
    "none": _none,
    "static": _static,
}
_BY_SCHEME: Mapping[str, Callable[[str], Embedder]] = {"http": _http, "https": _http}

KNOWN_EMBEDDERS = (*sorted(BY_NAME), "http(s)://HOST/v1#MODEL")


def embedder(name: str) -> Embedder | None:
    """The embedder of a name: `minilm`, `static`, `none` (None), or the URL of an endpoint.

    Nothing heavy is loaded before the first text.

    Raises:
        UnknownStrategyError: nothing is registered under the name.
        MissingExtraError: the package behind it is not installed.
    """
    factory = BY_NAME.get(name) or _BY_SCHEME.get(urlsplit(name).scheme)
    if factory is None:
        raise UnknownStrategyError("embedder", name, KNOWN_EMBEDDERS)
    return factory(name)

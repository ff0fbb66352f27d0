"""The contradiction model that a profile names."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from packhorse.protocols import ContradictionModel

__all__ = ["contradiction_model"]


@lru_cache(maxsize=8)
def contradiction_model(name: str | None) -> ContradictionModel | None:
    """The model of a name: an endpoint's URL, or `PATH.onnx#LABEL,LABEL,LABEL`; None without.

    One name gives one object in a process, so that a file is loaded once.

    Raises:
        ConfigError: the name cannot be used as either.
    """
    if name is None:
        return None
    if urlsplit(name).scheme in {"http", "https"}:
        from packhorse.verify.contradiction.http import HttpContradictionModel

        return HttpContradictionModel(name)
    from packhorse.verify.contradiction.onnx import OnnxContradictionModel

    path, _, labels = name.partition("#")
    return OnnxContradictionModel(path, [label for label in labels.split(",") if label.strip()])

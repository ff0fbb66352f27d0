"""The cross-encoder that a profile names."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from packhorse.errors import UnknownStrategyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from packhorse.protocols import CrossEncoder

__all__ = ["KNOWN_CROSS_ENCODERS", "LOGITS", "PROBABILITIES", "cross_encoder", "usual_scale"]

LOGITS, PROBABILITIES = "logits", "probabilities"

KNOWN_CROSS_ENCODERS = ("PATH.onnx", "http(s)://HOST#MODEL", "tei+http(s)://HOST")


def _onnx(name: str, timeout_s: float) -> CrossEncoder:
    from packhorse.rerank.cross_encoder.onnx import OnnxCrossEncoder

    return OnnxCrossEncoder(name, timeout_s=timeout_s)


def _documents(name: str, timeout_s: float) -> CrossEncoder:
    from packhorse.rerank.cross_encoder.http import HttpCrossEncoder

    return HttpCrossEncoder(name, timeout_s=timeout_s)


def _texts(name: str, timeout_s: float) -> CrossEncoder:
    from packhorse.rerank.cross_encoder.http import TeiCrossEncoder

    return TeiCrossEncoder(name.partition("+")[2], timeout_s=timeout_s)


_BY_SCHEME: Mapping[str, Callable[[str, float], CrossEncoder]] = {
    "http": _documents,
    "https": _documents,
    "tei+http": _texts,
    "tei+https": _texts,
}


@lru_cache(maxsize=8)
def cross_encoder(name: str, timeout_s: float) -> CrossEncoder:
    """The cross-encoder of a name: the path of an `.onnx` file, or the URL of an endpoint.

    One name and time give one object in a process, so that a file is loaded once.

    Args:
        name: `PATH.onnx`, with its `tokenizer.json` beside it; `http(s)://HOST#MODEL` for the
            `/v1/rerank` form of Cohere, Jina and vLLM; `tei+http(s)://HOST` for the `/rerank`
            form of text-embeddings-inference.
        timeout_s: seconds for all passages of one question.

    Raises:
        UnknownStrategyError: the name is neither.
        ConfigError: it cannot be used.
    """
    make = _BY_SCHEME.get(urlsplit(name).scheme)
    if make is None and name.casefold().endswith(".onnx"):
        make = _onnx
    if make is None:
        raise UnknownStrategyError("reranker", name, KNOWN_CROSS_ENCODERS)
    return make(name, timeout_s)


def usual_scale(name: str) -> str:
    """What a cross-encoder of this kind gives where nobody declares it.

    Models in files end in a logit; endpoints answer with probabilities.
    """
    return PROBABILITIES if urlsplit(name).scheme in _BY_SCHEME else LOGITS

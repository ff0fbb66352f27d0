"""Any endpoint that speaks the OpenAI embeddings protocol, over the standard library."""

from __future__ import annotations

import http.client
import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from packhorse.errors import ConfigError, RetrievalError
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.types.arrays import FloatArray

__all__ = ["DEFAULT_MODEL", "KEY_VARIABLE", "HttpEmbedder"]

KEY_VARIABLE = "PACKHORSE_EMBEDDING_KEY"
"""Environment variable of the key, sent as a bearer token and shown nowhere."""

DEFAULT_MODEL = "text-embedding-3-small"
_TEXTS_A_REQUEST = 64
_TIMEOUT_S = 60.0
_MAX_ANSWER_BYTES = 64 * 1024 * 1024
_OK = 200


class HttpEmbedder:
    """Sends texts to `URL/embeddings`, 64 at a time; the model is named after `#` in the URL.

    A text without any visible character is not sent and gets a row of zeros. Rows come back
    scaled to length 1 here, whatever the endpoint does.

    Args:
        url: for example `http://localhost:8080/v1#nomic-embed-text`; a path that ends in
            `/embeddings` is used as it is.
        timeout_s: seconds to wait for the connection and for each part of an answer.

    Raises:
        ConfigError: the URL has no host, or carries a user name or password.
    """

    def __init__(self, url: str, *, timeout_s: float = _TIMEOUT_S) -> None:
        parts = urlsplit(url)
        if not parts.hostname:
            raise ConfigError(
                "The embedder URL has no host", hint="Write it like http://localhost:8080/v1#model"
            )
        if parts.username is not None or parts.password is not None:
            raise ConfigError(
                f"The embedder URL of {parts.hostname} carries a user name or password",
                hint=f"Put the key into the environment variable {KEY_VARIABLE}",
            )
        self._parts = parts
        self._model = parts.fragment or DEFAULT_MODEL
        path = parts.path.rstrip("/")
        self._path = path if path.endswith("/embeddings") else f"{path}/embeddings"
        self._where = f"{parts.scheme}://{parts.netloc}{self._path}"
        self._timeout_s = timeout_s

    @cached_property
    def dimension(self) -> int:
        """Length of a vector; the first use asks the endpoint for one."""
        return int(self._request(["dimension"]).shape[1])

    @cached_property
    def fingerprint(self) -> str:
        """Model and dimension; an endpoint tells no version, so a new model needs a new name."""
        return f"openai-compatible {self._model} dim={self.dimension} normalised=l2"

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """float32, shape (n, dimension), rows of length 1 or 0.

        Raises:
            RetrievalError: the endpoint cannot be reached, refuses, or answers something else
                than one vector a text.
        """
        import numpy as np

        from packhorse.embed.unit import unit_rows

        visible = [at for at, text in enumerate(texts) if text.strip()]
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(visible), _TEXTS_A_REQUEST):
            some = visible[start : start + _TEXTS_A_REQUEST]
            found = self._request([well_formed(texts[at]) for at in some])
            if found.shape[1] != self.dimension:
                raise self._unusable(f"vectors of {found.shape[1]} numbers, not {self.dimension}")
            rows[some] = unit_rows(found)
        return rows

    def _request(self, texts: Sequence[str]) -> FloatArray:
        """(n, d) as the endpoint gives it."""
        import numpy as np

        body = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"})
        data = self._answer(body.encode("utf-8"))
        try:
            items = data["data"]
            by_index = {int(item["index"]): item["embedding"] for item in items}
            ordered = [by_index[at] for at in range(len(texts))]
            rows = np.array(ordered, dtype=np.float64)
        except (KeyError, TypeError, ValueError) as exc:
            raise self._unusable(f"no vector for every one of {len(texts)} texts") from exc
        if len(items) != len(texts) or rows.ndim != 2 or not np.isfinite(rows).all():  # noqa: PLR2004 - (n, d)
            raise self._unusable(f"{len(items)} usable vectors for {len(texts)} texts")
        return rows

    def _answer(self, body: bytes) -> Mapping[str, Any]:
        connection = _connection(self._parts, self._timeout_s)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key = os.environ.get(KEY_VARIABLE)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        try:
            connection.request("POST", self._path, body=body, headers=headers)
            answer = connection.getresponse()
            payload = answer.read(_MAX_ANSWER_BYTES + 1)
        except TimeoutError as exc:
            raise RetrievalError(
                f"{self._where} did not answer within {self._timeout_s:g} s",
                hint="Check that the endpoint is up, or index with --embedder minilm",
            ) from exc
        except (OSError, http.client.HTTPException) as exc:
            raise RetrievalError(
                f"Cannot reach {self._where}: {type(exc).__name__}",
                hint="Check the address, and that the endpoint is up",
            ) from exc
        finally:
            connection.close()
        if answer.status != _OK:
            raise RetrievalError(
                f"{self._where} answered {answer.status} {answer.reason}",
                hint=f"Check the model name {self._model!r} and the key in {KEY_VARIABLE}",
            )
        return self._parsed(payload)

    def _parsed(self, payload: bytes) -> Mapping[str, Any]:
        if len(payload) > _MAX_ANSWER_BYTES:
            raise self._unusable(f"more than {_MAX_ANSWER_BYTES} bytes")
        try:
            data = json.loads(payload)
        except ValueError as exc:
            raise self._unusable("no JSON") from exc
        if not isinstance(data, dict):
            raise self._unusable("JSON that is no object")
        return data

    def _unusable(self, what: str) -> RetrievalError:
        return RetrievalError(
            f"{self._where} answered with {what}",
            hint="Point the embedder at an OpenAI-compatible /v1/embeddings endpoint",
        )


def _connection(parts: SplitResult, timeout_s: float) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(host, parts.port, timeout=timeout_s)
    return http.client.HTTPConnection(host, parts.port, timeout=timeout_s)

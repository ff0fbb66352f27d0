"""Any endpoint that speaks the OpenAI embeddings protocol."""

from __future__ import annotations

import base64
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from packhorse.embed.options import read_options, whole_number
from packhorse.embed.prompts import PROMPT_OPTIONS, Prompts
from packhorse.errors import RetrievalError
from packhorse.posting.address import address_of, key_in
from packhorse.posting.by_index import by_index
from packhorse.posting.transport import Limits, Purpose, Transport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import FloatArray

__all__ = ["DEFAULT_MODEL", "KEY_VARIABLE", "HttpEmbedder"]

KEY_VARIABLE = "PACKHORSE_EMBEDDING_KEY"
"""Environment variable of the key, sent as a bearer token and shown nowhere."""

DEFAULT_MODEL = "text-embedding-3-small"
_OPTIONS = ("dimensions", *PROMPT_OPTIONS)
_TEXTS_A_REQUEST = 64
_CHARACTERS_A_TEXT = 32_000
_TOO_BIG = frozenset({400, 413, 422})
"""What servers answer when a request holds more texts than they take at a time."""
_LIMITS = Limits(timeout_s=60.0, deadline_s=300.0, max_answer_bytes=64 * 1024 * 1024)
_PURPOSE = Purpose(
    error=RetrievalError,
    role="embeddings endpoint",
    key_variable=KEY_VARIABLE,
    doing="Embedding with an endpoint",
    otherwise="index with --embedder minilm",
)


class HttpEmbedder:
    """Sends texts to `URL/embeddings`, 64 at a time; the model is named after `#` in the URL.

    A server that refuses so many at a time is asked for half, and half again. Of a text, the
    first 32,000 characters are sent. One without any visible character is not sent and gets a
    row of zeros. Rows come back scaled to length 1 here, whatever the endpoint does.

    Args:
        url: for example `http://localhost:8080/v1#nomic-embed-text`; a path that ends in
            `/embeddings` is used as it is. `#MODEL,dimensions=256` asks a model that can give
            shorter vectors for those; `question="search_query: "` and `passage=` are put before
            every question and every passage.
        limits: times, tries and sizes.

    Raises:
        ConfigError: the URL has no host, carries something secret, or its options cannot be read.
    """

    def __init__(self, url: str, *, limits: Limits = _LIMITS) -> None:
        # Read before the URL is taken apart, which would drop line ends and spaces.
        where, _, label = url.partition("#")
        self._address = address_of(where, "/embeddings", _PURPOSE)
        model, _, options = label.partition(",")
        given = read_options(options, _OPTIONS)
        asked = given.get("dimensions")
        example = "http://localhost:8080/v1#model,dimensions=256"
        self._model = model.strip() or DEFAULT_MODEL
        self._asked = None if asked is None else whole_number("dimensions", asked, example)
        self._prompts = Prompts(
            question=given.get("question", ""), passage=given.get("passage", "")
        )
        self._at_a_time = _TEXTS_A_REQUEST
        self._limits = limits

    @cached_property
    def dimension(self) -> int:
        """Length of a vector; the first use asks the endpoint for one."""
        with self._transport() as transport:
            found = int(self._rows(transport, ["dimension"]).shape[1])
            if self._asked not in {None, found}:
                raise transport.unusable(
                    self._address.path, f"vectors of {found} numbers, not the {self._asked} asked"
                )
        return found

    @cached_property
    def fingerprint(self) -> str:
        """Model, dimension and prompts.

        An endpoint tells no version, so a new model needs a new name.
        """
        made_by = f"openai-compatible {self._model} dim={self.dimension} normalised=l2"
        return made_by + self._prompts.told

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """float32, shape (n, dimension), rows of length 1 or 0.

        Raises:
            RetrievalError: the endpoint cannot be reached, refuses, or answers something else
                than one vector a text.
            MissingExtraError: httpx2 is not installed.
        """
        return self._embedded(texts, self._prompts.passage)

    def embed_questions(self, texts: Sequence[str]) -> FloatArray:
        """As `embed`, with the prompt of questions."""
        return self._embedded(texts, self._prompts.question)

    def _embedded(self, texts: Sequence[str], prompt: str) -> FloatArray:
        import numpy as np

        from packhorse.embed.unit import unit_rows

        visible = [at for at, text in enumerate(texts) if text.strip()]
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        with self._transport() as transport:
            start = 0
            while start < len(visible):
                some = visible[start : start + self._at_a_time]
                found = self._rows(transport, [prompt + texts[at] for at in some])
                rows[some[: len(found)]] = unit_rows(found)
                start += len(found)
        return rows

    def _rows(self, transport: Transport, texts: Sequence[str]) -> FloatArray:
        """(n, d) as the endpoint gives them, for the first n texts that it takes at a time."""
        body: dict[str, Any] = {"model": self._model, "encoding_format": "float"}
        if self._asked is not None:
            body["dimensions"] = self._asked
        while True:
            some = [text[:_CHARACTERS_A_TEXT] for text in texts[: self._at_a_time]]
            declined = _TOO_BIG if len(some) > 1 else ()
            data = transport.post_any(
                self._address.path, {**body, "input": some}, declined=declined
            )
            if data is not None:
                return self._read(transport, data, len(some))
            self._at_a_time = len(some) // 2

    def _read(self, transport: Transport, data: Any, n: int) -> FloatArray:
        import numpy as np

        try:
            items = by_index(data["data"] if isinstance(data, dict) else None, n)
            vectors = [_numbers(item.get("embedding")) for item in items]
            lengths = sorted({len(vector) for vector in vectors})
            if len(lengths) > 1:
                what = f"vectors of {lengths[0]} and of {lengths[-1]} numbers"
                raise transport.unusable(self._address.path, what)
            rows = np.array(vectors, dtype=np.float64)
        except (KeyError, OverflowError, TypeError, ValueError) as exc:
            what = f"no vector for every one of {n} texts"
            raise transport.unusable(self._address.path, what) from exc
        if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():  # noqa: PLR2004 - (n, d)
            raise transport.unusable(self._address.path, f"vectors of {n} texts that are none")
        if not rows.any(axis=1).all():
            raise transport.unusable(self._address.path, "a vector of zeros, which points nowhere")
        known = self.__dict__.get("dimension", rows.shape[1])
        if rows.shape[1] != known:
            what = f"vectors of {rows.shape[1]} numbers, not {known}"
            raise transport.unusable(self._address.path, what)
        return rows

    def _transport(self) -> Transport:
        key = key_in(os.environ, _PURPOSE)
        return Transport(self._address.base, key=key, limits=self._limits, purpose=_PURPOSE)


def _numbers(vector: Any) -> Any:
    """A vector as numbers; some servers send base64 of float32 whatever they are asked for."""
    import numpy as np

    if isinstance(vector, str):
        return np.frombuffer(base64.b64decode(vector, validate=True), dtype="<f4")
    if not isinstance(vector, list) or not all(type(each) in (int, float) for each in vector):
        raise ValueError("no list of numbers")
    return vector

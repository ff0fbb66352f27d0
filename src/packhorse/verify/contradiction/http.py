"""An endpoint that classifies pairs of sentences: text-embeddings-inference's `/predict`."""

from __future__ import annotations

import http.client
import json
import math
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from packhorse.errors import ConfigError, VerificationError
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["KEY_VARIABLE", "HttpContradictionModel"]

KEY_VARIABLE = "PACKHORSE_CONTRADICTION_KEY"
"""Environment variable of the key, sent as a bearer token and shown nowhere."""

DEFAULT_LABEL = "contradiction"
_PAIRS_A_REQUEST = 32
_TIMEOUT_S = 5.0
_MAX_ANSWER_BYTES = 4 * 1024 * 1024
_OK = 200


class HttpContradictionModel:
    """Sends pairs to `URL/predict`, 32 at a time, and reads the score of one label.

    The request is `{"inputs": [["first", "second"], ...], "raw_scores": false, "truncate": true}`,
    the answer a list for each pair, in order, of `{"label": ..., "score": 0..1}`.

    Args:
        url: for example `http://localhost:8080`; a path that ends in `/predict` is used as it is.
            A label other than `contradiction`, upper or lower case, is named after `#`.
        timeout_s: seconds to wait for the connection and for each part of an answer.

    Raises:
        ConfigError: the URL has no host, or carries a user name or password.
    """

    def __init__(self, url: str, *, timeout_s: float = _TIMEOUT_S) -> None:
        parts = urlsplit(url)
        if not parts.hostname:
            raise ConfigError(
                "The contradiction model's URL has no host",
                hint="Write it like http://localhost:8080",
            )
        if parts.username is not None or parts.password is not None:
            raise ConfigError(
                f"The contradiction model's URL of {parts.hostname} carries a name or password",
                hint=f"Put the key into the environment variable {KEY_VARIABLE}",
            )
        path = parts.path.rstrip("/")
        self._parts = parts
        self._path = path if path.endswith("/predict") else f"{path}/predict"
        self._label = (parts.fragment or DEFAULT_LABEL).casefold()
        self._timeout_s = timeout_s
        self.name = f"{parts.scheme}://{parts.netloc}{self._path}"

    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> tuple[float, ...]:
        """Probability for each pair, in order, that the second sentence contradicts the first.

        Raises:
            VerificationError: the endpoint cannot be reached, is too slow, refuses, or answers
                something else than one list of labels a pair.
        """
        found: list[float] = []
        for start in range(0, len(pairs), _PAIRS_A_REQUEST):
            found += self._predict(pairs[start : start + _PAIRS_A_REQUEST])
        return tuple(found)

    def _predict(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        inputs = [[well_formed(first), well_formed(second)] for first, second in pairs]
        body = json.dumps({"inputs": inputs, "raw_scores": False, "truncate": True})
        answer = self._answer(body.encode("utf-8"))
        if not isinstance(answer, list) or len(answer) != len(pairs):
            size = len(answer) if isinstance(answer, list) else "no list of"
            raise self._unusable(f"{size} predictions for {len(pairs)} pairs")
        return [self._score(prediction) for prediction in answer]

    def _score(self, prediction: Any) -> float:
        try:
            scores = {str(each["label"]).casefold(): float(each["score"]) for each in prediction}
        except (KeyError, TypeError, ValueError) as exc:
            raise self._unusable("a prediction without labels and scores") from exc
        score = scores.get(self._label)
        if score is None:
            raise self._unusable(f"no label {self._label!r}, but {', '.join(sorted(scores))[:80]}")
        if not (math.isfinite(score) and 0.0 <= score <= 1.0):
            raise self._unusable(f"a score of {score}, outside 0..1")
        return score

    def _answer(self, body: bytes) -> Any:
        connection = self._connection()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key = os.environ.get(KEY_VARIABLE)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        try:
            connection.request("POST", self._path, body=body, headers=headers)
            answer = connection.getresponse()
            payload = answer.read(_MAX_ANSWER_BYTES + 1)
        except TimeoutError as exc:
            raise VerificationError(
                f"{self.name} did not answer within {self._timeout_s:g} s",
                hint="Check that the endpoint is up",
            ) from exc
        except (OSError, http.client.HTTPException) as exc:
            raise VerificationError(
                f"Cannot reach {self.name}: {type(exc).__name__}",
                hint="Check the address, and that the endpoint is up",
            ) from exc
        finally:
            connection.close()
        if answer.status != _OK:
            raise VerificationError(
                f"{self.name} answered {answer.status}",
                hint=f"Check the address and the key in {KEY_VARIABLE}",
            )
        if len(payload) > _MAX_ANSWER_BYTES:
            raise self._unusable(f"more than {_MAX_ANSWER_BYTES} bytes")
        try:
            return json.loads(payload)
        except ValueError as exc:
            raise self._unusable("no JSON") from exc

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self._timeout_s)
        return http.client.HTTPConnection(host, port, timeout=self._timeout_s)

    def _unusable(self, what: str) -> VerificationError:
        return VerificationError(
            f"{self.name} answered with {what}",
            hint="Point it at a /predict endpoint of text-embeddings-inference, or one like it",
        )

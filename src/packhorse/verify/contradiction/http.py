"""An endpoint that classifies pairs of sentences: text-embeddings-inference's `/predict`."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

from packhorse.errors import VerificationError
from packhorse.posting.address import address_of, key_in
from packhorse.posting.transport import Limits, Purpose, Transport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.errors import PackhorseError

__all__ = ["KEY_VARIABLE", "HttpContradictionModel"]

KEY_VARIABLE = "PACKHORSE_CONTRADICTION_KEY"
"""Environment variable of the key, sent as a bearer token and shown nowhere."""

DEFAULT_LABEL = "contradiction"
_PAIRS_A_REQUEST = 32
_LIMITS = Limits(timeout_s=5.0, deadline_s=10.0, tries=2, max_answer_bytes=4 * 1024 * 1024)
_PURPOSE = Purpose(
    error=VerificationError,
    role="/predict endpoint",
    key_variable=KEY_VARIABLE,
    doing="Asking a contradiction model",
    otherwise="leave contradiction_model out",
)


class HttpContradictionModel:
    """Sends pairs to `URL/predict`, 32 at a time, and reads the score of one label.

    The request is `{"inputs": [["first", "second"], ...], "raw_scores": false, "truncate": true}`,
    the answer a list for each pair, in order, of `{"label": ..., "score": 0..1}`.

    Args:
        url: for example `http://localhost:8080`; a path that ends in `/predict` is used as it is.
            A label other than `contradiction`, upper or lower case, is named after `#`.
        limits: times, tries and sizes, for each request.

    Raises:
        ConfigError: the URL has no host, or carries something secret.
    """

    def __init__(self, url: str, *, limits: Limits = _LIMITS) -> None:
        self._address = address_of(url, "/predict", _PURPOSE)
        self._label = (self._address.label or DEFAULT_LABEL).casefold()
        self._limits = limits
        self.name = self._address.name

    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> tuple[float, ...]:
        """Probability for each pair, in order, that the second sentence contradicts the first.

        Raises:
            VerificationError: the endpoint cannot be reached, is too slow, refuses, or answers
                something else than one list of labels a pair.
            MissingExtraError: httpx2 is not installed.
        """
        found: list[float] = []
        key = key_in(os.environ, _PURPOSE)
        with Transport(
            self._address.base, key=key, limits=self._limits, purpose=_PURPOSE
        ) as transport:
            for start in range(0, len(pairs), _PAIRS_A_REQUEST):
                found += self._predict(transport, pairs[start : start + _PAIRS_A_REQUEST])
        return tuple(found)

    def _predict(self, transport: Transport, pairs: Sequence[tuple[str, str]]) -> list[float]:
        body = {"inputs": pairs, "raw_scores": False, "truncate": True}
        answer = transport.post_any(self._address.path, body)

        def unusable(what: str) -> PackhorseError:
            return transport.unusable(self._address.path, what)

        if not isinstance(answer, list) or len(answer) != len(pairs):
            size = len(answer) if isinstance(answer, list) else "no list of"
            raise unusable(f"{size} predictions for {len(pairs)} pairs")
        scores = []
        for prediction in answer:
            score, problem = self._score(prediction)
            if problem:
                raise unusable(problem)
            scores.append(score)
        return scores

    def _score(self, prediction: Any) -> tuple[float, str]:
        """The label's score, and what is wrong with it; empty for nothing."""
        try:
            scores = {str(each["label"]).casefold(): float(each["score"]) for each in prediction}
        except (KeyError, OverflowError, TypeError, ValueError):
            return 0.0, "a prediction without labels and scores"
        score = scores.get(self._label)
        if score is None:
            return 0.0, f"no label {self._label!r}, but {', '.join(sorted(scores))[:80]}"
        if not (math.isfinite(score) and 0.0 <= score <= 1.0):
            return 0.0, f"a score of {score}, outside 0..1"
        return score, ""

"""Asks a cross-encoder about passages, once, and says so when there is no usable answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from packhorse.errors import InputError, PackhorseError, RerankError
from packhorse.kb.searchable import searchable_text
from packhorse.rerank.cross_encoder.registry import LOGITS, PROBABILITIES
from packhorse.rerank.scales import scaled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.protocols import CrossEncoder
    from packhorse.types.chunk import Chunk

__all__ = ["Judge", "Judged", "ModelJudge"]

_ENOUGH_TO_DIFFER = 3
"""Passages of which a model that works does not judge all the same; two may well be equal."""

_SCALES: Mapping[str, str] = {LOGITS: "logit", PROBABILITIES: "unit"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Probabilities for passages, or why there are none."""

    scores: tuple[float | None, ...] = ()
    """One for each passage, 0..1, six decimals; None for one that was not judged."""
    fallback: str = ""
    """Why nothing was judged; empty when something was."""


class Judge(Protocol):
    """Says how probably each passage answers a question."""

    model: str
    """What it is called; holds no key."""
    scale: str
    """What its numbers were declared as: `logits` or `probabilities`."""

    def chosen(self, chunks: Sequence[Chunk], rows: Sequence[int]) -> Sequence[int]:
        """The rows that are judged, of those that are offered, best first."""
        ...

    def judge(self, query: str, chunks: Sequence[Chunk]) -> Judged:
        """Judges all passages or none; never raises for an answer that is none."""
        ...


class ModelJudge:
    """Asks a cross-encoder. The same question about the same passages is asked once.

    Args:
        model: the cross-encoder.
        scale: `logits`, which a sigmoid makes probabilities of, or `probabilities`.
        top: how many passages are judged, the best of retrieval first.
    """

    def __init__(self, model: CrossEncoder, *, scale: str, top: int) -> None:
        self.model = model.name
        self.scale = scale
        self._cross_encoder = model
        self._top = top
        self._last: tuple[tuple[str, tuple[str, ...]], Judged] | None = None

    def chosen(self, chunks: Sequence[Chunk], rows: Sequence[int]) -> Sequence[int]:  # noqa: ARG002 - the recorded judge looks at them
        """The first `top`."""
        return rows[: self._top]

    def judge(self, query: str, chunks: Sequence[Chunk]) -> Judged:
        """Judges all passages or none."""
        asked = (query, tuple(searchable_text(chunk) for chunk in chunks))
        # A pipeline may run again with another budget; an endpoint could answer otherwise then.
        last = self._last
        if last is None or last[0] != asked:
            # Another thread may put another question here: what is returned is never read back.
            last = self._last = (asked, self._asked(*asked))
        return last[1]

    def _asked(self, query: str, texts: Sequence[str]) -> Judged:
        if not texts:
            return Judged()
        try:
            raw = [float(score) for score in self._cross_encoder.scores(query, texts)]
        except RerankError as exc:
            return Judged(fallback=exc.with_hint)
        except PackhorseError:
            raise  # a setting or a package is wanting, which asking again would not mend
        except Exception as exc:  # noqa: BLE001 - whatever a model of the caller's own raises
            return Judged(fallback=f"{self.model} raised {type(exc).__name__}: {exc}")
        scores, fault = self._probabilities(raw, len(texts))
        return Judged(fallback=fault) if fault else Judged(scores=scores)

    def _probabilities(self, raw: Sequence[float], n_texts: int) -> tuple[tuple[float, ...], str]:
        """Probabilities of what a model said, or what is wrong with it."""
        n_usable = sum(math.isfinite(score) for score in raw)
        if not len(raw) == n_usable == n_texts:
            return (), f"{self.model} gave {n_usable} usable scores for {n_texts} passages"
        try:
            found = scaled(raw, _SCALES[self.scale])
        except InputError:
            odd = next(score for score in raw if not 0.0 <= score <= 1.0)
            return (), (
                f"{self.model} gave {odd:g}, which is no probability (reranker.scale: logits?)"
            )
        # Raw: of logits that speak against all passages, each is a probability of 0.
        if n_texts >= _ENOUGH_TO_DIFFER and len(set(raw)) == 1:
            return (), f"{self.model} gave {raw[0]:g} to all {n_texts} passages"
        return tuple(found.relevance.tolist()), ""

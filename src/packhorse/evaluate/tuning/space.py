"""The settings that are tried: an axis for each, with the values beside the one it has.

An axis is only there where it can matter: no weight of trust for passages that nobody has rated,
no mix of channels without vectors. Retrieval settings that are shares, weights or switches are
found by their kind, so that a new one is tried without a word here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from packhorse.config import RetrievalConfig, Weights
from packhorse.profiles.settings import SETTINGS, flat_settings, profile_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packhorse.config import Profile
    from packhorse.evaluate.dataset import Dataset

__all__ = ["Axis", "Point", "axes_of", "changes", "profile_at"]

Point = tuple[tuple[str, Any], ...]
"""Settings that are not as in the base, (dotted key, value), sorted by key; () is the base."""

MIXES = (0.2, 0.35, 0.5, 0.65, 0.8)
"""Shares of words in relevance; the rest is direction."""
LAMBDAS = (0.7, 0.8, 0.9, 0.95, 1.0)
DEDUPLICATION = (0.0, -0.05, -0.1, -0.2)
DUPLICATES = (None, 0.4, 0.55, 0.7, 0.85)
WEIGHTS = (0.0, 0.1, 0.2, 0.35)
"""For trust, freshness and coverage."""
STRATEGIES = ("ranked", "density", "submodular")
"""`optimal` is left out: it takes a solver for every question and budget."""
MULTIPLES = (0.0, 0.5, 1.5, 2.0)
"""Of what a retrieval setting has."""
BESIDE_NOTHING = (0.1, 0.3)
"""For a retrieval setting that is 0."""

_MIXED = ("lexical_weight", "dense_weight")
_KINDS = {"share": 1.0, "non_negative_number": float("inf")}
"""Readers of retrieval settings that are multiplied, and the highest value that they take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One setting, or several that only make sense together."""

    name: str
    options: tuple[Point, ...]
    """Values to try in the place of the base's."""


def axes_of(base: Profile, dataset: Dataset, *, has_vectors: bool) -> tuple[Axis, ...]:
    """The axes that can matter for a dataset, with at least one option each."""
    found = [
        *_channels(base, has_vectors=has_vectors),
        *_weights(base, dataset),
        _axis("mmr_lambda", LAMBDAS, base.rerank.mmr_lambda) if has_vectors else None,
        _axis("dedup_threshold", DUPLICATES, base.rerank.dedup_threshold),
        _axis("strategy", STRATEGIES, base.pack.strategy),
        *_retrieval(base, dataset),
    ]
    return tuple(axis for axis in found if axis is not None and axis.options)


def profile_at(base: Profile, point: Point) -> Profile:
    """The base with the settings of a point."""
    flat = flat_settings(base)
    for key, value in point:
        name, _, below = key.partition(".")
        flat[name] = {**flat[name], below: value} if below else value
    return profile_of({key: _as_read(key, value) for key, value in flat.items()})


def _as_read(key: str, value: Any) -> Any:
    return SETTINGS[key].reader(value)


def _axis(key: str, values: tuple[Any, ...], now: Any) -> Axis:
    options = tuple(((key, value),) for value in values if value != now)
    return Axis(name=key, options=options)


def _channels(base: Profile, *, has_vectors: bool) -> Iterator[Axis]:
    if not has_vectors:
        return
    weights = base.retrieval.lexical_weight, base.retrieval.dense_weight
    now = round(weights[0] / sum(weights), 6)
    options = tuple(
        (("dense_weight", round(1 - share, 6)), ("lexical_weight", share))
        for share in MIXES
        if share != now
    )
    yield Axis(name="lexical_weight and dense_weight", options=options)


def _weights(base: Profile, dataset: Dataset) -> Iterator[Axis]:
    weights = base.rerank.weights
    passages = dataset.passages
    is_varied = {
        "trust": len({passage.trust_score for passage in passages}) > 1,
        "freshness": any(passage.timestamp for passage in passages),
        "coverage": any(each.required_topics for each in base.coverage.query_types),
    }
    for name in (field.name for field in fields(Weights)):
        if is_varied.get(name):
            yield _axis(f"weights.{name}", WEIGHTS, getattr(weights, name))
    yield _axis("weights.deduplication", DEDUPLICATION, weights.deduplication)


def _retrieval(base: Profile, dataset: Dataset) -> Iterator[Axis]:
    """Settings of retrieval that are no thresholds of the domain check and no limits."""
    has_history = any(question.history for question in dataset.questions)
    for field in fields(RetrievalConfig):
        key, now = field.name, getattr(base.retrieval, field.name)
        if key in _MIXED or "domain" in key or key not in SETTINGS:
            continue
        if isinstance(now, bool):
            if key != "rewrite_query" or has_history:
                yield Axis(name=key, options=(((key, not now),),))
            continue
        highest = _KINDS.get(SETTINGS[key].reader.__name__)
        if isinstance(now, float) and highest is not None:
            tried = [now * each for each in MULTIPLES] if now else BESIDE_NOTHING
            values = dict.fromkeys(round(min(highest, value), 6) for value in tried)
            yield _axis(key, tuple(values), now)


def changes(base: Profile, point: Point) -> Mapping[str, tuple[Any, Any]]:
    """Dotted key -> (value in the base, value at the point)."""
    flat = flat_settings(base)
    told: dict[str, tuple[Any, Any]] = {}
    for key, value in point:
        name, _, below = key.partition(".")
        told[key] = (flat[name][below] if below else flat[name], value)
    return told

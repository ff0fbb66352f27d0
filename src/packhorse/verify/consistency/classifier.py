"""A logistic regression over a few features of two statements, trained on labelled pairs.

The weights are in `data/classifier.json`, written by `bench/train_consistency.py` from public data
sets; the file says which, how many pairs, and what was measured.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from packhorse.verify.consistency.features import FEATURES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Classifier", "shipped_classifier"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Classifier:
    """Weights for the features, and the score from which a pair is a conflict."""

    intercept: float
    weights: tuple[float, ...]
    """One for each of `FEATURES`, in their order; features are not scaled."""
    threshold: float
    """Lowest score of a conflict, in log odds."""

    def score(self, features: Sequence[float]) -> float:
        """Log odds of a conflict, rounded to six decimals; higher is more likely."""
        products = (weight * value for weight, value in zip(self.weights, features, strict=True))
        return round(self.intercept + math.fsum(products), 6)

    def is_conflict(self, features: Sequence[float]) -> bool:
        """Whether the score reaches the threshold."""
        return self.score(features) >= self.threshold


@lru_cache(maxsize=1)
def shipped_classifier() -> Classifier:
    """The classifier in the package."""
    path = files("packhorse.verify.consistency") / "data" / "classifier.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    return Classifier(
        intercept=data["intercept"],
        weights=tuple(data["weights"][name] for name in FEATURES),
        threshold=data["threshold"],
    )

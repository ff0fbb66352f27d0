"""Coverage: what a chunk adds to the required topics that nothing chosen has covered yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from packhorse.text.topics import topic_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.types.arrays import FloatArray
    from packhorse.types.candidate import CandidatePool

__all__ = ["added_coverage", "topic_strengths"]


def topic_strengths(pool: CandidatePool, topics: Sequence[str]) -> FloatArray:
    """(n, t) float64: how strongly each candidate offers each required topic, 0..1.

    By its tags, or by its text where it has none; the strongest where it names a topic twice.
    Names are compared by `topic_key`. Six decimals, as a packet records them.
    """
    strengths = np.zeros((len(pool), len(topics)), dtype=np.float64)
    columns: dict[str, list[int]] = {}
    for column, topic in enumerate(topics):
        columns.setdefault(topic_key(topic), []).append(column)
    if columns:
        for row, chunk in enumerate(pool.chunks):
            for topic, strength in pool.topics_of(chunk):
                for column in columns.get(topic_key(topic), ()):
                    strengths[row, column] = max(strengths[row, column], strength)
    return np.round(strengths, 6)


def added_coverage(strengths: FloatArray, covered: FloatArray) -> FloatArray:
    """(n,) 0..1, six decimals: the share of all required topics that each row would add.

    Args:
        strengths: (n, t) strength of each row for each topic.
        covered: (t,) best strength among what is chosen.

    A topic half covered already can only be raised by the other half. 0 when nothing is required.
    """
    n_topics = covered.size
    if n_topics == 0:
        return np.zeros(strengths.shape[0], dtype=np.float64)
    added: FloatArray = np.maximum(strengths - covered, 0.0).sum(axis=1) / n_topics
    return np.round(added, 6)

"""Requests of a log, counted, and a bounded choice of them that no order of lines changes."""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packhorse.tokens.calibration import Parts

__all__ = ["MAX_SAMPLES", "Chosen", "Sample", "request_key"]

MAX_SAMPLES = 20_000
"""Samples of a model that a correction is made of at most."""

Key = tuple[int, int]
Days = tuple[str, str] | None
"""First and last day that the request was logged, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One request: what it is made of, what we count, what was reported."""

    key: int
    """Hash of the request, so that the same request is the same sample."""
    parts: Parts
    counted: int
    reported: int
    by_margin: Sequence[int] = ()
    """For an estimate: tokens with a margin of 0, 1, ... 100 per cent."""
    text: int = 0
    """For an estimate: tokens of the texts alone, without a margin."""
    form: str = ""
    days: Days = None
    place: tuple[int, int] = (0, 0)
    """0-based file and 1-based line; of a request sent again, its first ones."""

    @property
    def difference(self) -> int:
        """`reported - counted`: above 0 where the count is too low."""
        return self.reported - self.counted


class Chosen:
    """The samples of the smallest keys, each once: the same ones whatever the order of the log.

    A request that was sent again with the same outcome is one sample: retries say nothing new.
    """

    def __init__(self, limit: int = MAX_SAMPLES) -> None:
        self._limit = limit
        self._samples: dict[Key, Sample] = {}
        self._largest: list[tuple[int, int]] = []
        self.n_dropped = 0
        """Samples that were left out for the limit; those sent again count each time."""

    def add(self, sample: Sample) -> None:
        """Takes a sample, unless there are enough with smaller keys."""
        key = (sample.key, sample.reported)
        kept = self._samples.get(key)
        if kept is not None:
            self._samples[key] = _joined(kept, sample)
            return
        self._samples[key] = sample
        heapq.heappush(self._largest, (-key[0], -key[1]))
        if len(self._samples) > self._limit:
            largest = heapq.heappop(self._largest)
            del self._samples[-largest[0], -largest[1]]
            self.n_dropped += 1

    def samples(self) -> list[Sample]:
        """All of them, by key."""
        return [self._samples[key] for key in sorted(self._samples)]


def _joined(sample: Sample, again: Sample) -> Sample:
    """A request that was logged twice, as one sample; it does not matter which came first."""
    known = [days for days in (sample.days, again.days) if days is not None]
    days = (min(first for first, _ in known), max(last for _, last in known)) if known else None
    place, form = min((sample.place, sample.form), (again.place, again.form))
    return replace(sample, days=days, place=place, form=form)


def request_key(body: Mapping[str, Any]) -> int:
    """64 bits of a hash over the request; the order of its keys does not matter."""
    data = json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    digest = hashlib.blake2b(data.encode("ascii"), digest_size=8).digest()
    return int.from_bytes(digest)

"""Counts logged requests the way `packhorse count` does, and for an estimate with every margin."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.calibrated import parts_of
from packhorse.tokens.requests.count import request_counter
from packhorse.tokens.requests.turns import read_request
from packhorse.tokens.vocabularies.estimate import EstimateCounter
from packhorse.usage.fit import MAX_MARGIN
from packhorse.usage.sample import Sample, request_key

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import RequestCounter
    from packhorse.usage.log import LoggedRequest

__all__ = ["SampleCounter"]

PER_MILLE = 1000


class SampleCounter:
    """Counts requests for one model, offline and by its rules or template."""

    def __init__(self, spec: ModelSpec, *, every_margin: bool = True) -> None:
        """Prepares counting.

        Args:
            spec: the model; a calibration of it is applied.
            every_margin: whether samples of an estimate hold their count for every margin.
        """
        self.spec = spec
        counter: TokenCounter = counter_of(spec)
        self._pieces: _PieceCounter | None = None
        if every_margin and isinstance(counter, EstimateCounter):
            counter = self._pieces = _PieceCounter(counter, spec.margin)
        self._counter: RequestCounter = request_counter(spec, counter)

    def sample(self, logged: LoggedRequest, file: int) -> Sample:
        """The request as a sample.

        Raises:
            InputError: a part of it that cannot be counted.
        """
        if self._pieces is not None:
            self._pieces.pieces.clear()
        request = read_request(logged.body)
        counted = self._counter.count(request)
        by_margin: Sequence[int] = ()
        text = 0
        if self._pieces is not None:
            text = sum(count for _, count in self._pieces.pieces)
            by_margin = self._pieces.by_margin(counted.total_tokens)
        day = logged.day
        tokens = counted.total_tokens - counted.calibration
        return Sample(
            key=request_key(logged.body),
            parts=parts_of(request.turns, tools=len(request.tools), tokens=tokens),
            counted=counted.total_tokens,
            reported=logged.reported.tokens,
            by_margin=by_margin,
            text=text,
            form=logged.form,
            days=None if day is None else (day, day),
            place=(file, logged.line),
        )


class _PieceCounter:
    """An estimate that remembers every piece, so that other margins can be tried."""

    exact = False

    def __init__(self, estimate: EstimateCounter, margin: float) -> None:
        self.name = estimate.name
        self.library = estimate.library
        self.margin = margin
        self.pieces: list[tuple[str, int]] = []
        self._estimate = estimate
        self._own = round(margin * PER_MILLE)

    def count(self, text: str) -> int:
        """Estimated tokens of one text, margin included."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Estimated tokens of each text, in order, margin included."""
        split = self._estimate.piece_counts(texts)
        self.pieces += chain.from_iterable(split)
        return [sum(self._cost(piece, count, self._own) for piece, count in each) for each in split]

    def by_margin(self, total: int) -> Sequence[int]:
        """What a request of `total` tokens comes to with 0, 1, ... 100 per cent.

        Everything that is not a piece of text costs the same with every margin.
        """
        import numpy as np

        tokens = [0] * (MAX_MARGIN + 1)
        plain: Counter[int] = Counter()
        own = 0
        for (piece, count), times in Counter(self.pieces).items():
            own += times * self._cost(piece, count, self._own)
            bare = self._cost(piece, count, 0)
            # What is known of a tokenizer weighs most without a margin and least with the largest:
            # where both agree it does not depend on the margin at all.
            if self._cost(piece, count, 10 * MAX_MARGIN) == 2 * bare:
                plain[bare] += times
                continue
            for percent in range(MAX_MARGIN + 1):
                tokens[percent] += times * self._cost(piece, count, 10 * percent)
        values = np.fromiter(plain, dtype=np.int64, count=len(plain))
        weights = np.fromiter(plain.values(), dtype=np.int64, count=len(plain))
        factors = PER_MILLE + 10 * np.arange(MAX_MARGIN + 1, dtype=np.int64)
        scaled = -(-factors[:, None] * values[None, :] // PER_MILLE) @ weights
        return array("q", (scaled + np.asarray(tokens) + (total - own)).tolist())

    def _cost(self, piece: str, count: int, margin: int) -> int:
        return self._estimate.cost(piece, count, margin)

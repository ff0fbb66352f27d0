"""The samples that are kept do not depend on the order of the log, nor on retries."""

import random

from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.calibration import Parts
from packhorse.usage.sample import Chosen, Sample, request_key
from packhorse.usage.tally import MAX_WORST, Tally


def sample(key: int, reported: int = 5, *, line: int = 1, day: str | None = None) -> Sample:
    return Sample(
        key=key,
        parts=Parts(messages=1, tokens=5),
        counted=5,
        reported=reported,
        days=None if day is None else (day, day),
        place=(0, line),
    )


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 3)), max_size=60),
    st.integers(1, 20),
    st.randoms(use_true_random=False),
)
def test_the_smallest_keys_are_kept_once_in_any_order(
    rows: list[tuple[int, int]], limit: int, order: random.Random
) -> None:
    shuffled = list(rows)
    order.shuffle(shuffled)
    kept = Chosen(limit)
    for key, reported in shuffled:
        kept.add(sample(key, reported))
    found = [(each.key, each.reported) for each in kept.samples()]
    assert found == sorted(set(rows))[:limit]


def test_a_retry_widens_the_days_and_keeps_the_first_line() -> None:
    rows = [sample(1, line=9, day="2026-10-02"), sample(1, line=4), sample(1, day="2026-10-01")]
    for order in (rows, rows[::-1]):
        kept = Chosen()
        for each in order:
            kept.add(each)
        (only,) = kept.samples()
        assert only.days == ("2026-10-01", "2026-10-02")
        assert only.place == (0, 1)


def test_a_request_has_the_same_key_whatever_the_order_of_its_fields() -> None:
    assert request_key({"a": 1, "b": [{"c": 2, "d": "\ud800"}]}) == request_key(
        {"b": [{"d": "\ud800", "c": 2}], "a": 1}
    )
    assert request_key({"a": 1}) != request_key({"a": 2})


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=40))
def test_a_tally_equals_its_slow_self(rows: list[tuple[int, int]]) -> None:
    tally = Tally()
    for line, (reported, counted) in enumerate(rows, start=1):
        tally.add(reported, counted, 0, line)
    differences = [reported - counted for reported, counted in rows]
    assert tally.n == len(rows)
    assert tally.low == min(differences, default=0)
    assert tally.high == max(differences, default=0)
    assert tally.n_exact == differences.count(0)
    assert tally.n_under == sum(each > 0 for each in differences)
    assert tally.mean == (sum(differences) / len(rows) if rows else 0.0)
    worst = sorted(((-abs(each), line) for line, each in enumerate(differences, start=1) if each))
    assert [(-each.size, each.line) for each in tally.worst] == worst[:MAX_WORST]

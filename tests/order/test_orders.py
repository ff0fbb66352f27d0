"""Reading orders: permutations of what was packed, on the worked examples."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import UnknownStrategyError
from packhorse.order.registry import ORDERERS, orderer
from packhorse.types.chunk import Chunk
from tests.strategies import chunk_lists


def ranked(n: int) -> list[Chunk]:
    return [Chunk(chunk_id=str(k + 1), source_id="s", text="t") for k in range(n)]


def ids(name: str, chunks: list[Chunk]) -> list[str]:
    return [chunks[place].chunk_id for place in orderer(name).order(chunks)]


def test_homework_sandwich_is_1_4_5_8_2() -> None:
    packed = [Chunk(chunk_id=name, source_id="s", text="t") for name in "12458"]
    assert ids("sandwich", packed) == ["1", "4", "5", "8", "2"]


@pytest.mark.parametrize(
    ("name", "six"),
    [
        ("sandwich", "134562"),
        ("edges", "135642"),
        ("relevance", "123456"),
        ("reverse", "654321"),
    ],
)
def test_orders_of_six_by_rank(name: str, six: str) -> None:
    assert "".join(ids(name, ranked(6))) == six


def test_chronological_is_oldest_first_with_unknown_dates_last_and_ties_by_id() -> None:
    day = datetime(2025, 3, 1, tzinfo=UTC)
    dates = {
        "b": day,
        "z": None,
        "a": day.astimezone(timezone(timedelta(hours=5))),
        "new": day + timedelta(days=1),
        "c": None,
        "naive": datetime(2025, 2, 28),  # noqa: DTZ001 - a date without a zone is what is tested
    }
    chunks = [Chunk(chunk_id=k, source_id="s", text="t", timestamp=v) for k, v in dates.items()]
    assert ids("chronological", chunks) == ["naive", "a", "b", "new", "c", "z"]


def test_source_keeps_documents_together_by_their_best_rank() -> None:
    places = [("m", 4), ("k", 2), ("m", 1), ("a", 0), ("k", 1)]
    chunks = [
        Chunk(chunk_id=f"{source}{at}", source_id=source, text="t", position_in_source=at)
        for source, at in places
    ]
    assert ids("source", chunks) == ["m1", "m4", "k1", "k2", "a0"]


def test_unknown_order_lists_the_known_ones() -> None:
    with pytest.raises(UnknownStrategyError, match="'random'") as caught:
        orderer("random")
    assert caught.value.known == tuple(sorted(ORDERERS))


@pytest.mark.parametrize("name", sorted(ORDERERS))
def test_orderers_carry_the_name_they_are_known_by(name: str) -> None:
    assert orderer(name).name == name


@given(chunks=chunk_lists())
def test_every_order_is_a_permutation_and_leaves_its_input_alone(chunks: list[Chunk]) -> None:
    before = list(chunks)
    for name in sorted(ORDERERS):
        assert sorted(orderer(name).order(chunks)) == list(range(len(chunks))), name
        assert chunks == before, name


@pytest.mark.parametrize("name", ["sandwich", "edges"])
@given(n=st.integers(2, 40))
def test_best_is_first_and_second_best_last_for_odd_and_even(name: str, n: int) -> None:
    places = orderer(name).order(ranked(n))
    assert (places[0], places[-1]) == (0, 1)


@given(chunks=chunk_lists(min_size=2), data=st.data())
def test_order_inside_a_group_does_not_depend_on_rank(
    chunks: list[Chunk], data: st.DataObject
) -> None:
    best = chunks[0].source_id
    group = [chunk for chunk in chunks if chunk.source_id == best]
    shuffled = data.draw(st.permutations(group))
    for name in ("chronological", "source"):
        assert ids(name, group) == ids(name, shuffled), name

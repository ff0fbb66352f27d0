"""The smallest budget that keeps a skipped piece, against walking again at every budget."""

from hypothesis import given
from hypothesis import strategies as st

from packhorse.packing.would_fit import smallest_budgets
from tests.promises import promised


def kept_at(walk: list[int], budget: int) -> set[int]:
    """Places that skip-and-continue takes."""
    kept = set()
    for place, cost in enumerate(walk):
        if cost <= budget:
            budget -= cost
            kept.add(place)
    return kept


@promised
@given(walk=st.lists(st.integers(0, 40), max_size=14), budget=st.integers(0, 200), data=st.data())
def test_answers_are_those_of_trying_every_budget(
    walk: list[int], budget: int, data: st.DataObject
) -> None:
    skipped = sorted(set(range(len(walk))) - kept_at(walk, budget))
    asked = data.draw(st.sets(st.sampled_from(skipped))) if skipped else set()
    found = smallest_budgets(walk, asked, budget)
    assert found == {
        place: next(b for b in range(budget, sum(walk) + 1) if place in kept_at(walk, b))
        for place in asked
    }


def test_nothing_asked_is_nothing_found() -> None:
    assert smallest_budgets([3, 4], [], 5) == {}


def test_a_walk_in_too_many_stretches_is_given_up_where_that_happens() -> None:
    walk = [2**bit for bit in range(20, -1, -1)]
    found = smallest_budgets(walk, range(len(walk)), 0)
    assert 0 < len(found) < len(walk)
    assert list(found) == list(range(len(found)))
    assert found[0] == 2**20

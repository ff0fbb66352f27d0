"""Every question is held out once, whatever the order of the file."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from packhorse.evaluate.tuning.folds import folds_of


@given(
    st.lists(st.text(max_size=6), min_size=2, max_size=40, unique=True),
    st.integers(2, 6),
    st.integers(0, 3),
    st.randoms(use_true_random=False),
)
def test_folds_part_the_questions_evenly_in_any_order(
    ids: list[str], n_folds: int, seed: int, chance: st.DataObject
) -> None:
    folds = folds_of(ids, n_folds, seed)
    assert sorted(np.concatenate(folds).tolist()) == list(range(len(ids)))
    sizes = [fold.size for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    shuffled = list(ids)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]  # a random.Random
    again = folds_of(shuffled, n_folds, seed)
    assert [{ids[row] for row in fold} for fold in folds] == [
        {shuffled[row] for row in fold} for fold in again
    ]


def test_another_seed_deals_them_out_in_another_way() -> None:
    ids = [f"q{n}" for n in range(40)]
    one, two = (folds_of(ids, 5, seed)[0].tolist() for seed in (0, 1))
    assert one != two

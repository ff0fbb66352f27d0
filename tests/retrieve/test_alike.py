"""What is like relevant candidates gains, what is like others loses, what stands alone stays."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from packhorse.retrieve.alike import N_NEAREST, UNLIKE, Nearest, alike_part, nearest
from packhorse.types.arrays import FloatArray


def unit(n: int, seed: int, d: int = 6) -> FloatArray:
    """Vectors of length 1; small whole numbers, so that copies and ties are frequent."""
    made = np.random.default_rng(seed).integers(-1, 2, size=(n, d)).astype(np.float64)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    scaled: FloatArray = (made / np.where(lengths, lengths, 1.0)).astype(np.float32)
    return scaled


def nearest_by_hand(vectors: FloatArray, row: int) -> list[tuple[float, int]]:
    """(cosine, other row) of the nearest, best first, ties by row."""
    cosines = [
        (round(float(vectors[row].astype(float) @ vectors[other].astype(float)), 6), other)
        for other in range(len(vectors))
        if other != row
    ]
    return sorted(cosines, key=lambda each: (-each[0], each[1]))[:N_NEAREST]


def by_hand(vectors: FloatArray, own: list[float], weight: float) -> list[float]:
    parts = []
    for row, mine in enumerate(own):
        kernels = [
            (max(0.0, (cosine - UNLIKE) / (1 - UNLIKE)), own[other])
            for cosine, other in nearest_by_hand(vectors, row)
        ]
        said = mine + weight * sum(kernel * theirs for kernel, theirs in kernels)
        mixed = said / (1 + weight * sum(kernel for kernel, _ in kernels))
        parts.append(mixed - mine if mine > 0 else 0.0)
    return parts


@given(st.integers(1, 12), st.integers(0, 50), st.floats(0.05, 2), st.data())
def test_it_is_what_a_slow_reading_of_the_formula_gives(
    n: int, seed: int, weight: float, data: st.DataObject
) -> None:
    vectors = unit(n, seed)
    own = data.draw(st.lists(st.floats(0, 1.3), min_size=n, max_size=n))
    near = nearest(vectors)
    for row in range(n):
        expected = nearest_by_hand(vectors, row)
        found = zip(near.cosines[row].tolist(), near.rows[row].tolist(), strict=True)
        assert [each for each in found if each[0] > -1] == [
            each for each in expected if each[0] > -1
        ]
    part = alike_part(np.array(own), near, weight)
    np.testing.assert_allclose(part, by_hand(vectors, own, weight), atol=2e-6)
    lifted = np.array(own) + part
    assert (lifted >= min(own) - 1e-5).all()
    assert (lifted <= max(own) + 1e-5).all()


def test_a_chunk_among_relevant_ones_gains_and_one_beside_a_stranger_stays() -> None:
    vectors = np.array([[1, 0, 0], [1, 0, 0], [0.8, 0.6, 0], [0, 0, 1]], dtype=np.float32)
    part = alike_part(np.array([0.6, 0.6, 0.3, 0.9]), nearest(vectors), 0.2)
    assert part[2] > 0
    assert part[0] == part[1] < 0
    assert part[3] == 0


def test_copies_of_one_text_lift_nobody_above_the_best_of_them() -> None:
    vectors = np.tile(np.array([[1, 0]], dtype=np.float32), (8, 1))
    assert not alike_part(np.full(8, 0.4), nearest(vectors), 0.2).any()


def test_what_is_unscored_or_worth_nothing_neither_says_nor_gains_anything() -> None:
    vectors = np.tile(np.array([[1, 0]], dtype=np.float32), (3, 1))
    part = alike_part(np.array([math.nan, 0.5, 0.0]), nearest(vectors), 0.5)
    assert part[0] == part[2] == 0
    assert part[1] == round(0.5 / 1.5 - 0.5, 6)


def test_a_candidate_alone_has_nobody_beside_it() -> None:
    for n in (0, 1):
        near = nearest(unit(n, 0))
        assert near.rows.shape == (n, N_NEAREST)
        assert not alike_part(np.full(n, 0.5), near, 0.2).any()
    everyone = Nearest(rows=np.zeros((1, N_NEAREST), int), cosines=np.ones((1, N_NEAREST)))
    assert alike_part(np.array([0.5]), everyone, 0.0).tolist() == [0.0]

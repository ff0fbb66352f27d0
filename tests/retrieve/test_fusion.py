"""Channels are mixed on declared scales, so no unit of one of them decides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import RetrievalConfig
from packhorse.errors import ConfigError
from packhorse.retrieve.fusion import channel_shares, fused, lexical_share
from packhorse.types.arrays import FloatArray

LEXICAL = np.array([14.2, 9.8, 0.0])
DENSE = np.array([0.41, 0.79, 0.83])


def order(scores: FloatArray) -> list[int]:
    return sorted(range(len(scores)), key=lambda row: (-scores[row], row))


def test_case_13_unlike_scales_are_never_added() -> None:
    mixed = fused(lexical_share(LEXICAL, 20.0), DENSE, 0.1, 0.9)
    assert order(mixed)[0] != 0
    scaled = fused(lexical_share(LEXICAL * 1000, 20.0 * 1000), DENSE, 0.1, 0.9)
    assert scaled.tolist() == mixed.tolist()


@pytest.mark.parametrize(
    ("lexical", "dense"), [(-0.1, 1.0), (float("nan"), 1.0), (0.0, 0.0), (1.0, float("inf"))]
)
def test_case_13_unusable_weights_are_refused(lexical: float, dense: float) -> None:
    with pytest.raises(ConfigError, match="retrieval weights"):
        RetrievalConfig(lexical_weight=lexical, dense_weight=dense)


@given(
    st.lists(st.tuples(st.floats(0, 50), st.floats(-1, 1)), max_size=8),
    st.floats(0.001, 100),
    st.floats(0, 5),
    st.floats(0.01, 5),
)
def test_the_mean_is_between_zero_and_one_and_the_sum_of_its_shares(
    rows: list[tuple[float, float]], ideal: float, lexical: float, dense: float
) -> None:
    words = np.array([row[0] for row in rows])
    cosines = np.array([row[1] for row in rows])
    mixed = fused(lexical_share(words, ideal), cosines, lexical, dense)
    assert ((mixed >= 0) & (mixed <= 1 + 1e-12)).all()
    shares = channel_shares(lexical_share(words, ideal), cosines, lexical, dense)
    assert np.allclose(sum(shares), mixed, atol=1e-12)


def test_weights_say_a_share_and_not_an_amount() -> None:
    share = lexical_share(LEXICAL, 20.0)
    assert fused(share, DENSE, 1, 3).tolist() == fused(share, DENSE, 0.25, 0.75).tolist()


def test_without_a_dense_channel_the_lexical_one_stands_alone() -> None:
    alone = fused(lexical_share(LEXICAL, 20.0), None, 0.1, 0.9)
    assert alone == pytest.approx([0.71, 0.49, 0.0])


def test_a_query_that_could_reach_nothing_scores_nothing() -> None:
    assert lexical_share(LEXICAL, 0.0).tolist() == [0, 0, 0]

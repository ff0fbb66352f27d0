"""Relevance is a sum that can be read off its parts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import RetrievalConfig, shipped_relevance
from packhorse.errors import ConfigError
from packhorse.retrieve.relevance import Relevance, combined, length_part
from packhorse.types.arrays import FloatArray
from packhorse.types.candidate import CLIPPED, RELEVANCE_PARTS
from packhorse.types.chunk import Chunk

CONFIG = RetrievalConfig()


def of(
    *rows: tuple[float, float, float, float, float],
    alike: float = 0.0,
    config: RetrievalConfig = CONFIG,
    has_dense: bool = True,
) -> Relevance:
    lexical, dense, named, mention, length = np.array(rows, dtype=np.float64).T
    return combined(
        lexical,
        dense if has_dense else None,
        named=named,
        mention=mention,
        length=length,
        alike=np.full(len(length), alike),
        config=config,
    )


SHARE = st.floats(0, 1)


@given(
    st.lists(
        st.tuples(SHARE, st.floats(-1, 1), SHARE, SHARE, st.floats(-1, 1)), min_size=1, max_size=6
    ),
    st.floats(0.01, 5),
    st.booleans(),
)
def test_the_parts_add_up_to_the_relevance(
    rows: list[tuple[float, float, float, float, float]], weight: float, has_dense: bool
) -> None:
    config = RetrievalConfig(lexical_weight=weight)
    found = of(*rows, config=config, has_dense=has_dense)
    assert set(found.parts) == {*RELEVANCE_PARTS, CLIPPED}
    sums = sum(np.rint(part * 1e6) for part in found.parts.values())
    assert np.rint(found.values * 1e6).tolist() == np.asarray(sums).tolist()
    assert ((found.values >= 0) & (found.values <= 1)).all()


def test_only_what_leaves_the_scale_is_cut() -> None:
    found = of((0.5, 0.5, 0.2, 0.0, 0.0), (1.0, 1.0, 0.2, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, -0.1))
    assert found.values.tolist() == [0.7, 1.0, 0.0]
    assert found.parts[CLIPPED].tolist() == [0.0, -0.2, 0.1]


def test_without_names_mentions_and_length_it_is_the_mean_of_words_and_meaning() -> None:
    found = of((0.25, 0.75, 0, 0, 0), (0.1, 0.333, 0, 0, 0))
    assert found.values.tolist() == [0.5, 0.2165]
    assert found.parts["lexical"].tolist() == [0.125, 0.05]


def test_a_row_without_a_finite_score_has_no_parts() -> None:
    found = of((math.nan, 0.5, 0.1, 0, 0), (0.5, 0.5, 0, 0, 0))
    assert np.isnan(found.values).tolist() == [True, False]
    assert all(np.isnan(part[0]) and np.isfinite(part[1]) for part in found.parts.values())


def sized(*sizes: int) -> list[Chunk]:
    return [Chunk(chunk_id=f"c{n}", source_id="s", text="x" * size) for n, size in enumerate(sizes)]


def lengths(sizes: tuple[int, ...], found: list[bool], weight: float = 0.025) -> FloatArray:
    return length_part(sized(*sizes), np.array(found), weight)


def test_a_long_chunk_loses_and_a_short_one_gains_at_most_the_weight() -> None:
    part = lengths((100, 200, 300, 9_000, 1), [True, True, True, False, False])
    assert part[1] == 0
    assert part[0] == pytest.approx(0.025 * math.log(2))
    assert part[2] == pytest.approx(-0.025 * math.log(1.5))
    assert part[3:].tolist() == [-0.025, 0.025]


def test_length_counts_beside_what_the_search_found_alone() -> None:
    few, more = (lengths(sizes, [True, True, *rest]) for sizes, rest in
                 (((100, 200), []), ((100, 200, 5_000), [False])))  # fmt: skip
    assert few.tolist() == more[:2].tolist()
    assert lengths((100, 200), [False, False]).tolist() == [0, 0]
    assert lengths((100, 200), [True, True], weight=0.0).tolist() == [0, 0]


def test_an_empty_text_is_as_short_as_any() -> None:
    chunks = [Chunk(chunk_id="a", source_id="s", text=""), *sized(300)]
    assert length_part(chunks, np.array([True, True]), 0.025)[0] == 0.025


@pytest.mark.parametrize(
    "settings",
    [{"named_weight": -0.1}, {"mention_weight": math.nan}, {"length_weight": math.inf},
     {"unnamed_share": 1.1}, {"mention_limit": -0.1}],
)  # fmt: skip
def test_weights_that_cannot_be_used_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(settings))):
        RetrievalConfig(**settings)  # type: ignore[arg-type]  # one key at a time


def test_the_defaults_are_the_weights_in_the_package() -> None:
    assert {name: getattr(RetrievalConfig(), name) for name in shipped_relevance()} == dict(
        shipped_relevance()
    )
    assert RetrievalConfig(named_weight=0.5).named_weight == 0.5

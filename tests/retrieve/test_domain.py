"""A question is inside when something that was found is close to it."""

import numpy as np
import pytest

from packhorse.config import RetrievalConfig
from packhorse.retrieve.domain import domain_of
from packhorse.types.query import TypeReason

CONFIG = RetrievalConfig(min_domain_closeness=0.3, min_domain_share=0.2, sure_domain_cosine=0.55)


@pytest.mark.parametrize(
    ("shares", "cosines", "is_inside"),
    [
        ([0.6, 0.0], [0.0, 0.1], True),
        ([0.0, 0.0], [0.6, 0.1], True),
        ([0.3, 0.1], [0.3, 0.2], True),
        ([0.5, 0.0], [0.0, 0.5], False),
        ([0.0, 0.0], [0.55, 0.1], True),
        ([0.0, 0.0], [0.54, 0.1], False),
        ([np.nan, 0.0], [0.9, 0.1], False),
        ([0.2, 0.0], None, True),
        ([0.19, 0.1], None, False),
    ],
)
def test_one_chunk_has_to_be_close_by_words_and_direction_together(
    shares: list[float], cosines: list[float] | None, is_inside: bool
) -> None:
    found = np.array([True, True])
    directions = None if cosines is None else np.array(cosines)
    assert domain_of(np.array(shares), directions, found, CONFIG).is_inside is is_inside


def test_what_was_not_found_says_nothing_of_the_question() -> None:
    shares, found = np.array([1.0, 0.1]), np.array([False, True])
    told = domain_of(shares, np.array([1.0, 0.2]), found, CONFIG)
    assert not told.is_inside
    assert told.evidence == (
        ("closeness", 0.15),
        ("lexical_share", 0.1),
        ("max_similarity", 0.2),
        ("min_domain_closeness", 0.3),
    )


def test_a_sure_cosine_is_said_where_it_decides() -> None:
    found = np.array([True])
    told = domain_of(np.array([0.0]), np.array([0.58]), found, CONFIG)
    assert told.is_inside
    assert told.evidence[-2:] == (("min_domain_closeness", 0.3), ("sure_domain_cosine", 0.55))
    told = domain_of(np.array([0.5]), np.array([0.58]), found, CONFIG)
    assert told.evidence[-1] == ("min_domain_closeness", 0.3)


def test_nothing_found_is_outside() -> None:
    nothing = np.zeros(0)
    told = domain_of(nothing, None, nothing.astype(bool), CONFIG)
    assert (told.is_inside, dict(told.evidence)["lexical_share"]) == (False, 0.0)


@pytest.mark.parametrize(
    ("by", "share", "is_inside"),
    [
        ("example", 0.01, True),
        ("example", 0.0, False),
        ("keywords", 0.01, False),
    ],
)
def test_a_question_like_an_example_is_inside_when_anything_was_found(
    by: str, share: float, is_inside: bool
) -> None:
    asked = TypeReason(by=by, example="What does a visa cost?", similarity=0.8)
    shares, found = np.array([share]), np.array([True])
    for directions in (None, np.array([share])):
        told = domain_of(shares, directions, found, CONFIG, asked)
        assert told.is_inside is is_inside
        assert (("example", 0.8) in told.evidence) is (by == "example")
        assert list(told.evidence) == sorted(told.evidence)

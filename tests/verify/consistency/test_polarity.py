"""Opposites go both ways, and no word is its own."""

from packhorse.text.negation import NEGATIONS
from packhorse.verify.consistency.antonyms import OPPOSITES, are_opposite


def test_opposites_are_symmetric_and_never_reflexive() -> None:
    for word, others in OPPOSITES.items():
        assert word not in others
        assert all(are_opposite(other, word) for other in others)


def test_words_without_an_opposite_have_none() -> None:
    assert not are_opposite("table", "chair")
    assert are_opposite("allow", "prohibit")


def test_negations_are_search_terms() -> None:
    assert {"not", "cannot", "isn't", "without"} <= NEGATIONS

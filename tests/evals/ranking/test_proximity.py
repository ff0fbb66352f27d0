"""Phrases and nearness by hand, over passages of a few words."""

import numpy as np

from evals.ranking.lexical import Lexicon
from evals.ranking.proximity import SIGNALS, Proximity
from packhorse.kb.bm25 import K1

PASSAGES = (
    ("boundari", "layer", "of", "air"),
    ("layer", "of", "the", "boundari"),
    ("layer", *["x"] * 9, "boundari"),
    ("air",),
    ("y",),
)
ASKED = ("boundari", "layer")


def signals(asked: tuple[str, ...] = ASKED) -> dict[str, list[float]]:
    found = Proximity(PASSAGES, Lexicon(PASSAGES)).signals(asked, range(len(PASSAGES)))
    return {name: values.tolist() for name, values in found.items()}


def test_a_phrase_counts_in_its_order_alone() -> None:
    found = signals()
    norm = K1 * (1 - 0.75 + 0.75 * 4 / (21 / 5))
    assert np.allclose(found["phrase"], [1 / (1 + norm), 0, 0, 0, 0])
    assert found["phrase_min"] == found["phrase"]


def test_a_window_takes_any_order_and_ends_after_eight_places() -> None:
    window, pairs = signals()["window"], signals()["pairs"]
    assert window[0] == window[1] > 0 == window[2]
    assert pairs[0] > pairs[1] > 0 == pairs[2]


def test_the_shortest_and_the_best_stretch() -> None:
    found = signals()
    assert np.allclose(found["span"], [1, 2 / 4, 2 / 11, 0, 0])
    assert np.allclose(found["stretch"], [1, 1, 1, 0, 0])


def test_one_word_has_no_neighbours() -> None:
    found = signals(("air",))
    assert {name for name in SIGNALS if any(found[name])} == {"stretch"}

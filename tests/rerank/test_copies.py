"""The relation between all texts says what the walk over some of them finds."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from packhorse.rerank.copies import copies_among
from packhorse.rerank.duplicates import duplicates
from tests.strategies import texts

SENTENCES = st.lists(
    st.sampled_from(
        [
            "the",
            "rule",
            "is",
            "$5",
            "$6",
            "per",
            "square",
            "foot",
            "and",
            "not",
            "in",
            "2023",
            "2024",
            "limits",
        ]
    ),
    max_size=14,
).map(" ".join)


@given(
    st.lists(st.one_of(SENTENCES, SENTENCES, texts(4)), max_size=12),
    st.sampled_from((0.2, 0.55, 0.9, 1.0)),
    st.integers(0, 3),
    st.data(),
)
def test_any_walk_drops_what_the_search_for_duplicates_drops(
    passages: list[str], threshold: float, n_required: int, data: st.DataObject
) -> None:
    walk = data.draw(st.permutations(range(len(passages))))
    walk = walk[: data.draw(st.integers(0, len(walk)))]
    required = min(n_required, len(walk))
    found = copies_among(passages, threshold).duplicates(walk, n_required=required)
    expected = duplicates([passages[row] for row in walk], threshold, n_required=required)
    assert found == expected


def test_overlap_is_the_share_of_the_text_that_goes() -> None:
    short, long = "one two three four five", "one two three four five six seven eight nine ten"
    copies = copies_among([short, long], 0.4)
    assert copies.given_by == {0: {1: 1.0}}


def test_letters_of_one_form_take_space_for_texts_and_not_for_pairs() -> None:
    form = " ".join(f"word{place}" for place in range(80))
    letters = [f"{form} " + " ".join(f"{k}of{number}" for k in range(9)) for number in range(400)]
    copies_among(letters, 0.95)
    tracemalloc.start()
    copies = copies_among(letters, 0.95)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert copies.given_by == {}
    # 400 letters have 80,000 pairs, and each pair shares 78 triples.
    assert peak < 80_000 * 78

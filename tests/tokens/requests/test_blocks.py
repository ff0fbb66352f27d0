"""Pieces of a message become one turn, and none of them is lost on the way."""

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.requests.blocks import joined
from packhorse.tokens.requests.images import Image
from packhorse.tokens.requests.request import Refusal, Turn

PIECES = st.builds(
    Turn,
    role=st.just(""),
    texts=st.lists(st.text(max_size=2), max_size=2).map(tuple),
    thoughts=st.lists(st.text(max_size=2), max_size=2).map(tuple),
    images=st.lists(
        st.builds(Image, data=st.none(), detail=st.text(max_size=2), where=st.text(max_size=2)),
        max_size=2,
    ).map(tuple),
    n_calls=st.integers(0, 3),
    sealed=st.integers(0, 9),
    estimated=st.lists(st.sampled_from("ab"), unique=True).map(tuple),
    refused=st.lists(
        st.builds(Refusal, where=st.text(max_size=2), what=st.text(max_size=2), hint=st.just("")),
        max_size=2,
    ).map(tuple),
)
OWN = {"role", "name", "message"}
"""Fields that belong to the message and not to its pieces."""


@given(pieces=st.lists(PIECES, max_size=4))
def test_a_turn_is_the_sum_of_its_pieces(pieces: list[Turn]) -> None:
    turn = joined("user", pieces, name="al")
    assert (turn.role, turn.name) == ("user", "al")
    assert joined("user", [joined("", pieces)], name="al") == turn
    for field in fields(Turn):
        values = [getattr(each, field.name) for each in pieces]
        if field.name in OWN:
            continue
        if field.name in {"n_calls", "sealed"}:
            assert getattr(turn, field.name) == sum(values)
        elif field.name == "estimated":
            assert set(turn.estimated) == {name for value in values for name in value}
            assert len(turn.estimated) == len(set(turn.estimated))
        else:
            assert getattr(turn, field.name) == tuple(part for value in values for part in value)

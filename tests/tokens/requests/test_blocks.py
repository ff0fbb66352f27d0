"""Pieces of a message become one turn, and none of them is lost on the way."""

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.requests.blocks import joined, returned_piece
from packhorse.tokens.requests.images import Image
from packhorse.tokens.requests.request import Refusal, Turn

SAID = st.builds(
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
PIECES = st.one_of(SAID, SAID.map(lambda said: returned_piece([said])))
OWN = {"role", "name", "message"}
"""Fields that belong to the message and not to its pieces."""


@given(said=SAID)
def test_all_that_a_tool_gave_back_is_marked_as_such(said: Turn) -> None:
    piece = returned_piece([said, said])
    assert piece.texts == said.texts * 2
    assert (piece.n_returned_texts, piece.n_returned_images) == (
        len(piece.texts),
        len(piece.images),
    )


@given(pieces=st.lists(PIECES, max_size=4))
def test_a_turn_is_the_sum_of_its_pieces(pieces: list[Turn]) -> None:
    turn = joined("user", pieces, name="al")
    assert (turn.role, turn.name) == ("user", "al")
    assert joined("user", [joined("", pieces)], name="al") == turn
    for field in fields(Turn):
        values = [getattr(each, field.name) for each in pieces]
        if field.name in OWN:
            continue
        if field.name in {"n_calls", "sealed", "n_returned_texts", "n_returned_images"}:
            assert getattr(turn, field.name) == sum(values)
        elif field.name in {"texts", "images"}:
            n_returned = [getattr(each, f"n_returned_{field.name}") for each in pieces]
            pairs = list(zip(values, n_returned, strict=True))
            returned = [part for value, n in pairs for part in value[:n]]
            own = [part for value, n in pairs for part in value[n:]]
            assert getattr(turn, field.name) == (*returned, *own)
        elif field.name == "estimated":
            assert set(turn.estimated) == {name for value in values for name in value}
            assert len(turn.estimated) == len(set(turn.estimated))
        else:
            assert getattr(turn, field.name) == tuple(part for value in values for part in value)

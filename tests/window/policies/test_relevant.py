"""What belongs to the user's last word stays, and every score can be read."""

from __future__ import annotations

import math
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from packhorse.testing.history_policy import pieces_of
from packhorse.window.messages import fit_messages
from packhorse.window.policies.policy import Choice
from packhorse.window.policies.relevant import RelevantPieces
from packhorse.window.relevance import NEW_VALUES, relevances, values_in
from packhorse.window.speakers import talk_of


def crowd(*said: str) -> list[dict[str, Any]]:
    """Messages written as `name| text`; without a name it is a notice."""
    pairs = [line.split("| ", 1) for line in said]
    return [
        {"role": "user", "content": text, **({"name": name} if name else {})}
        for name, text in pairs
    ]


def kept(messages: list[dict[str, Any]], n_pieces: int) -> list[int]:
    """Places that stay in a room of `n_pieces` equal pieces; the last message is the question."""
    last = len(messages) - 1
    pieces = pieces_of(messages, (10,) * len(messages), frozenset([last]))
    out = RelevantPieces().leave_out(pieces, 10 * n_pieces)
    return [at for at in range(last) if at not in out]


def test_in_a_crowd_the_asker_and_those_who_talk_with_her_stay() -> None:
    talk = crowd(
        "ann| my printer jams",
        "bob| ann: which model is it?",
        "cyd| dan: did you boot from the disk?",
        "| === eve has joined #help",
        "dan| cyd: it hangs",
        "cyd| dan: wait for it",
        "ann| bob: an lp100",
    )
    assert kept(talk, 2) == [0, 1]


def test_a_rare_word_brings_an_old_answer_back() -> None:
    talk = [
        {"role": "user", "content": "the boiler shows an error"},
        {"role": "assistant", "content": "press the reset key of the boiler"},
        *(
            {"role": ("user", "assistant")[at % 2], "content": f"so much for the {word}"}
            for at, word in enumerate(("roof", "roof", "garden", "garden"))
        ),
        {"role": "user", "content": "how was the boiler restarted?"},
    ]
    assert kept(talk, 3)[:1] == [0]


def test_between_two_sides_values_count_once() -> None:
    talk = [
        {"role": "user", "content": "a table for 4 on Friday"},
        {"role": "assistant", "content": "so 4 on Friday, fine"},
        {"role": "user", "content": "it is near Soho"},
        {"role": "assistant", "content": "that sounds nice"},
        {"role": "user", "content": "is it booked?"},
    ]
    assert kept(talk, 2) == [0, 2]


def test_values_are_numbers_and_names() -> None:
    said = "We leave at 10:30 am for San Diego. The bus is B-12, not 7."
    assert values_in(said) == {"10:30", "san", "diego", "b-12", "7"}


def test_labels_in_front_of_texts_are_speakers() -> None:
    lines = ("<ann> hi", "<bob> ann: hello", "<cyd> bob: stop", "<ann> bob: why?")
    talk = talk_of(
        pieces_of(
            [{"role": "user", "content": x} for x in lines], (1,) * 4, frozenset()
        ).conversation
    )
    assert [(each.speaker, each.to) for each in talk.said] == [
        ("ann", ""),
        ("bob", "ann"),
        ("cyd", "bob"),
        ("ann", "bob"),
    ]
    assert talk.said[1].text == "ann: hello"
    assert talk.is_crowd


def test_a_colon_after_a_word_makes_no_speaker() -> None:
    lines = ("note: be brief", "question: what is it?")
    talk = talk_of(
        pieces_of(
            [{"role": "user", "content": x} for x in lines], (1,) * 2, frozenset()
        ).conversation
    )
    assert [each.speaker for each in talk.said] == ["user", "user"]
    assert not talk.is_crowd


def test_every_message_says_its_score_and_what_made_it() -> None:
    talk = [
        {"role": ("user", "assistant")[at % 2], "content": f"word {at} " * 9} for at in range(21)
    ]
    fitted = fit_messages(talk, max_tokens=200, policy="relevant")
    scored = [each for each in fitted.decisions if "score" in each.reason]
    assert {each.reason_code for each in scored} == {"relevant", "exceeded_remaining_budget"}
    assert len(scored) == 20
    for each in scored:
        told = re.search(r"score (-?[\d.]+) = (.*)", each.reason)
        assert told is not None
        parts = [float(part) for part in re.findall(r"[+-]\d+\.\d\d(?= |$)", told.group(2))]
        assert math.isclose(sum(parts), float(told.group(1)), abs_tol=0.05)


TEXTS = st.sampled_from(
    ("", "ok", "the 4 of May in Rome", "ann: see 10:30", "Rome or Oslo? 7", "12")
)


@given(
    said=st.lists(st.tuples(TEXTS, st.integers(0, 30), st.sampled_from(("", "ann", "bob", "cyd")))),
    room=st.integers(0, 120),
)
def test_the_choice_is_that_of_a_plain_greedy_walk(
    said: list[tuple[str, int, str]], room: int
) -> None:
    asking = ("what of Rome?", 0, "ann")
    messages = crowd(*(f"{name}| {text}" for text, _, name in [*said, asking]))
    costs = tuple(cost for _, cost, _ in [*said, asking])
    pieces = pieces_of(messages, costs, frozenset([len(said)]))
    out = RelevantPieces().leave_out(pieces, room)
    if sum(costs) <= room:
        assert not out
        return
    assert isinstance(out, Choice)
    talk = talk_of(pieces.conversation)
    scores = [each.score for each in relevances(talk, len(said), costs)]
    values = [set() if talk.is_crowd else set(values_in(each.text)) for each in talk.said]
    held, stays, waiting, left = set(values[-1]), [], set(range(len(said))), room
    while waiting:
        best = max(
            waiting,
            key=lambda at: (
                round(scores[at] + NEW_VALUES * math.log1p(len(values[at] - held)), 6),
                at,
            ),
        )
        waiting.remove(best)
        if costs[best] <= left:
            left -= costs[best]
            held |= values[best]
            stays.append(best)
    assert list(out.kept) == stays
    assert set(out) == set(range(len(said))) - set(stays)

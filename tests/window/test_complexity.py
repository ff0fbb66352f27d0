"""How complex a question is, and that points trained on some questions hold for others."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.window.complexity import DATA, LEVELS, level_of, query_complexity
from packhorse.window.cues import CUES, found_cues, read_question
from tests.strategies import texts
from tools.train_complexity import area_under_curve, cross_tested, main, rows_of

DOUBLE = "Who is older, the director of Jaws or the director of Alien?"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is it tea or coffee?", "offers a choice: 'or'"),
        ("Do both share a border?", "compares: 'both', 'share'"),
        ("Which river is it?", "asks for one of a kind: 'which'"),
        ("the man who left", "describes by a clause: 'who'"),
        ("the firm founded then", "describes by what was done: 'founded'"),
        ("her grandmother", "names a family relation: 'grandmother'"),
        ("its directors", "names a role: 'directors'"),
        ("the song", "names a kind of work: 'song'"),
        ("the director of it", "goes over a relation: 'director of'"),
        ("Ann's older brother", "goes over a relation: 'ann's brother'"),
        ("the end of the start of it", "goes over a relation: 'of ... of'"),
        ("Ann\u2019s house", "asks for something of something: 'ann\u2019s'"),
        ("it is in there", "links things: 'in'"),
        ("this and that", "joins things: 'and'"),
        ('the word "so" here', "sets things off: '\"so\"'"),
        ("what is Rome to Athens", "names more than one thing: 'Athens'"),
    ],
)
def test_each_cue_is_found_and_said_with_its_words(question: str, said: str) -> None:
    assert said in query_complexity(question).reasons


@pytest.mark.parametrize(
    "question",
    ["who wrote hamlet", "Where did he go?", "In which year was it?", "When did it end?", "", "?!"],
)
def test_the_word_that_opens_a_question_is_no_clause(question: str) -> None:
    told = query_complexity(question)
    assert told.level == "simple"
    assert "clauses" not in {cue.name for cue in told.cues}


def test_a_question_that_takes_two_steps_is_complex_with_its_reasons_first() -> None:
    told = query_complexity(DOUBLE)
    assert told.level == "complex"
    assert told.reasons[0] == "goes over a relation: 'of ... of', 'director of'"
    assert [cue.points for cue in told.cues] == sorted(
        (cue.points for cue in told.cues), reverse=True
    )


def test_without_capitals_a_question_loses_nothing_but_its_names() -> None:
    written = {cue.name: cue.count for cue in query_complexity(DOUBLE).cues}
    lower = {cue.name: cue.count for cue in query_complexity(DOUBLE.lower()).cues}
    assert written.pop("names") == 1
    assert lower == written


@given(texts(), st.sampled_from([" or", " than", " and", " whose", " of", " film", " mother"]))
def test_another_cue_never_makes_a_question_simpler(text: str, more: str) -> None:
    told, longer = query_complexity(text), query_complexity(text + more)
    assert 0.0 <= told.score <= longer.score <= 1.0
    assert told.level == level_of(told.score)
    assert all(cue.points > 0 and cue.count <= CUES[cue.name].most for cue in longer.cues)


def test_what_is_found_cannot_drive_a_terminal() -> None:
    told = query_complexity('say "\x1b[2J" and more')
    assert told.reasons
    assert "\x1b" not in "".join(told.reasons)


def test_levels_begin_at_zero_and_their_bounds_belong_to_the_higher_one() -> None:
    assert [level_of(start) for start in LEVELS.values()] == list(LEVELS)


def test_every_cue_has_points_of_zero_or_more() -> None:
    points = json.loads(DATA.read_text("utf-8"))["points"]
    assert list(points) == list(CUES)
    assert min(points.values()) >= 0


def test_the_area_is_the_share_of_pairs_in_order_and_a_tie_is_half() -> None:
    many, one = [3.0, 1.0, 2.0], [2.0, 0.0]
    pairs = [(a > b) + 0.5 * (a == b) for a in many for b in one]
    import numpy as np

    assert area_under_curve(np.array(many), np.array(one)) == sum(pairs) / len(pairs)


def test_points_trained_on_two_sets_tell_two_other_sets_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = os.environ.get("PACKHORSE_EVAL_DATA")
    if data is None:
        pytest.skip("PACKHORSE_EVAL_DATA names no folder with the question sets")
    sets = {
        name: [
            json.loads(line)["query"]
            for line in (Path(data) / name / "queries.jsonl").read_text("utf-8").splitlines()
        ]
        for name in ("hotpotqa", "2wiki", "nq", "squad")
    }
    found = cross_tested(
        {name: rows_of(own) for name, own in sets.items()},
        {name: rows_of([question.lower() for question in own]) for name, own in sets.items()},
    )
    assert len(found) == 4
    assert min(written for *_, written, _ in found) >= 0.92
    assert min(lower for *_, lower in found) >= 0.90
    assert main([data, "--check"]) == 0, "the shipped points are not those of the data"
    assert "mean" in capsys.readouterr().out


def test_only_the_start_of_a_long_text_is_read() -> None:
    assert not found_cues(read_question("x" * 4000 + " or whose film"))

"""Examples within their room: like the question, unlike each other, and no twin of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packhorse
from packhorse.errors import ConfigError, InputError, InvalidBudgetError
from packhorse.testing.embedder import WordEmbedder
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.count import count_request
from packhorse.window.few_shot.block import examples_block, without_block
from packhorse.window.few_shot.choose import ORDERS, ExamplePool
from packhorse.window.few_shot.examples import Example, read_examples
from packhorse.window.few_shot.pool import FORMS, choose_examples
from packhorse.window.few_shot.similarity import by_words, is_twin
from tests.promises import seldom
from tests.strategies import texts

POOL: list[dict[str, Any]] = [
    {"id": "late", "input": "My parcel is late. Where is it?", "output": "shipping", "label": "s"},
    {"id": "lost", "input": "My parcel was lost.", "output": "shipping", "label": "s"},
    {"id": "money", "input": "I want my money back.", "output": "refund", "label": "r"},
    {"id": "card", "input": "My card was charged twice.", "output": "billing", "label": "b"},
    {"id": "hello", "input": "Good morning to you.", "output": "other", "label": "o"},
]
QUESTION = "Where is my parcel now?"


def of_costs(costs: list[int], question: str = "") -> ExamplePool:
    examples = tuple(
        Example(example_id=f"e{at}", input=f"input number {at}", output=f"output {at}")
        for at in range(len(costs))
    )
    by_id = {each.example_id: cost for each, cost in zip(examples, costs, strict=True)}
    return ExamplePool(
        examples=examples,
        question=question,
        likeness=by_words([each.input for each in examples], question),
        costs=tuple(costs),
        whole=lambda some: sum(by_id[each.example_id] for each in some),
        order="given",
    )


def test_case_48_an_example_that_does_not_fit_is_passed_over_and_listed() -> None:
    chosen = of_costs([40, 50, 30, 5]).choose(100)
    assert chosen.kept == ("e0", "e1", "e3")
    assert chosen.tokens == 95
    assert chosen.left_out["e2"].code == "exceeded_remaining_budget"
    assert chosen.left_out["e2"].detail.startswith("needed 30, had 10")


def test_the_most_alike_comes_last_and_labels_take_turns() -> None:
    chosen = choose_examples(POOL, QUESTION, 1000)
    assert chosen.kept[-1] == "late"
    assert set(chosen.kept) == {each["id"] for each in POOL}
    four = choose_examples(POOL, QUESTION, 1000, max_examples=4)
    assert "lost" not in four.kept
    assert four.left_out["lost"].code == "over_the_number_asked_for"
    unbalanced = choose_examples(POOL, QUESTION, 1000, max_examples=2, balance=False)
    assert unbalanced.kept == ("lost", "late")
    assert choose_examples(POOL, QUESTION, 1000, order="similar_first").kept[0] == "late"
    assert choose_examples(POOL, QUESTION, 1000, order="given").kept == tuple(
        each["id"] for each in POOL
    )
    assert chosen.because["late"].detail.startswith("choice 1: score 0.")
    assert "label s for the 1. time" in chosen.because["late"].detail


@pytest.mark.parametrize(
    "twin",
    [
        "Where is my parcel now?",
        "where is my  PARCEL now",
        "Where is my parcel now, please tell me, I have waited for ten days for it to arrive?",
    ],
)
def test_the_question_and_its_twins_are_no_examples(twin: str) -> None:
    question = twin if "ten days" not in twin else twin.replace("ten", "9", 1)
    pool = [*POOL, {"id": "twin", "input": twin, "output": "shipping"}]
    chosen = choose_examples(pool, QUESTION if "ten days" not in twin else question, 1000)
    assert chosen.left_out["twin"].code == "twin_of_the_question"


def test_an_example_that_says_the_same_again_is_a_duplicate() -> None:
    again = {**POOL[0], "id": "again", "input": "my parcel is LATE, where is it"}
    other = {**POOL[0], "id": "other", "output": "a person will call you"}
    chosen = choose_examples([*POOL, again, other], QUESTION, 1000)
    assert chosen.left_out["again"].code == "duplicate"
    assert chosen.left_out["again"].detail.startswith("of late")
    assert "other" in chosen.kept


def test_diversity_prefers_what_is_unlike_the_first() -> None:
    pool = [
        {"id": "a", "input": "parcel late parcel", "output": "1"},
        {"id": "b", "input": "parcel late soon", "output": "2"},
        {"id": "c", "input": "parcel refund", "output": "3"},
    ]
    assert choose_examples(pool, "parcel late", 100, max_examples=2, lambda_=1.0).kept[0] == "b"
    assert choose_examples(pool, "parcel late", 100, max_examples=2, lambda_=0.3).kept[0] == "c"


def test_vectors_decide_where_an_embedder_is_given() -> None:
    chosen = choose_examples(POOL, QUESTION, 1000, embedder=WordEmbedder(), max_examples=1)
    assert chosen.kept == ("late",)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", ORDERS)
@seldom
@given(
    said=st.lists(st.tuples(texts(2), texts(2), st.sampled_from((None, "a", "b"))), max_size=7),
    question=texts(2),
    room=st.integers(0, 150),
)
def test_never_over_and_every_example_accounted_for(
    form: str,
    order: str,
    said: list[tuple[str, str, str | None]],
    question: str,
    room: int,
) -> None:
    pool = [
        Example(example_id=str(at), input=one, output=two, label=label)
        for at, (one, two, label) in enumerate(said)
    ]
    chosen = choose_examples(pool, question, room, form=form, order=order)
    assert sorted([*chosen.kept, *chosen.left_out]) == sorted(each.example_id for each in pool)
    assert not any(is_twin(each.input, question) for each in chosen.examples)
    assert chosen.tokens <= room
    if form == "block":
        assert chosen.text == examples_block(chosen.examples)
        assert chosen.tokens == counter_for("gpt-4o").count(chosen.text)
        assert chosen.text.count("<example>") == len(chosen.kept)
        assert without_block(f"Be terse.\n\n{chosen.text}") == "Be terse." if chosen.text else True
    else:
        messages = [
            {"role": role, "content": text}
            for each in chosen.examples
            for role, text in (("user", each.input), ("assistant", each.output))
        ]
        counted = count_request(messages, model_spec("gpt-4o"), counter_for("gpt-4o"))
        reply = count_request([], model_spec("gpt-4o"), counter_for("gpt-4o"))
        assert chosen.tokens == counted.total_tokens - reply.total_tokens


def test_examples_are_read_from_a_file_and_called_by_their_place(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(
        '{"input": "a", "output": "b"}\n\n{"input": "c", "output": "d", "id": "x"}\n',
        encoding="utf-8",
    )
    assert [each.example_id for each in read_examples(path)] == ["example-1", "x"]
    assert packhorse.choose_examples(path, "a c", 100).kept == ("example-1", "x")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"input": "a"}', "output is missing, .* line 1"),
        ('{"input": " ", "output": "b"}', "input is ' ', .* line 1"),
        ('{"input": "a", "output": "b", "lable": "x"}', "unknown field 'lable'"),
        ("[]", "line 1"),
        ("{", "line 1"),
        ('{"input": "a", "output": "b", "id": "1"}\n' * 2, "id '1' was used before"),
    ],
)
def test_a_bad_example_is_refused_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        choose_examples(path, "a", 100)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"form": "poem"}, ConfigError),
        ({"order": "random"}, ConfigError),
        ({"lambda_": 2}, ConfigError),
        ({"max_tokens": -1}, InvalidBudgetError),
        ({"max_tokens": None}, InputError),
        ({"examples": 3}, InputError),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    given = {"examples": POOL, "question": "a", "max_tokens": 100, **options}
    with pytest.raises(error):
        choose_examples(**given)

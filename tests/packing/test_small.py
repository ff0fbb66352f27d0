"""The small functions, on the worked examples that teach them."""

from copy import deepcopy
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import InputError, InvalidBudgetError
from packhorse.packing.small import fit_window, pack_parts, pack_ranked, total_tokens

Part = dict[str, object]


def parts(**tokens: object) -> list[Part]:
    return [{"id": name, "tokens": count} for name, count in tokens.items()]


@dataclass
class Passage:
    text: str
    header: str = ""


def words(text: str) -> int:
    return len(text.split())


# ------------------------------------------------------------------ fit a context window


@pytest.mark.parametrize(
    ("chunks", "window", "reserved", "taken"),
    [
        (parts(a=8, b=3, c=2), 10, 5, ["b", "c"]),
        (parts(a=5, b=1), 5, 0, ["a"]),
        (parts(a=1), 4, 5, []),
    ],
)
def test_fit_window_examples(
    chunks: list[Part], window: int, reserved: int, taken: list[str]
) -> None:
    assert fit_window(chunks, window, reserved) == taken


def test_fit_window_without_chunks_takes_nothing() -> None:
    assert fit_window([], 10, 2) == []


def test_fit_window_takes_two_of_three() -> None:
    assert fit_window(parts(a=4, b=4, c=4), 10, 1) == ["a", "b"]


def test_fit_window_takes_an_empty_chunk_into_an_empty_budget() -> None:
    assert fit_window(parts(a=0), 0, 0) == ["a"]


def test_fit_window_takes_an_empty_chunk_when_more_is_reserved_than_there_is() -> None:
    assert fit_window(parts(a=1, b=0), 4, 9) == ["b"]


def test_fit_window_keeps_the_given_order_and_not_that_of_size() -> None:
    assert fit_window(parts(a=5, b=1, c=3, d=2), 8, 0) == ["a", "b", "d"]


def test_fit_window_takes_an_empty_chunk_after_the_budget_is_used_up() -> None:
    assert fit_window(parts(a=6, b=2, c=0), 6, 0) == ["a", "c"]


@pytest.mark.parametrize(("window", "reserved"), [(-1, 0), (10, -1), (1.5, 0), ("9", 0), (9, None)])
def test_fit_window_refuses_what_is_no_token_amount(window: object, reserved: object) -> None:
    with pytest.raises(InvalidBudgetError):
        fit_window([], window, reserved)  # type: ignore[arg-type]  # the point of the test


# -------------------------------------------------------------------- packing by priority


def test_total_tokens_examples() -> None:
    assert total_tokens([{"tokens": 100}, {"tokens": 50}, {"tokens": 25}]) == 175
    assert total_tokens(parts(sys=100, turn=60, chunk=40)) == 200
    assert total_tokens([]) == 0


def test_pack_parts_skips_the_huge_part_and_goes_on() -> None:
    assert pack_parts(parts(sys=100, huge=80, small=10), 130).included == ["sys", "small"]


def test_pack_parts_reports_included_dropped_and_used() -> None:
    result = pack_parts(parts(sys=100, huge=80, a=15, b=10), 130)
    assert result.included == ["sys", "a", "b"]
    assert result.dropped == ["huge"]
    assert result.used == 125


def test_pack_parts_accepts_a_budget_of_zero() -> None:
    result = pack_parts(parts(a=1, b=0), 0)
    assert (result.included, result.dropped, result.used) == (["b"], ["a"], 0)


@pytest.mark.parametrize("budget", [None, -5, "12", 1.5, True])
def test_pack_parts_refuses_budgets_that_are_no_token_amount(budget: object) -> None:
    with pytest.raises(InvalidBudgetError, match="budget"):
        pack_parts([], budget)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("tokens", [-1, 2.5, "3", None, True])
def test_parts_with_counts_that_are_none_are_refused_with_their_place(tokens: object) -> None:
    with pytest.raises(InputError, match="part 2"):
        pack_parts(parts(a=1, b=tokens), 10)
    with pytest.raises(InputError, match="part 2"):
        total_tokens(parts(a=1, b=tokens))


def test_parts_without_a_field_are_refused_with_the_field() -> None:
    with pytest.raises(InputError, match="Part 1 has no 'tokens'"):
        total_tokens([{"id": "a"}])
    with pytest.raises(InputError, match="Part 1 has no 'id'"):
        pack_parts([{"tokens": 3}], 10)


@given(tokens=st.lists(st.integers(0, 30)), budget=st.integers(0, 200))
def test_pack_parts_is_the_textbook_walk_and_leaves_its_input_alone(
    tokens: list[int], budget: int
) -> None:
    given_parts = [{"id": place, "tokens": count} for place, count in enumerate(tokens)]
    before = deepcopy(given_parts)
    used, included, dropped = 0, [], []
    for place, count in enumerate(tokens):
        if used + count <= budget:
            included.append(place)
            used += count
        else:
            dropped.append(place)
    result = pack_parts(given_parts, budget)
    assert (result.included, result.dropped, result.used) == (included, dropped, used)
    assert given_parts == before


# --------------------------------------------------------------------- packing the budget


def test_pack_ranked_skips_what_is_too_long_and_goes_on() -> None:
    candidates = [Passage("one two three"), Passage("one two three four"), Passage("one")]
    assert pack_ranked(candidates, 4, words) == ([candidates[0], candidates[2]], 4)


def test_pack_ranked_counts_header_and_text_as_one_string() -> None:
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(text)
        return words(text)

    assert pack_ranked([Passage("b c", header="a ")], 3, count)[1] == 3
    assert seen == ["a b c"]


def test_pack_ranked_takes_mappings_and_plain_texts() -> None:
    mapping = {"header": "a ", "text": "b"}
    assert pack_ranked([mapping], 2, words) == ([mapping], 2)
    assert pack_ranked([{"text": "b"}], 1, words)[1] == 1
    assert pack_ranked(["a b", "c"], 1, words) == (["c"], 1)


def test_pack_ranked_beside_pinned_material() -> None:
    pinned, budget = Passage("the clause asked about"), 7
    left = budget - words(pinned.text)
    assert pack_ranked([Passage("a b c d"), Passage("a b c")], left, words)[1] == 3


def test_pack_ranked_refuses_candidates_without_text_and_odd_counts() -> None:
    with pytest.raises(InputError, match="Candidate 1 has no text"):
        pack_ranked([3], 10, words)
    with pytest.raises(InputError, match="candidate 1"):
        pack_ranked(["a"], 10, lambda _: -1)
    with pytest.raises(InvalidBudgetError):
        pack_ranked([], -1, words)

"""A copy of a gold passage is as good as it, and a quote is found in whatever passage holds it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import InputError
from packhorse.evaluate.absent import absences_in
from packhorse.evaluate.dataset import read_dataset
from packhorse.evaluate.metrics.gold_packed import gold_recall
from packhorse.evaluate.metrics.losses import losses
from packhorse.evaluate.stand_ins import copies_of_gold, costs_of, counted, filtered_of, quoted
from packhorse.types.chunk import Chunk
from tests.evaluate.conftest import Written

names = st.sampled_from("abcdef")
stand_ins_of = st.dictionaries(names, st.lists(names, max_size=2, unique=True).map(tuple))


def chunk(name: str, text: str) -> Chunk:
    return Chunk(chunk_id=name, source_id=name, text=text)


def test_a_quote_is_gold_that_every_passage_stands_for_that_holds_it() -> None:
    passages = [
        chunk("a", "Leave is 30 days. Ask the lead."),
        chunk("b", "Ask the LEAD! Then wait."),
        chunk("c", "The party is at the lake."),
    ]
    gold, stand_ins = quoted(["ask the lead.", "leave is 30 days", "Ask the lead"], passages)
    assert gold == ["quote 'ask the lead.'", "quote 'leave is 30 days'"]
    assert stand_ins == {"a": tuple(gold), "b": (gold[0],)}
    assert counted(["c", "a"], stand_ins) == ("c", *gold)
    assert counted(["b", "a"], stand_ins) == tuple(gold)


def test_a_quote_that_a_cut_goes_through_is_gold_that_nothing_finds() -> None:
    gold, stand_ins = quoted(["30 days of leave"], [chunk("a", "30 days"), chunk("b", "of leave")])
    assert gold == ["quote '30 days of leave'"]
    assert stand_ins == {}


@given(st.lists(st.sampled_from(["a b", "c", "d e"]), unique=True, min_size=1), st.data())
def test_what_is_packed_is_the_share_of_quotes_that_stand_in_it(
    quotes: list[str], data: st.DataObject
) -> None:
    texts = data.draw(st.lists(st.sampled_from(["a b", "c a b", "d e c", "d", "e a"]), min_size=1))
    passages = [chunk(str(n), text) for n, text in enumerate(texts)]
    packed = data.draw(st.lists(st.sampled_from(passages), unique_by=lambda one: one.chunk_id))
    gold, stand_ins = quoted(quotes, passages)
    ids = counted([one.chunk_id for one in packed], stand_ins)
    plainly = [quote for quote in quotes if any(f" {quote} " in f" {p.text} " for p in packed)]
    assert gold_recall(ids, gold) == len(plainly) / len(quotes)


def test_of_two_gold_copies_either_is_both(written: Written) -> None:
    passages = [{"id": name, "text": "Leave is 30 days."} for name in "ab"]
    asked = [{"id": "q", "query": "How long is leave?", "gold": ["a", "b"]}]
    (stand_ins,) = copies_of_gold(read_dataset(written(passages, asked)))
    assert counted(["b"], stand_ins) == ("b", "a")
    assert counted(["b", "a"], stand_ins) == ("b", "a")


def test_gold_is_counted_once_in_the_place_of_what_comes_first() -> None:
    assert counted(["x", "copy", "gold", "y"], {"copy": ("gold",)}) == ("x", "gold", "y")
    assert counted(["gold", "copy"], {"copy": ("gold",)}) == ("gold", "copy")
    assert counted(["both"], {"both": ("g1", "g2")}) == ("g1", "g2")


@given(st.lists(names, unique=True), stand_ins_of)
def test_nothing_is_counted_twice_and_nothing_without_stand_ins_changes(
    ids: list[str], stand_ins: dict[str, tuple[str, ...]]
) -> None:
    found = counted(ids, stand_ins)
    assert len(set(found)) == len(found)
    assert counted(ids, {}) == tuple(ids)
    assert {name for name in ids if not stand_ins.get(name)} <= set(found)


@given(
    st.dictionaries(names, st.integers(1, 50), min_size=1),
    stand_ins_of,
    st.lists(names, unique=True, min_size=1),
    st.data(),
)
def test_the_losses_add_up_to_one(
    tokens: dict[str, int],
    stand_ins: dict[str, tuple[str, ...]],
    gold: list[str],
    data: st.DataObject,
) -> None:
    filtered = data.draw(st.lists(st.sampled_from(sorted(tokens)), unique=True))
    packed = data.draw(st.lists(st.sampled_from(sorted(tokens)), unique=True))
    packed = [name for name in packed if name not in filtered]
    ids = counted(packed, stand_ins)
    costs = costs_of(tokens, stand_ins)
    lost = losses(
        ids, gold, costs, filtered_of(tokens, filtered, stand_ins), sum(tokens[n] for n in packed)
    )
    parts = (lost.retrieval, lost.size, lost.filters, lost.ranking)
    n_packed = len(set(gold) & set(ids))
    assert min(parts) >= 0
    assert sum(parts) + n_packed / len(gold) == pytest.approx(1)


def test_a_copy_of_gold_counts_when_it_is_packed_in_its_place(written: Written) -> None:
    folder = written(
        [
            {"id": "page", "title": "Leave", "text": "Leave is 30 days."},
            {"id": "print", "title": "All", "text": "leave is 30 days"},
            {"id": "other", "title": "Other", "text": "The lake is cold."},
        ],
        [{"id": "q", "query": "How long is leave?", "gold": ["page"]}],
    )
    (stand_ins,) = copies_of_gold(read_dataset(folder))
    assert stand_ins == {"print": ("page",)}
    assert filtered_of(["page", "print"], ["page"], stand_ins) == frozenset()
    assert filtered_of(["page"], ["page"], stand_ins) == {"page"}


@pytest.mark.parametrize(
    ("gold", "reason"),
    [
        ({"gold": ["a"], "gold_quotes": ["Some words."]}, "both say what is gold"),
        ({"gold_quotes": ["..."]}, "has no word"),
    ],
)
def test_quotes_that_say_nothing_are_refused(
    gold: dict[str, list[str]], reason: str, written: Written
) -> None:
    passages = [{"id": "a", "title": "", "text": "Some words."}]
    with pytest.raises(InputError, match=reason):
        read_dataset(written(passages, [{"id": "q", "query": "Which?", **gold}]))


def test_a_quote_that_is_not_there_is_told(written: Written) -> None:
    asked = [
        {"id": "q", "query": "Which?", "gold_quotes": ["Some words.", "No such words."]},
        {"id": "r", "query": "Which?", "gold": ["a"]},
    ]
    dataset = read_dataset(written([{"id": "a", "text": "Some words."}], asked))
    (told,) = absences_in(dataset)
    assert (told.kind, told.count, told.of) == ("gold_quotes", 1, 2)
    assert told.first == ("quote 'No such words.' of question q",)


def test_other_quotes_are_another_dataset(written: Written) -> None:
    passages = [{"id": "a", "text": "Some words here."}, {"id": "b", "text": "Some words there."}]
    digests = {
        read_dataset(written(passages, [{"id": "q", "query": "?", "gold_quotes": [quote]}])).digest
        for quote in ("Some words", "words here")
    }
    assert len(digests) == 2


def test_quotes_make_gold_of_any_cut(written: Written) -> None:
    asked = [{"id": "q", "query": "How long is leave?", "gold_quotes": ["Leave is 30 days"]}]
    whole = [{"id": "whole", "text": "Leave is 30 days. The lake is cold."}]
    parts = [{"id": "1", "text": "The lake is cold."}, {"id": "2", "text": "Leave is 30 days."}]
    gold = ("quote 'Leave is 30 days'",)
    for passages, holding in ((whole, "whole"), (parts, "2")):
        (question,) = read_dataset(written(passages, asked)).questions
        assert (question.gold, dict(question.stand_ins)) == (gold, {holding: gold})

"""Remembered counts equal fresh ones, in any order of use, and a recount is never remembered."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from packhorse.tokens.cached import CachedCounter
from packhorse.tokens.framed import cuts_at_words, recount
from packhorse.tokens.registry import counter_named
from packhorse.tokens.store import CountStore, content_key
from packhorse.tokens.stored import MIN_CHARS, StoredCounter, fingerprint_of, remembering
from packhorse.tokens.vocabularies.file import counter_from_path

LONG = "A home office is deductible. " * 20


class Letters:
    """Counts characters as a slow library would, and remembers what it was asked."""

    name, library, exact, margin = "letters", "tokenizers", True, 0.0

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        return self.count_batch([text])[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        self.asked += texts
        return [len(text) for text in texts]


def stored(counter: Letters, path: Path, fingerprint: str = "letters") -> StoredCounter:
    return StoredCounter(counter, CountStore(path), fingerprint)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the counts are kept."""
    return tmp_path / "counts.sqlite"


texts = st.builds(
    lambda char, length: char * length,
    st.sampled_from("ab\ud800税"),
    st.sampled_from([0, 1, MIN_CHARS - 1, MIN_CHARS, MIN_CHARS + 1, 1_000]),
)
steps = st.lists(
    st.tuples(st.sampled_from(["a", "b", "again", "recount"]), st.lists(texts, max_size=5)),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_any_order_of_use_gives_the_counts_of_the_library(path: Path, steps: list) -> None:  # type: ignore[type-arg]  # the strategy says what is in it
    counters = {
        who: CachedCounter(stored(Letters(), path), max_entries=3, max_chars=2_000) for who in "ab"
    }
    for who, batch in steps:
        if who == "again":  # a new process: nothing in memory
            counters["a"] = CachedCounter(stored(Letters(), path))
        counter = counters.get(who, counters["a"])
        if who == "recount":
            assert [recount(counter, text) for text in batch] == [len(text) for text in batch]
        else:
            assert counter.count_batch(batch) == [len(text) for text in batch]
    for counter in counters.values():
        counter._counter._store.close()  # type: ignore[attr-defined]  # made above


def test_a_long_text_is_counted_once_for_all_processes(path: Path) -> None:
    first, second = Letters(), Letters()
    assert stored(first, path).count_batch([LONG, "short", LONG + "!"]) == [580, 5, 581]
    assert stored(second, path).count_batch([LONG, "short", LONG + "!"]) == [580, 5, 581]
    assert (first.asked, second.asked) == ([LONG, "short", LONG + "!"], ["short"])


def test_another_fingerprint_does_not_find_it(path: Path) -> None:
    first, second = Letters(), Letters()
    stored(first, path, "one").count(LONG)
    stored(second, path, "two").count(LONG)
    assert second.asked == [LONG]


def test_a_recount_does_not_ask_the_file(path: Path) -> None:
    letters = Letters()
    counter = stored(letters, path)
    counter._store.keep({content_key("letters", LONG): 7})
    assert counter.count(LONG) == 7
    assert recount(counter, LONG) == recount(CachedCounter(counter), LONG) == 580
    assert letters.asked == [LONG, LONG]


def test_counting_goes_on_without_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    counter = stored(Letters(), tmp_path / "file" / "counts.sqlite")
    assert counter.count_batch([LONG, LONG]) == [580, 580]


def test_only_slow_exact_tokenizers_are_remembered(path: Path) -> None:
    def refused() -> Path:
        pytest.fail("the file is not asked for")

    for name in ("o200k_base", "qwen-2.5"):
        counter = counter_named(name)
        assert remembering(counter, refused) is counter
    estimate = Letters()
    estimate.exact = False
    assert remembering(estimate, refused) is estimate
    remembered = remembering(counter_named("deepseek-v4"), lambda: path)
    assert isinstance(remembered, StoredCounter)
    assert (remembered.name, remembered.library, remembered.exact, remembered.margin) == (
        "deepseek-v4",
        "tokenizers",
        True,
        0.0,
    )
    assert cuts_at_words(remembered)
    assert not path.exists()


def test_the_fingerprint_changes_with_the_vocabulary_file(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    prints = []
    for first, second in ("ab", "cd"):
        letters = {letter: place for place, letter in enumerate("abcd?")}
        vocabulary = {**letters, first + second: 5}
        tokenizer = Tokenizer(models.BPE(vocabulary, [(first, second)], unk_token="?"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        path = tmp_path / "tokenizer.json"
        tokenizer.save(str(path))
        counter = counter_from_path(path)
        prints.append(fingerprint_of(counter))
        assert counter.count("ab") == (1 if first == "a" else 2)
    assert "" not in prints
    assert prints[0] != prints[1]


def test_real_counts_come_back_from_the_file(path: Path) -> None:
    texts = [f"{place}. {LONG}" for place in range(30)]
    for name in ("deepseek-v4", "mistral-v3"):
        counter = counter_named(name)
        expected = counter.count_batch(texts)
        for _ in range(2):
            remembered = remembering(counter, lambda: path)
            assert isinstance(remembered, StoredCounter)
            assert remembered.count_batch(texts) == expected
            remembered._store.close()

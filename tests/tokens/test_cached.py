"""The cache never changes a count, asks once, and stays within its bounds."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.cached import CachedCounter


class Recorder:
    """Counts characters and remembers what it was asked."""

    name = "characters"
    library = "test"
    exact = True
    margin = 0.0

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def count(self, text: str) -> int:
        return self.count_batch([text])[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        self.batches.append(list(texts))
        return [len(text) for text in texts]


@given(batches=st.lists(st.lists(st.text("abc", max_size=3), max_size=6), max_size=8))
def test_cached_counts_equal_fresh_ones(batches: list[list[str]]) -> None:
    counter = CachedCounter(Recorder(), max_entries=3, max_chars=6)
    for batch in batches:
        assert counter.count_batch(batch) == [len(text) for text in batch]


def test_a_text_is_counted_once() -> None:
    recorder = Recorder()
    counter = CachedCounter(recorder)
    assert counter.count_batch(["a", "bb", "a"]) == [1, 2, 1]
    assert counter.count_batch(["bb", "ccc"]) == [2, 3]
    assert counter.count("a") == 1
    assert recorder.batches == [["a", "bb"], ["ccc"]]


def test_the_least_recently_used_text_goes_first() -> None:
    recorder = Recorder()
    counter = CachedCounter(recorder, max_entries=2)
    counter.count_batch(["a", "b"])
    counter.count("a")
    counter.count("c")
    recorder.batches.clear()
    counter.count_batch(["a", "c"])
    assert recorder.batches == []
    counter.count("b")
    assert recorder.batches == [["b"]]


def test_characters_are_bounded_and_a_huge_text_is_not_kept() -> None:
    recorder = Recorder()
    counter = CachedCounter(recorder, max_chars=5)
    counter.count_batch(["xxx", "yyy"])
    counter.count("z" * 6)
    recorder.batches.clear()
    counter.count_batch(["yyy"])
    counter.count_batch(["xxx"])
    counter.count("z" * 6)
    assert recorder.batches == [["xxx"], ["z" * 6]]


def test_threads_share_it() -> None:
    counter = CachedCounter(Recorder(), max_entries=4)
    texts = ["x" * length for length in range(12)] * 20
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(counter.count, texts)) == [len(text) for text in texts]


def test_it_passes_on_who_counts() -> None:
    counter = CachedCounter(Recorder())
    assert (counter.name, counter.library, counter.exact, counter.margin) == (
        "characters",
        "test",
        True,
        0.0,
    )

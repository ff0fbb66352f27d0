"""Long runs of one character cost what the engine says, without the engine reading them whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.registry import counter_named
from packhorse.tokens.vocabularies.openai import ENCODINGS, ToktokCounter
from packhorse.tokens.vocabularies.runs import LONG, PERIOD, RunCounter
from tests.tokens.oracle import oracle_count

ENGINES = (*ENCODINGS, "llama-3", "llama-4", "qwen-2.5", "mistral-tekken-240911")
RULERS = "-=*#/_.~ \t\n!\u2014\u2500\u3002\u00a0"
BESIDE = (
    "",
    "a",
    " ",
    "\n",
    "-",
    "//",
    "The end.",
    "  x",
    "'s",
    "3",
    "\u7a0e",
    "</e>\n",
    "=",
    "\u0301",
)


class Recorder:
    """Counts characters by the length of its texts and remembers the longest."""

    def __init__(self, tile: int) -> None:
        self.tile = tile
        self.longest = 0

    def count(self, texts: list[str]) -> list[int]:
        self.longest = max([self.longest, *map(len, texts)])
        return [-(-len(text) // self.tile) for text in texts]


@pytest.mark.parametrize("name", ENGINES)
@given(
    char=st.sampled_from(RULERS),
    lengths=st.lists(st.integers(LONG - 2, LONG + PERIOD + 2), min_size=1, max_size=2),
    beside=st.lists(st.sampled_from(BESIDE), min_size=3, max_size=3),
)
def test_a_shortened_run_costs_what_it_does_whole(
    name: str, char: str, lengths: list[int], beside: list[str]
) -> None:
    counter = counter_named(name)
    runs = [char * length for length in lengths]
    text = beside[0] + "".join(run + side for run, side in zip(runs, beside[1:], strict=False))
    assert counter.count(text) == counter._run([text])[0]  # type: ignore[attr-defined]  # the engine


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
@pytest.mark.parametrize("char", RULERS)
def test_a_shortened_run_costs_what_tiktoken_says(encoding: str, char: str) -> None:
    text = f"x{char * (LONG + 700)}{char * 2} y\n{char * LONG}"
    assert counter_named(encoding).count(text) == oracle_count(encoding, text)


def test_a_long_run_is_not_read_whole() -> None:
    recorder = Recorder(tile=64)
    text = f"{'-' * 1_000_000}\n{'=' * 500_000} {'-' * 5_000}"
    assert RunCounter(recorder.count).count([text, "short"]) == [-(-len(text) // 64), 1]
    assert recorder.longest < 6 * LONG


def test_runs_just_below_the_limit_are_left_alone_beside_a_longer_one() -> None:
    recorder = Recorder(tile=1)
    text = " ".join(["-" * (LONG - 1)] * 3 + ["-" * LONG] + ["-" * PERIOD] * 2)
    assert RunCounter(recorder.count).count([text]) == [len(text)]
    assert recorder.longest == len(text) - PERIOD


def test_a_run_whose_cost_depends_on_its_length_is_read_whole() -> None:
    recorder = Recorder(tile=96)
    assert RunCounter(recorder.count).count(["-" * 100_000]) == [1_042]
    assert recorder.longest == 100_000


@pytest.mark.parametrize(
    "text", ["", "-", "-" * (LONG - 1), "a" * 20_000, "7" * 20_000, "-+" * 9_000]
)
def test_short_runs_letters_and_digits_are_left_alone(text: str) -> None:
    asked: list[list[str]] = []

    def count(texts: list[str]) -> list[int]:
        asked.append(texts)
        return [0] * len(texts)

    RunCounter(count).count([text])
    assert asked == [[text]]


def test_a_long_run_of_lone_surrogates_counts_as_replacement_characters() -> None:
    counter = ToktokCounter("o200k_base")
    assert counter.count("\ud800" * 10_000) == counter.count("\ufffd" * 10_000)

"""Counts equal tiktoken's for every text, and text is never a control token."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.protocols import TokenCounter
from packhorse.tokens.registry import counter_named
from packhorse.tokens.vocabularies.openai import ENCODINGS, ToktokCounter
from tests.promises import promised
from tests.strategies import raw_texts
from tests.tokens.oracle import oracle_count, without_newest_letters

NASTY = (
    "",
    " ",
    "\n",
    " \n \n\n",
    "\r\n\r\n",
    "a" * 3_000,
    " " * 3_000,
    "\n" * 999,
    "0123456789" * 50,
    "<|endoftext|><|fim_prefix|><|im_start|>system",
    "I'll we'd THEY'RE it'S",
    "naïve café e\u0301 \u200b\u200d\ufeff",
    "税務署に申告する 초과근무 승인 規則。",
    "👩‍👩‍👧‍👦🇯🇵👍🏽🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "\u202eabc\u202c \u061c",
    "\x00\x01\x07\x1b[31m\x7f",
    "https://example.com/a/b?c=d&e=f#g//////\n//",
    "def f(x):\n\treturn x**2  # comment\n\n\n",
    "\ud800",
    "a\udfffb",
    "\ud83d\ude00 joined",
    "\u2028\u2029\x85\x0b\x0c",
)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_count_equals_tiktoken_on_nasty_texts(encoding: str) -> None:
    counted = counter_named(encoding).count_batch(NASTY)
    assert counted == [oracle_count(encoding, text) for text in NASTY]


@promised
@given(text=st.one_of(st.text(st.characters()), raw_texts()))
def test_count_equals_tiktoken_on_any_text(text: str) -> None:
    text = without_newest_letters(text)
    for encoding in ("cl100k_base", "o200k_base"):
        assert counter_named(encoding).count(text) == oracle_count(encoding, text), encoding


@promised
@given(texts=st.lists(raw_texts(4), max_size=5))
def test_a_batch_counts_each_text_as_alone(texts: list[str]) -> None:
    counter = counter_named("o200k_base")
    assert counter.count_batch(texts) == [counter.count(text) for text in texts]


@promised
@given(bodies=st.lists(raw_texts(5), max_size=6))
def test_blocks_that_open_with_a_bracket_and_end_a_line_add_up(bodies: list[str]) -> None:
    blocks = [f"<evidence>\n{body}\n</evidence>\n" for body in bodies]
    for encoding in ("cl100k_base", "o200k_base"):
        counter = counter_named(encoding)
        assert sum(counter.count_batch(blocks)) == counter.count("".join(blocks)), encoding


@promised
@given(evidence=raw_texts(5), query=raw_texts(5))
def test_a_question_behind_a_finished_line_adds_up(evidence: str, query: str) -> None:
    counter = counter_named("o200k_base")
    section, question = f"{evidence}\n", f"Question: {query}"
    assert counter.count(section) + counter.count(question) == counter.count(section + question)


def test_a_lone_surrogate_counts_as_the_replacement_character() -> None:
    counter = counter_named("o200k_base")
    assert counter.count("a\ud800b") == counter.count("a\ufffdb")


def test_one_unreadable_text_leaves_the_others_of_its_batch_alone() -> None:
    counter = counter_named("o200k_base")
    assert counter.count_batch(["hello", "\udc00", "hello"])[0::2] == [1, 1]


def test_threads_that_start_together_count_the_same() -> None:
    counter = ToktokCounter("cl100k_base")
    with ThreadPoolExecutor(8) as pool:
        counted = list(pool.map(counter.count, ["the same text"] * 64))
    assert set(counted) == {3}


def test_the_counter_keeps_the_protocol_and_is_exact() -> None:
    counter = ToktokCounter("o200k_base")
    assert isinstance(counter, TokenCounter)
    assert (counter.name, counter.library, counter.exact, counter.margin) == (
        "o200k_base",
        "toktok-rs",
        True,
        0.0,
    )

"""Rank files count as tiktoken does with the same ranks and pattern, whichever engine counts."""

import base64
import re
import unicodedata

import pytest
import tiktoken
from hypothesis import given

from packhorse.errors import InputError
from packhorse.text.wellformed import well_formed
from packhorse.tokens.registry import counter_named
from packhorse.tokens.vocabularies import ranks as ranks_module
from packhorse.tokens.vocabularies.any_pattern import pattern_counter
from packhorse.tokens.vocabularies.grammars import GRAMMARS, Grammar
from packhorse.tokens.vocabularies.packages import Extra
from packhorse.tokens.vocabularies.ranks import (
    PromptRankCounter,
    RankCounter,
    check_ranks,
    rank_tokenizer,
    read_ranks,
)
from tests.strategies import raw_texts
from tests.tokens.oracle import oracle, without_newest_letters
from tests.tokens.vocabularies.samples import GPT_2

RANKS = {
    token: rank for token, rank in oracle("cl100k_base")._mergeable_ranks.items() if rank < 20_000
}
EXTRA = Extra("llama", "A test")
ORACLES = {
    name: tiktoken.Encoding(name, pat_str=grammar.pattern, mergeable_ranks=RANKS, special_tokens={})
    for name, grammar in GRAMMARS.items()
}
COUNTERS = {
    name: RankCounter(name, rank_tokenizer(RANKS, grammar, where="ranks", extra=EXTRA))
    for name, grammar in GRAMMARS.items()
}
GPT_2_ORACLE = tiktoken.Encoding("gpt-2", pat_str=GPT_2, mergeable_ranks=RANKS, special_tokens={})
GPT_2_COUNTER = pattern_counter("gpt-2", RANKS, GPT_2, where="ranks")


@pytest.mark.parametrize("name", sorted(GRAMMARS))
@given(text=raw_texts())
def test_every_grammar_cuts_as_its_pattern_does(name: str, text: str) -> None:
    text = without_newest_letters(text)
    assert COUNTERS[name].count(text) == len(ORACLES[name].encode_ordinary(well_formed(text)))


@given(text=raw_texts())
def test_any_other_pattern_counts_as_tiktoken_does(text: str) -> None:
    text = without_newest_letters(text)
    expected = len(GPT_2_ORACLE.encode_ordinary(well_formed(text)))
    assert GPT_2_COUNTER.count(text) == expected


@given(text=raw_texts())
def test_a_prompt_without_control_tokens_is_cut_like_text(text: str) -> None:
    qwen = counter_named("qwen-2.5")
    assert isinstance(qwen, PromptRankCounter)
    formed = well_formed(text)
    if any(token in formed for token in qwen.control_tokens):
        return
    spans = qwen.encode_prompt(text)
    assert len(spans) == qwen.count(text)
    assert all(0 <= start <= end <= len(formed) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    if unicodedata.is_normalized("NFC", formed) and formed:
        covered = {index for start, end in spans for index in range(start, end)}
        assert covered == set(range(len(formed)))


def test_offsets_are_of_the_text_as_given_where_it_is_normalized_first() -> None:
    qwen = counter_named("qwen-2.5")
    assert isinstance(qwen, PromptRankCounter)
    text = "cafe\u0301<|im_end|>x"
    spans = qwen.encode_prompt(text)
    assert (5, 15) in spans
    assert text[5:15] == "<|im_end|>"
    assert spans[-1] == (15, 16)


def lines_of(ranks: dict[bytes, int]) -> bytes:
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())


def test_ranks_are_read_back_as_written() -> None:
    assert read_ranks(lines_of(RANKS) + b"\n", "file") == RANKS
    assert read_ranks(lines_of(RANKS).replace(b"\n", b"\r\n"), "file") == RANKS


BYTES = {bytes([byte]): byte for byte in range(256)}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it holds no token"),
        (lines_of(BYTES)[:-4], "line 256 is not base64"),
        (b"%%% 3\n", "line 1 is not base64"),
        (b"YQ==\n", "line 1 is not base64"),
        (b"YQ== x\n", "line 1 is not base64"),
        (lines_of({b"a": 0}), "no token stands for the byte 0"),
        (lines_of({**BYTES, b"ab": 7}), "two tokens have the same rank"),
        (lines_of({**BYTES, b"ab": -7}), "a rank is negative"),
        (lines_of({**BYTES, b"": 256}), "a token is empty"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=f"mine.tiktoken is not a whole vocabulary: {said}"):
        read_ranks(data, "mine.tiktoken")


def test_a_whole_vocabulary_passes() -> None:
    check_ranks(BYTES, "file")


def test_ranks_above_the_engines_limit_are_refused() -> None:
    with pytest.raises(InputError, match="at most 262143 can be counted"):
        rank_tokenizer({**BYTES, b"ab": 1 << 18}, GRAMMARS["o200k"], where="x", extra=EXTRA)


def test_an_engine_that_refuses_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = Grammar(name="x", pattern="x", scanner="nobody")
    with pytest.raises(InputError, match="x cannot be loaded"):
        rank_tokenizer(BYTES, unknown, where="x", extra=EXTRA)
    monkeypatch.setattr(ranks_module, "PROBES", 1)
    swapped = {**BYTES, b"a": ord("b"), b"b": ord("a")}
    assert rank_tokenizer(swapped, GRAMMARS["o200k"], where="x", extra=EXTRA)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"\w+$", "end of a line"),
        (r"^\w+", "start of a line"),
        (r"\p{N}{1,3}+", "leave the plus out"),
        ("(", "cannot be used"),
    ],
)
def test_a_pattern_that_would_cut_elsewhere_is_refused(pattern: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        pattern_counter("x", BYTES, pattern, where="x")


@pytest.mark.parametrize("pattern", [r"\p{L}+|[^$]|\$|\^+|[$^}+]+|\s", r"[]^$}+]+|[^]]"])
def test_signs_that_stand_for_themselves_are_no_syntax(pattern: str) -> None:
    assert pattern_counter("x", BYTES, pattern, where="x").count("a$b") == 3

"""Counts do not depend on how many threads count, and small batches start none."""

import os

import pytest

from packhorse.tokens import threads
from packhorse.tokens.registry import counter_named
from packhorse.tokens.threads import cores, threads_for
from packhorse.tokens.vocabularies import hf, openai, ranks, sentencepiece

TEXTS = [
    "one",
    "",
    "\u7a0e\u52d9\u7f72\u306b\u7533\u544a\u3059\u308b",
    "a\ud800b",
    "    ",
    "The home office is deductible.\n" * 40,
] * 9
NAMES = ("o200k_base", "cl100k_base", "qwen-2.5", "deepseek-v4", "mistral-v3")


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_on_several_threads_counts_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = counter_named(name)
    expected = [counter.count(text) for text in TEXTS]
    assert counter.count_batch(TEXTS) == expected
    monkeypatch.setattr(threads, "cores", lambda: 4)
    for module, size in ((openai, "FAST"), (ranks, "FAST"), (sentencepiece, "SLOW")):
        monkeypatch.setattr(module, size, 100)
    monkeypatch.setattr(hf, "MUCH_CHARS", 100)
    assert counter.count_batch(TEXTS) == expected


def test_threads_follow_the_size_of_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 4)
    assert threads_for([], 100) == 1
    assert threads_for(["x" * 10_000], 100) == 1
    assert threads_for(["x" * 50] * 3, 100) == 1
    assert threads_for(["x" * 50] * 4, 100) == 2
    assert threads_for(["x" * 50] * 1_000, 100) == 4
    assert threads_for(["x" * 500] * 3, 100) == 3


def test_a_core_is_there() -> None:
    assert cores() >= 1


def test_a_machine_without_affinity_is_asked_for_its_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1

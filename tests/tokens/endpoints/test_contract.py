"""The endpoint counters do what every token counter must do."""

from collections.abc import Iterator

import pytest

from packhorse.testing.token_counter import TokenCounterContract
from packhorse.tokens.endpoints.counter import Asker, EndpointCounter
from packhorse.tokens.endpoints.registry import engine_endpoint, provider_endpoint
from packhorse.tokens.models.table import model_spec
from tests.posting.servers import KEY, serving
from tests.tokens.endpoints.servers import llama_cpp, providers


class TestEngine(TokenCounterContract):
    @pytest.fixture(autouse=True)
    def served(self) -> Iterator[None]:
        with serving(llama_cpp) as server:
            endpoint = engine_endpoint(server.url, {})
            self.counter = EndpointCounter(Asker(endpoint))
            yield
            endpoint.close()

    def make(self) -> EndpointCounter:
        return self.counter


class TestProvider(TokenCounterContract):
    @pytest.fixture(autouse=True)
    def served(self) -> Iterator[None]:
        with serving(providers) as server:
            environ = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
            endpoint = provider_endpoint(model_spec("claude-sonnet-4-6"), environ)
            self.counter = EndpointCounter(Asker(endpoint))
            yield
            endpoint.close()

    def make(self) -> EndpointCounter:
        return self.counter

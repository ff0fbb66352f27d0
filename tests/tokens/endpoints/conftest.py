"""A server for every test that wants one."""

from collections.abc import Iterator

import pytest

from tests.posting.servers import Served, serving
from tests.tokens.endpoints.servers import providers


@pytest.fixture
def server() -> Iterator[Served]:
    with serving(providers) as served:
        yield served

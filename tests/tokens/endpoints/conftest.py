"""A server for every test that wants one."""

from collections.abc import Iterator

import pytest

from tests.tokens.endpoints.servers import Served, serving


@pytest.fixture
def server() -> Iterator[Served]:
    with serving() as served:
        yield served

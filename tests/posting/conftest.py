"""A server for every test that wants one."""

from collections.abc import Iterator

import pytest

from tests.posting.servers import Served, ok, serving


@pytest.fixture
def server() -> Iterator[Served]:
    with serving(lambda _path, _body: ok()) as served:
        yield served

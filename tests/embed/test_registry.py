"""Embedders by name."""

import pytest

from packhorse.embed.http import HttpEmbedder
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.embed.registry import embedder
from packhorse.embed.static import StaticEmbedder
from packhorse.errors import UnknownStrategyError


def test_known_names_give_their_embedders() -> None:
    assert isinstance(embedder("minilm"), MiniLmEmbedder)
    assert isinstance(embedder("static"), StaticEmbedder)
    assert isinstance(embedder("http://localhost:1/v1#m"), HttpEmbedder)
    assert isinstance(embedder("https://example.com/v1#m"), HttpEmbedder)
    assert embedder("none") is None


@pytest.mark.parametrize("name", ["mini-lm", "", "ftp://example.com", "httpx", "http"])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownStrategyError) as caught:
        embedder(name)
    for known in ("minilm", "static", "none", "http(s)://"):
        assert known in caught.value.hint

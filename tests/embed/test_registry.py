"""Embedders by name."""

from pathlib import Path

import pytest

from packhorse.embed.http import HttpEmbedder
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.embed.onnx import OnnxEmbedder
from packhorse.embed.registry import decides, embedder, settled
from packhorse.embed.static import StaticEmbedder
from packhorse.errors import ConfigError, UnknownStrategyError
from tests.embed.tiny_embedder import write_tiny_embedder


def test_a_file_has_options_behind_its_path(tmp_path: Path) -> None:
    path = write_tiny_embedder(tmp_path / "a, b")
    own = embedder(f'{path},question="query ",pooling=cls,length=64')
    assert isinstance(own, OnnxEmbedder)
    assert "pooling=cls" in own.fingerprint
    assert own.fingerprint.endswith('max_pieces=64 question="query " passage=""')
    for options, told in (
        ("quest=x", "Unknown option 'quest'"),
        ("pooling=most", "Unknown pooling 'most'"),
        ("length=long", "length=long is no number"),
        ("length=9999", "length is 9999 pieces"),
    ):
        with pytest.raises(ConfigError, match=told):
            embedder(f"{path},{options}")


def test_a_settled_name_holds_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_tiny_embedder(tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    assert settled('models/model.onnx,question="a.onnx"') == f'{path},question="a.onnx"'
    # In quotes, which options need, no shell writes the folder out.
    monkeypatch.setenv("HOME", str(tmp_path))
    assert settled("~/models/model.onnx") == str(path)
    assert embedder("~/models/model.onnx,length=64")
    with pytest.raises(ConfigError, match="No file for the embedder: ~no such user"):
        embedder("~no such user/model.onnx")
    for name in ("minilm", "none", "http://localhost/v1#models/model.onnx", "else"):
        assert settled(name) == decides(name) == name
    before = decides("models/model.onnx")
    write_tiny_embedder(tmp_path / "models", weight=2.0)
    assert decides("models/model.onnx") != before


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
    for known in ("minilm", "static", "none", "PATH.onnx", "http(s)://"):
        assert known in caught.value.hint

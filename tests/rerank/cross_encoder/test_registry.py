"""A name is a file, or an endpoint in one of two forms."""

from pathlib import Path

import pytest

from fixtures.tiny_reranker import write_tiny_reranker
from packhorse.errors import UnknownStrategyError
from packhorse.rerank.cross_encoder.http import HttpCrossEncoder, TeiCrossEncoder
from packhorse.rerank.cross_encoder.onnx import OnnxCrossEncoder
from packhorse.rerank.cross_encoder.registry import cross_encoder, usual_scale


def test_a_name_gives_one_object_of_its_kind(tmp_path: Path) -> None:
    path = str(write_tiny_reranker(tmp_path))
    model = cross_encoder(path, 5.0)
    assert isinstance(model, OnnxCrossEncoder)
    assert model is cross_encoder(path, 5.0)
    assert type(cross_encoder("https://host#m", 5.0)) is HttpCrossEncoder
    tei = cross_encoder("tei+http://host", 5.0)
    assert type(tei) is TeiCrossEncoder
    assert tei.name == cross_encoder("TEI+http://host", 5.0).name == "http://host/rerank"


def test_a_path_may_start_in_the_home_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    name = write_tiny_reranker(tmp_path).name
    assert isinstance(cross_encoder(f"~/{name}", 5.0), OnnxCrossEncoder)


def test_files_give_logits_and_endpoints_probabilities() -> None:
    assert usual_scale("model.ONNX") == "logits"
    assert usual_scale("http://host") == usual_scale("tei+https://host") == "probabilities"


@pytest.mark.parametrize("name", ["bge-reranker", "ftp://host", "model.bin"])
def test_another_name_is_an_error_that_lists_the_kinds(name: str) -> None:
    with pytest.raises(UnknownStrategyError, match="Unknown reranker") as caught:
        cross_encoder(name, 5.0)
    assert "PATH.onnx" in caught.value.hint

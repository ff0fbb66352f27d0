"""Every embedder keeps the contract."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fixtures.minilm_folder import write_minilm_folder
from packhorse.embed.http import HttpEmbedder
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.embed.onnx import OnnxEmbedder
from packhorse.embed.remembered import RememberedEmbedder
from packhorse.embed.static import StaticEmbedder
from packhorse.protocols import Embedder
from packhorse.testing.embedder import EmbedderContract, WordEmbedder
from tests.embed.sided_embedder import SidedEmbedder
from tests.posting.servers import Reply, ok, serving

MINILM = MiniLmEmbedder()
STATIC = StaticEmbedder()


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> OnnxEmbedder:
    path = write_minilm_folder(tmp_path_factory.mktemp("own"))
    return OnnxEmbedder(path, question="query: ", length=64)


def answer(_path: str, body: dict[str, Any]) -> Reply:
    """As `WordEmbedder`, with one more number, so that no text has a vector of zeros."""
    rows = WordEmbedder(64).embed(body["input"]).tolist()
    return ok(data=[{"index": at, "embedding": [*row, 0.1]} for at, row in enumerate(rows)])


class TestMiniLm(EmbedderContract):
    def embedder(self) -> Embedder:
        return MINILM


class TestStatic(EmbedderContract):
    def embedder(self) -> Embedder:
        return STATIC


class TestOnnx(EmbedderContract):
    @pytest.fixture(autouse=True)
    def made(self, own: OnnxEmbedder) -> None:
        self.model = own

    def embedder(self) -> Embedder:
        return self.model


class TestHttp(EmbedderContract):
    @pytest.fixture(autouse=True)
    def made(self) -> Iterator[None]:
        with serving(answer) as served:
            self.url = f"{served.url}/v1#m"
            yield

    def embedder(self) -> Embedder:
        return HttpEmbedder(f'{self.url},question="query: "')


class TestRemembered(EmbedderContract):
    @pytest.fixture(autouse=True)
    def made(self, tmp_path: Path) -> None:
        self.path = tmp_path / "vectors.sqlite"

    def embedder(self) -> Embedder:
        return RememberedEmbedder(SidedEmbedder(), self.path)


class TestWords(EmbedderContract):
    def embedder(self) -> Embedder:
        return WordEmbedder()

"""The corpus as a knowledge base that is indexed once."""

from pathlib import Path

import pytest

from packhorse.embed import remembered
from packhorse.evaluate.corpus import open_corpus
from packhorse.protocols import Embedder
from packhorse.types.chunk import Chunk
from tests.embed.test_remembered import CountingEmbedder

PASSAGES = tuple(
    Chunk(chunk_id=name, source_id=name, text=f"A text about {name}.") for name in ("a", "b", "c")
)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> CountingEmbedder:
    model = CountingEmbedder()

    def named(_name: str) -> Embedder:
        return model

    monkeypatch.setattr("packhorse.evaluate.corpus.embedder_named", named)
    return model


def opened(passages: tuple[Chunk, ...], cache: Path) -> str:
    with open_corpus("small", passages, embedder_name="minilm", cache=cache) as kb:
        assert kb.search("text", None, 10).lexical
        return str(kb.path)


def test_the_same_passages_in_any_order_are_indexed_once(
    embedder: CountingEmbedder, tmp_path: Path
) -> None:
    first = opened(PASSAGES, tmp_path)
    made = len(embedder.asked)
    assert opened(PASSAGES[::-1], tmp_path) == first
    assert len(embedder.asked) == made == 3


def test_only_a_new_passage_is_embedded(embedder: CountingEmbedder, tmp_path: Path) -> None:
    first = opened(PASSAGES, tmp_path)
    more = (*PASSAGES, Chunk(chunk_id="d", source_id="d", text="Another one."))
    assert opened(more, tmp_path) != first
    assert embedder.asked[3:] == ["Another one."]


@pytest.mark.usefixtures("embedder")
def test_a_damaged_index_is_made_anew(tmp_path: Path) -> None:
    path = Path(opened(PASSAGES, tmp_path))
    (path / "manifest.json").write_text("{", encoding="utf-8")
    assert opened(PASSAGES, tmp_path) == str(path)


def test_an_index_without_vectors_asks_for_none(tmp_path: Path) -> None:
    with open_corpus("small", PASSAGES, embedder_name="none", cache=tmp_path) as kb:
        assert kb.vectors(["a"]) is None
    assert not (tmp_path / remembered.VECTORS_FILE).exists()

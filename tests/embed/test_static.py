"""The static embedder: quick, offline, and careful with what its package does to logging."""

import logging

import numpy as np
import pytest

from packhorse.embed import static
from packhorse.embed.static import StaticEmbedder
from packhorse.errors import MissingExtraError


def test_near_meanings_are_nearer_than_far_ones() -> None:
    model = StaticEmbedder()
    question, near, far, empty = model.embed(
        ["home office deduction", "deducting a home office", "cats sleep all day", ""]
    )
    assert question @ near > 0.5 > question @ far
    assert not empty.any()
    assert question.shape == (model.dimension,)
    assert question.dtype == np.float32


def test_a_vector_does_not_depend_on_the_batch() -> None:
    model = StaticEmbedder()
    texts = ["short", "a much longer text " * 50, "broken \ud800"]
    together = model.embed(texts)
    alone = [model.embed([text])[0] for text in texts]
    assert all((row == one).all() for row, one in zip(together, alone, strict=True))


def test_loading_leaves_the_root_logger_as_it_was() -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers))
    StaticEmbedder().embed(["x"])
    assert (root.level, list(root.handlers)) == before


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError) as caught:
        StaticEmbedder()
    assert "packhorse[static]" in caught.value.hint

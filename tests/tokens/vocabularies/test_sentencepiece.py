"""SentencePiece models count as the library does; chat markup in them is text."""

import pytest
import sentencepiece
from hypothesis import given

from packhorse.errors import InputError
from packhorse.text.wellformed import well_formed
from packhorse.tokens.vocabularies.sentencepiece import SentencePieceCounter
from tests.strategies import raw_texts
from tests.tokens.vocabularies.samples import sentencepiece_model

KINDS = ("bpe", "unigram")
COUNTERS = {
    kind: SentencePieceCounter(kind, sentencepiece_model(kind), where="tokenizer.model")
    for kind in KINDS
}
LIBRARY = {
    kind: sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(kind))
    for kind in KINDS
}


@pytest.mark.parametrize("kind", KINDS)
@given(text=raw_texts())
def test_text_counts_as_the_library_counts_it(kind: str, text: str) -> None:
    if "<start_of_turn>" not in text:
        assert COUNTERS[kind].count(text) == len(LIBRARY[kind].encode(well_formed(text)))


@pytest.mark.parametrize("kind", KINDS)
def test_chat_markup_that_a_model_always_takes_whole_is_text(kind: str) -> None:
    text = "x <start_of_turn>x"
    assert "<start_of_turn>" in LIBRARY[kind].encode(text, out_type=str)
    assert COUNTERS[kind].count(text) > len(LIBRARY[kind].encode(text)) + 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_of_spaces_that_a_model_takes_whole_stays(kind: str) -> None:
    assert COUNTERS[kind].count("x    x") == len(LIBRARY[kind].encode("x    x"))


@pytest.mark.parametrize("cut", [0, 1, 2, 5, 1_000, -1])
def test_a_model_that_breaks_off_is_refused(cut: int) -> None:
    with pytest.raises(InputError, match="is not a whole SentencePiece model"):
        SentencePieceCounter("cut", sentencepiece_model()[:cut], where="tokenizer.model")


@pytest.mark.parametrize("data", [b"\n\x05abc", b"\x0f\x01", b"\n" + b"\xff" * 12, b"\n\x00"])
def test_what_is_no_model_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="is not a whole SentencePiece model"):
        SentencePieceCounter("none", data, where="tokenizer.model")

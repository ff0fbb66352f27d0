"""Sentences of the search come back as they were, and stand on the page once."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from packhorse.report.finding import GAP, _Sentences, find_data
from packhorse.report.view import report_view
from packhorse.report.visible import visible
from tests.explain.test_why import packet_of_every_kind
from tests.report.pages import said
from tests.strategies import raw_texts


def test_every_sentence_comes_back() -> None:
    candidates = report_view(packet_of_every_kind()).candidates
    data = json.loads(find_data(candidates))
    for row, each in zip(data["rows"], candidates, strict=True):
        assert row[:2] == [each.anchor, each.chunk_id]
        assert said(data, row[6]) == each.headline
        assert [said(data, step[2]) for step in row[7]] == [step.detail for step in each.steps]
        assert [said(data, change) for change in row[8]] == list(each.changes)


@given(st.lists(raw_texts() | st.from_regex(r"rank [0-9]{1,12} of 0[0-9]{1,3}"), max_size=6))
def test_any_text_comes_back(texts: list[str]) -> None:
    sentences = _Sentences()
    places = [sentences.place(text) for text in texts]
    data = {"gap": GAP, "sentences": list(sentences.places)}
    assert [said(data, place) for place in places] == [visible(text) for text in texts]


def test_sentences_that_differ_in_numbers_share_one() -> None:
    sentences = _Sentences()
    assert sentences.place("rank 3 of 12") == [0, 3, 12]
    assert sentences.place("rank 10 of 12") == [0, 10, 12]
    assert sentences.place("no rank") == 1
    assert re.sub(GAP, "#", next(iter(sentences.places))) == "rank # of #"

"""What the scripts draw from comes back as it was, in either form; sentences stand there once."""

import base64
import json
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from packhorse.report.data import candidates_data, deflated_block, plain_block
from packhorse.report.page import asset
from packhorse.report.sentences import GAP, Sentences
from packhorse.report.texts import TextView
from packhorse.report.view import report_view
from packhorse.report.visible import visible
from tests.explain.test_why import packet_of_every_kind
from tests.report.engine_in_node import run_in_node
from tests.report.pages import all_data_of, parsed, said
from tests.strategies import raw_texts

CANDIDATES = report_view(packet_of_every_kind()).candidates


def test_every_sentence_comes_back() -> None:
    data = json.loads(candidates_data(CANDIDATES))
    for row, each in zip(data["rows"], CANDIDATES, strict=True):
        assert row[:2] == [each.anchor, each.chunk_id]
        assert said(data, row[6]) == each.headline
        assert [said(data, step[2]) for step in row[7]] == [step.detail for step in each.steps]
        assert [said(data, change) for change in row[8]] == list(each.changes)
        assert [said(data, place) for place in row[10:13]] == [each.code, each.label, each.reason]
        assert row[18] == [text for signal in each.signals for text in (signal.value, signal.share)]
        assert row[9] == (row[13] != "–") == each.is_in


@given(st.lists(raw_texts() | st.from_regex(r"rank [0-9]{1,12} of 0[0-9]{1,3}"), max_size=6))
def test_any_text_comes_back(texts: list[str]) -> None:
    sentences = Sentences()
    places = [sentences.place(text) for text in texts]
    data = {"gap": GAP, "sentences": list(sentences.places)}
    assert [said(data, place) for place in places] == [visible(text) for text in texts]


def test_sentences_that_differ_in_numbers_share_one() -> None:
    sentences = Sentences()
    assert sentences.place("rank 3 of 12") == [0, 3, 12]
    assert sentences.place("rank 10 of 12") == [0, 10, 12]
    assert sentences.place("no rank") == 1
    assert re.sub(GAP, "#", next(iter(sentences.places))) == "rank # of #"


@given(raw_texts(), raw_texts())
def test_texts_come_back_from_either_form(text: str, chunk_id: str) -> None:
    (first, *_) = (each for each in CANDIDATES if not each.is_in)
    one = replace(first, chunk_id=chunk_id)
    inner = candidates_data([one], {chunk_id: TextView(text=text, notes=("Cut.",))})
    for block in (plain_block, deflated_block):
        page = block(f'{{"candidates":{inner}}}')
        assert len(parsed(page).css("script")) == 1
        data = all_data_of(page)["candidates"]
        assert data["texts"] == {one.anchor: [visible(text), "Cut."]}
        assert data["rows"][0][1] == visible(chunk_id)


def test_the_page_reads_base_85_of_any_length() -> None:
    contents = [bytes((7 * n + 251 * k) % 256 for n in range(k)) for k in range(1, 40)]
    contents += [b"\xff" * k for k in range(1, 10)] + [b"\x00" * k for k in range(1, 10)]
    asked = [base64.b85encode(each).decode().replace("<", ",") for each in contents]
    code = asset("data.js")
    reader = code[code.index("function fromBase85") : code.index("const pageData")]
    script = reader + (
        "const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "process.stdout.write(JSON.stringify(asked.map((text) => [...fromBase85(text)])));"
    )
    assert run_in_node(script, asked) == [list(each) for each in contents]

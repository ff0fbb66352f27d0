"""What a page's scripts draw from: rows of the tables, answers of the search, texts."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from packhorse.report.element import Html, data_block, verbatim
from packhorse.report.numbers import integer
from packhorse.report.sentences import GAP, Sentences
from packhorse.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packhorse.report.candidates import CandidateView
    from packhorse.report.texts import TextView
    from packhorse.report.view import FilterView, ReportView

__all__ = ["candidates_data", "deflated_block", "page_data", "plain_block"]

DATA_ID = "page-data"
NOTHING = "–"  # noqa: RUF001 - a dash for no value


def page_data(view: ReportView, texts: Mapping[str, TextView], again: str) -> str:
    """All data of a page as one JSON document; `again` is the part for selecting again."""
    filters = {"reason": view.reasons, "source": view.sources}
    candidates = candidates_data(view.candidates, texts, view.not_found, filters)
    return f'{{"candidates":{candidates},"whatIf":{again}}}'


def plain_block(json_text: str) -> Html:
    """The data as it is, for anybody to read."""
    return data_block(DATA_ID, json_text)


def deflated_block(json_text: str) -> Html:
    """The data as a zlib stream (RFC 1950) in base 85, which takes 6 % less than base 64.

    What comes out of it is the same everywhere; its own bytes are those of the zlib at hand.
    """
    stream = zlib.compress(json_text.encode("utf-8"), 9)
    # Without its only `<`, nothing in the text can mean anything to a reader of HTML.
    text = base64.b85encode(stream).decode("ascii").replace("<", ",")
    return verbatim("script", text, type="application/zlib", id=DATA_ID)


def candidates_data(
    candidates: Sequence[CandidateView],
    texts: Mapping[str, TextView] | None = None,
    not_found: str = "",
    filters: Mapping[str, Sequence[FilterView]] | None = None,
) -> str:
    """JSON: sentences, and a row a candidate in the page's order; all of it ready to be shown.

    Args:
        candidates: of the view.
        texts: of excluded ones by chunk id; packed ones have theirs on the page itself.
        not_found: what a search without a hit means.
        filters: of excluded ones, by what they look at: `reason` or `source`.
    """
    sentences = Sentences()
    said = sentences.place
    rows = [list(_row(each, sentences)) for each in candidates]
    choices = {
        name: [[said(each.value), said(each.label), integer(each.count)] for each in offered]
        for name, offered in (filters or {}).items()
    }
    data = {
        "gap": GAP,
        "questions": [step.question for step in candidates[0].steps] if rows else [],
        "nothing": not_found,
        "sentences": list(sentences.places),
        "rows": rows,
        "filters": choices,
        "texts": {
            each.anchor: [visible(text.text), *text.notes]
            for each in candidates
            if not each.is_in and (text := (texts or {}).get(each.chunk_id)) is not None
        },
    }
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def _row(each: CandidateView, sentences: Sentences) -> Iterator[object]:
    """The fields that data.js names, in its order."""
    said = sentences.place
    yield each.anchor
    yield visible(each.chunk_id)
    yield from map(said, (each.source, each.source_id, each.section_id, each.date, each.headline))
    yield [[said(step.answer), said(step.tone), said(step.detail)] for step in each.steps]
    yield [said(change) for change in each.changes]
    yield int(each.is_in)
    yield from map(said, (each.code, each.label, each.reason))
    yield NOTHING if each.position is None else f"[{each.position}]"
    yield from map(_number, (each.rank, each.tokens))
    yield each.score
    yield _number(each.fits_at)
    yield [number for signal in each.signals for number in (signal.value, signal.share)]
    yield [_number(rank) for rank in each.ranks]


def _number(value: int | None) -> str:
    return NOTHING if value is None else integer(value)

"""Reads a page as its own source, strictly: any error that the HTML standard names is a fault."""

import base64
import json
import re
import zlib
from typing import Any

import html5lib
from selectolax.lexbor import LexborHTMLParser

__all__ = ["all_data_of", "data_of", "is_deflated", "parsed", "said", "strict_errors", "tags_of"]


def parsed(page: str) -> LexborHTMLParser:
    """The tree that a browser would build."""
    return LexborHTMLParser(page)


def strict_errors(page: str) -> list[str]:
    """Parse errors by the names of the standard, with their places."""
    parser = html5lib.HTMLParser(strict=False)
    parser.parse(page)
    return [f"{place}: {name} {details}" for place, name, details in parser.errors]


def tags_of(page: str) -> dict[str, int]:
    """How many elements of each name there are."""
    counts: dict[str, int] = {}
    for node in parsed(page).css("*"):
        counts[node.tag or ""] = counts.get(node.tag or "", 0) + 1
    return counts


def _block(page: str) -> tuple[str, str]:
    found = re.search(r'<script type="([^"]+)" id="page-data">(.*?)</script>', page)
    assert found is not None
    return found.group(1), found.group(2)


def is_deflated(page: str) -> bool:
    """Whether its data is a zlib stream."""
    return _block(page)[0] == "application/zlib"


def all_data_of(page: str) -> Any:
    """What the scripts draw from, whatever form it is in."""
    kind, text = _block(page)
    if kind == "application/zlib":
        text = zlib.decompress(base64.b85decode(text.replace(",", "<"))).decode("utf-8")
    return json.loads(text)


def data_of(page: str) -> Any:
    """What the tables and the search read."""
    return all_data_of(page)["candidates"]


def said(data: Any, place: int | list[int]) -> str:
    """A sentence of the search, as its script puts it together."""
    if isinstance(place, int):
        return str(data["sentences"][place])
    pieces = data["sentences"][place[0]].split(data["gap"])
    return str(pieces[0]) + "".join(
        f"{n}{piece}" for n, piece in zip(place[1:], pieces[1:], strict=True)
    )

"""Cells of HTML tables that span rows, and headers of many rows, as Markdown can say them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["level_tables"]

SECTIONS = frozenset(("thead", "tbody", "tfoot"))
CELLS = frozenset(("th", "td"))
BREAKS = frozenset(("br", "p", "li", "div", "dt", "dd"))
"""Elements at which a new word begins."""
MAX_COLUMNS = 256
"""A wider table stays as it is."""
MAX_REPEATED_CHARS = 80
"""A longer value that spans many rows or columns stands in the first of them alone."""
MAX_SPAN = 65_534
"""The most rows that a cell may span in HTML."""
MAX_GROWTH = 20
"""What is repeated in a table is at most so many times what it says."""
_DIGITS = re.compile(r"[ \t\n]*\+?(\d{1,5})")

Grid = list[list[Any]]
"""By row and column, the cell that covers the place; None where there is none."""


def level_tables(tree: Any, main: Any) -> None:
    """Repeats the value of a cell in each row that it spans; makes one header row of many.

    The header names each column by the words above it, from top to bottom; a row of it that is one
    cell over the whole table becomes a paragraph before. Tables that hold tables are left alone.
    """
    for table in main.css("table"):
        if any(node != table for node in table.css("table")):
            continue
        sections = [_children(part, {"tr"}) for part in _children(table, SECTIONS)]
        grids = [grid for rows in sections if (grid := _grid(rows)) is not None]
        if len(grids) < len(sections):
            continue
        growth = MAX_GROWTH * len(_said(table))
        headers = _header_rows(table, sections, grids)
        for rows, grid in zip(sections, grids, strict=True):
            growth = _fill(tree, rows[headers:], grid[headers:], growth)
            _merge(tree, table, rows[:headers], grid[:headers])
            headers = 0


def _children(node: Any, tags: frozenset[str] | set[str]) -> list[Any]:
    found = []
    child = node.child
    while child is not None:
        if child.tag in tags:
            found.append(child)
        child = child.next
    return found


def _span(cell: Any, name: str, most: int) -> int:
    digits = _DIGITS.match(cell.attributes.get(name) or "")
    count = int(digits[1]) if digits else 1
    if not count and name == "rowspan":
        return most  # to the end of the section
    return max(1, min(count, most))


def _grid(rows: Sequence[Any]) -> Grid | None:
    """Which cell covers which place, as browsers lay a table out; None where it is too wide."""
    grid: Grid = []
    pending: dict[int, tuple[int, Any]] = {}
    for row in rows:
        places = {column: cell for column, (_, cell) in pending.items()}
        pending = {column: (left - 1, cell) for column, (left, cell) in pending.items() if left > 1}
        column = 0
        for cell in _children(row, CELLS):
            while column in places:
                column += 1
            down = _span(cell, "rowspan", MAX_SPAN)
            for place in range(column, column + _span(cell, "colspan", MAX_COLUMNS + 1)):
                places[place] = cell
                if down > 1:
                    pending[place] = (down - 1, cell)
        width = max(places, default=-1) + 1
        if width > MAX_COLUMNS:
            return None
        grid.append([places.get(place) for place in range(width)])
    return grid


def _header_rows(table: Any, sections: Sequence[list[Any]], grids: Sequence[Grid]) -> int:
    """How many rows of the first section are the header; 0 where that is one row or none."""
    if not sections or not grids[0]:
        return 0
    if _children(table, SECTIONS)[0].tag == "thead":
        count = len(sections[0])
    else:
        count = 0
        for row, places in zip(sections[0], grids[0], strict=True):
            cells = _children(row, CELLS)
            named = cells and all(cell.tag == "th" for cell in cells)
            if not named or (count and _is_title(places)):
                break
            count += 1
        if count == sum(map(len, sections)):
            return 0
    return count if count > 1 else 0


def _is_title(places: Sequence[Any]) -> bool:
    return len(places) > 1 and all(place == places[0] for place in places)


def _fill(tree: Any, rows: Sequence[Any], grid: Grid, growth: int) -> int:
    """Puts the value of cells from rows above where they reach to; returns what is left to grow."""
    values: dict[int, str] = {}
    for row, places in zip(rows, grid, strict=True):
        own = _children(row, CELLS)
        mine = {cell.mem_id for cell in own}
        if own and any(place is not None and place.mem_id not in mine for place in places):
            behind = iter(own)
            following = next(behind, None)
            seen: set[int] = set()
            for place in places:
                number = place.mem_id if place is not None else 0
                if number in mine:
                    if number not in seen:
                        following = next(behind, None)
                else:
                    value = "" if place is None or number in seen else _value(place, values)
                    value = value if len(value) <= growth else ""
                    growth -= len(value)
                    _add(tree, row, following, value)
                seen.add(number)
        _end_spans(own)
    return growth


def _end_spans(cells: Sequence[Any]) -> None:
    for cell in cells:
        if "rowspan" in cell.attributes:
            del cell.attrs["rowspan"]


def _value(cell: Any, values: dict[int, str]) -> str:
    if cell.mem_id not in values:
        said = _said(cell)
        values[cell.mem_id] = said if len(said) <= MAX_REPEATED_CHARS else ""
    return values[cell.mem_id]


def _add(tree: Any, row: Any, following: Any, value: str) -> None:
    cell = tree.create_node("td")
    cell.insert_child(value)
    if following is None:
        row.insert_child(cell)
    else:
        following.insert_before(cell)


def _merge(tree: Any, table: Any, rows: Sequence[Any], grid: Grid) -> None:
    """Makes the first row say what all of them do; the others go."""
    kept = [(row, places) for row, places in zip(rows, grid, strict=True) if not _is_title(places)]
    if not kept:
        return
    for places in grid:
        if _is_title(places) and (said := _said(places[0])):
            title = tree.create_node("p")
            title.insert_child(said)
            table.insert_before(title)
    names = _names([places for _, places in kept])
    first = kept[0][0]
    for row in rows:
        if row != first:
            row.decompose()
    if len(kept) == 1:
        return
    for cell in _children(first, CELLS):
        cell.decompose()
    for name in names:
        cell = tree.create_node("th")
        cell.insert_child(name)
        first.insert_child(cell)


def _names(grid: Grid) -> list[str]:
    words: list[list[str]] = [[] for _ in range(max(map(len, grid)))]
    said: dict[int, str] = {}
    last: dict[int, int] = {}
    for places in grid:
        for column, cell in enumerate(places):
            if cell is None or last.get(column) == cell.mem_id:
                continue
            last[column] = cell.mem_id
            is_first = cell.mem_id not in said
            text = said.setdefault(cell.mem_id, _said(cell))
            repeats = is_first or len(text) <= MAX_REPEATED_CHARS
            if text and repeats and words[column][-1:] != [text]:
                words[column].append(text)
    return [" ".join(each) for each in words]


def _said(node: Any) -> str:
    parts = [
        (part.text_content or "") if part.tag == "-text" else " " if part.tag in BREAKS else ""
        for part in node.traverse(include_text=True)
    ]
    return " ".join("".join(parts).split())

r"""Ends code fences and HTML blocks that a text leaves open, so that they cannot swallow a heading.

A Markdown parser is not needed for that, because where a line could be read in two ways (inside
of a list item or not, inside of an HTML block or not), the marker gets a backslash, which makes
it plain text in both readings. Only a fence that is certainly open is closed by a fence.
CommonMark 0.31, sections 4.5 and 4.6.
"""

import re
from dataclasses import dataclass

__all__ = ["close_open_blocks"]

MAX_RESCANS = 32
"""Ambiguous fences that are looked at one by one; in a stranger text all of them are escaped."""

_FENCE = re.compile(r"(?P<indent> {0,3})(?P<marks>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)
_FENCE_START = re.compile(r"(^|(?<=[\n\r]))( {0,3})(?=```|~~~)")
_HTML = re.compile(r" {0,3}</?[A-Za-z]")
_LINE = re.compile(r"\n|\r\n?")
_RAW = "(?:script|pre|style|textarea)"
_TERMINATED = tuple(
    (re.compile(rf" {{0,3}}<{start}", re.IGNORECASE), re.compile(end, re.IGNORECASE))
    for start, end in (
        (rf"{_RAW}(?:[\s>]|$)", f"</{_RAW}>"),
        (r"!--", "-->"),
        (r"\?", r"\?>"),
        (r"!\[CDATA\[", r"\]\]>"),
        (r"![A-Za-z]", ">"),
    )
)
_BLANK = re.compile(r"[ \t]*$")


@dataclass(frozen=True, slots=True)
class _Fence:
    row: int
    indent: int
    marks: str


def close_open_blocks(text: str) -> str:
    """The text, followed by what it takes for the next line to stand on its own."""
    if "```" not in text and "~~~" not in text and "<" not in text:
        return text
    scan = _Scan(_LINE.split(text))
    scan.run()
    if scan.rescans > MAX_RESCANS:
        return close_open_blocks(_FENCE_START.sub(r"\1\2\\", text))
    return scan.joined(text)


class _Scan:
    """One pass over the lines, with a step back to an opener that turned out ambiguous."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.end = len(lines) - (not lines[-1])
        """A line end that closes the text opens no line of its own."""
        self.escaped: set[int] = set()
        self.absent: set[re.Pattern[str]] = set()
        """Terminators that do not come any more: looking for each again would be quadratic."""
        self.rescans = 0
        self.fence: _Fence | None = None
        self.html_until: re.Pattern[str] | None = None
        """What ends the HTML block that the pass is in; None outside of any."""

    def run(self) -> None:
        row = 0
        while row <= self.end and self.rescans <= MAX_RESCANS:
            if row == self.end:
                if self.fence is None or self.fence.indent == 0:
                    return
                row = self._give_up()
            elif self.fence is not None:
                row = self._inside_fence(row, self.fence)
            else:
                self._outside(row)
                row += 1

    def _give_up(self) -> int:
        """Takes the open fence for text, and goes on behind it."""
        assert self.fence is not None  # noqa: S101 - for the type checker; both callers have one
        row = self.fence.row
        self.escaped.add(row)
        self.rescans += 1
        self.fence = None
        return row + 1

    def _inside_fence(self, row: int, fence: _Fence) -> int:
        line = self.lines[row]
        match = _FENCE.match(line)
        closes = (
            match is not None
            and match["marks"][0] == fence.marks[0]
            and len(match["marks"]) >= len(fence.marks)
            and not match["info"].strip(" \t")
        )
        indent = len(line) - len(line.lstrip(" "))
        if closes and fence.indent in (0, indent):
            self.fence = None
        elif closes or (line.strip() and indent < fence.indent):
            return self._give_up()
        return row + 1

    def _outside(self, row: int) -> None:
        line = self.lines[row]
        fence = _FENCE.match(line)
        if self.html_until is not None:
            if fence is not None:
                self.escaped.add(row)
            if self._ends_html(line):
                self.html_until = None
            return
        if fence is not None:
            if fence["marks"][0] == "~" or "`" not in fence["info"]:
                self.fence = _Fence(row, len(fence["indent"]), fence["marks"])
            return
        for start, end in _TERMINATED:
            if start.match(line):
                self._terminated(row, end)
                return
        if _HTML.match(line):
            self.html_until = _BLANK

    def _ends_html(self, line: str) -> bool:
        """Whether the line ends the HTML block that the pass is in."""
        end = self.html_until
        return end is not None and bool(end.match(line) if end is _BLANK else end.search(line))

    def _terminated(self, row: int, end: re.Pattern[str]) -> None:
        """Enters an HTML block that only its terminator ends; without one it is text."""
        if end.search(self.lines[row]):
            return
        if end not in self.absent and any(end.search(line) for line in self.lines[row + 1 :]):
            self.html_until = end
        else:
            self.absent.add(end)
            self.escaped.add(row)

    def joined(self, text: str) -> str:
        """The text with its escapes and with the closers that it needs."""
        if self.escaped:
            breaks = [*_LINE.findall(text), ""]
            text = "".join(
                (_with_backslash(line) if row in self.escaped else line) + line_break
                for row, (line, line_break) in enumerate(zip(self.lines, breaks, strict=True))
            )
        if self.fence is None and self.html_until is None:
            return text
        text = text if text.endswith("\n") else f"{text}\n"
        return f"{text}{self.fence.marks}\n" if self.fence is not None else f"{text}\n"


def _with_backslash(line: str) -> str:
    start = len(line) - len(line.lstrip(" "))
    return f"{line[:start]}\\{line[start:]}"

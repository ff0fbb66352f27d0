r"""Texts inside their frames: counted so that no text is tokenised a second time.

A chunk is counted alone, and again inside its block. Where a counter says that it `cuts_at_words`,
the block need not be tokenised whole: with a cut behind a late word of the text,

    text  = body + end                "A home office that ... is" + " deductible."
    block = opener + body + closing   '<evidence n="3">\n' + body + ' deductible.\n</evidence>\n'

the block costs what the text costs, less its short end, plus opener and closing. The long body is
tokenised once, however many frames it stands in. Nothing is estimated: a cut is a place where the
tokens on each side do not depend on the other side. A certificate counts the finished text whole
all the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import TokenCounter

__all__ = ["cuts_at_words", "framed_counts", "recount"]

MIN_CHARS = 64
"""Shorter texts are counted whole: finding cuts in them costs more than it saves."""
TRIES = 8
"""Spaces that are looked at from the end of a text before a regular expression is asked."""

_TAKEN_APART = (
    r"\u0958-\u095f\u09dc-\u09df\u0a33-\u0a36\u0a59-\u0a5e\u0b5c\u0b5d\u0f43-\u0f69\ufb1d-\ufb4e"
)
"""Letters that the normal form NFC makes a letter and a mark of, and some beside them. Where a
vocabulary takes marks for symbols, the mark joins the full stop or line end behind it."""
_WORD_END = rf"[^\W\d_{_TAKEN_APART}](?=[ \n.,;:!?\u3001\u3002\uff0c])"
_FIRST = re.compile(_WORD_END)
_LAST = re.compile(rf"(?s:.*){_WORD_END}")

Pieces = tuple[str, str, str, str]
"""Start and end of a text, and the same two inside their frame."""


def cuts_at_words(counter: TokenCounter) -> bool:
    """Whether tokens never span, nor look across, the edge of a word.

    That is the place between a letter and a space, line end or one of `.,;:!?` behind it, and the
    place between a single line end and a letter that opens the next line. A counter says so with
    a true attribute `cuts_at_words`; one that does not is never split.
    """
    return bool(getattr(counter, "cuts_at_words", False))


def recount(counter: TokenCounter, text: str) -> int:
    """Tokens of a text as a certificate needs them: never put together, never from a file.

    A counter that remembers counts in a file has a method `recount` that does not look there.
    """
    count = getattr(counter, "recount", counter.count)
    return int(count(text))


def framed_counts(
    counter: TokenCounter, texts: Sequence[str], framed: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Tokens of each text and of each longer text that it stands in, in one batch.

    Args:
        counter: counts; should remember what it counted, since texts come again in other frames.
        texts: what stands inside. An empty one asks for its frame alone.
        framed: as many; where a text does not stand in its frame word for word (because something
            in it was escaped), both are counted whole.
    """
    cuts = cuts_at_words(counter)
    asked = list(texts)
    split = [cuts and _pieces(*pair) for pair in zip(texts, framed, strict=True)]
    for pieces, whole in zip(split, framed, strict=True):
        asked += pieces or (whole,)
    counts = counter.count_batch(asked)
    of_texts, rest = counts[: len(texts)], iter(counts[len(texts) :])
    of_framed = [
        next(rest) if not pieces else alone - next(rest) - next(rest) + next(rest) + next(rest)
        for alone, pieces in zip(of_texts, split, strict=True)
    ]
    return of_texts, of_framed


def _pieces(text: str, framed: str) -> Pieces | None:
    """What to count; None when the text is short, is changed in its frame, or has no cut."""
    if len(text) < MIN_CHARS:
        return None
    place = framed.find(text[:MIN_CHARS])
    if not framed.startswith(text, place):
        # The text's first words may stand in its title too. Asked last: it takes longest.
        place = framed.find(text)
    if place < 0:
        return None
    start = 0 if _opens_line(text, framed, place) else _first(text)
    end = _last(text)
    if end <= start:
        return None
    return text[:start], text[end:], framed[: place + start], framed[place + end :]


def _opens_line(text: str, framed: str, place: int) -> bool:
    """Whether the text's first letter stands behind one line end, or behind nothing."""
    if not text[0].isalpha():
        return False
    return not place or (
        place > 1 and framed[place - 1] == "\n" and not framed[place - 2].isspace()
    )


def _first(text: str) -> int:
    found = _FIRST.search(text)
    return found.end() if found else len(text)


def _last(text: str) -> int:
    """The last cut, or one near it; 0 for none."""
    end = len(text)
    for _ in range(TRIES):
        end = text.rfind(" ", 1, end)
        if end < 0:
            break
        if text[end - 1].isalpha():
            return end
    found = _LAST.match(text)
    return found.end() if found else 0

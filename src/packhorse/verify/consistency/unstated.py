"""Lines of a text that state nothing: commands, code, rows of tables, notes on versions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.text.sentences import Sentence

__all__ = ["ends_like_prose", "states_nothing"]

CODE_INDENT = 4
"""Blanks before a line from which it is code or a cell, unless it ends like a sentence."""
MAX_NOTE_WORDS = 10

_OPTION = re.compile(r"(?<!\S)--?[A-Za-z][\w-]*+(?:=\S*)?(?=\s|$)")
_PROMPT = re.compile(r"(?:\$|%|#|>|\w+@\S+[$#])\s+\S")
_ENGLISH = re.compile(
    r"\b(?:the|an?|is|are|was|were|be|has|have|can|may|must|should|will|this|that|it|its|which|if"
    r"|when|you|your|does|do)\b",
    re.IGNORECASE,
)
"""One of these is in nearly every sentence, and in few commands."""
_CODE_END = re.compile(r"[;{}]\s*$")
_CODE_MARK = re.compile(r"\w\s*[-+*/|]?=[^=]|\w\(|->|::|[{}]")
_GAP = re.compile(r"\S(?: {3,}|[ ]*\t\s*)\S|[:=] {2,}\S")
"""Blanks between the cells of a row; two behind a colon. Justified lines have one or two."""
_LIST_ITEM = re.compile(r"[-*+\u2022\u25e6] |\(?\d{1,3}[.)] ")
_NOTE = re.compile(
    r"\W*(?:(?:this\s+)?(?:bug|feature|option|regression)\s+(?:was\s+)?)?"
    r"(?:new|added|changed|deprecated|removed|introduced|available|fixed|present)\s+"
    r"(?:in|since|with|as of)\b",
    re.IGNORECASE,
)
_RELEASE = re.compile(r"\d+\.\d\S*\s+\(\d{4}-\d\d-\d\d\)")
_DEFAULT = re.compile(
    r"(?:the )?defaults?(?: value| setting)?(?:\s+(?:is|are|to)\b|:)", re.IGNORECASE
)
"""The default of what stands above it, where it does not say of what itself."""
_OF_WHAT = re.compile(r"\s(?:for|of)\s", re.IGNORECASE)
_VERSION = re.compile(r"\d+\.\d")
_BRACKETED = re.compile(r"\[[^\[\]]*\][.;]?")


def states_nothing(text: str, sentence: Sentence) -> bool:
    """Whether a sentence of `text` is none, though it stands where one could.

    Commands with options, lines of code and cells between blanks are not compared: what they are
    an example of, or a row of, stands elsewhere. Nor are notes in brackets, headings of releases,
    and what says only since which version there is what stands above, or what its default is.
    """
    said = sentence.text
    return (
        _BRACKETED.fullmatch(said) is not None
        or (_DEFAULT.match(said) is not None and not _OF_WHAT.search(said))
        or _is_note(said)
        or _is_command(said)
        or _is_code(said)
        or (not ends_like_prose(said) and (_is_row(said) or _is_set_in(text, sentence)))
    )


def ends_like_prose(said: str) -> bool:
    """Whether a text ends in a mark that ends a sentence."""
    return said.rstrip("\"')\u2019\u201d")[-1:] in {".", "!", ";"}


def _is_note(said: str) -> bool:
    if _RELEASE.search(said) and not ends_like_prose(said):
        return True
    return (
        _NOTE.match(said) is not None
        and _VERSION.search(said) is not None
        and len(said.split()) <= MAX_NOTE_WORDS
    )


def _is_command(said: str) -> bool:
    if _PROMPT.match(said) and not ends_like_prose(said):
        return True
    return _OPTION.search(said) is not None and not _ENGLISH.search(said)


def _is_code(said: str) -> bool:
    return _CODE_END.search(said) is not None and _CODE_MARK.search(said) is not None


def _is_row(said: str) -> bool:
    return _GAP.search(said) is not None


def _is_set_in(text: str, sentence: Sentence) -> bool:
    """Whether its line is set in like code, and is no item of a list."""
    line = text.rfind("\n", 0, sentence.start) + 1
    before = text[line : sentence.start]
    if before.strip() or _LIST_ITEM.match(sentence.text):
        return False
    return len(before.expandtabs(CODE_INDENT)) >= CODE_INDENT

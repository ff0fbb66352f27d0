"""What a chunk is called.

By its title; by the title without a part in brackets, and by what stands before a comma in it; by
each part of a heading path, and by headings in its text; by the path of a heading that its text
begins with, as the chunks after it have it for a header; by their numbers ("4.2 Limits" is Section
4.2); by what its first sentence says that something is ("X is ...", "X (born ...)"); by terms that
it defines ("Gross income" means ..., (the "Fund")); by identifiers that it defines (`ERR_CLOSED:`,
`def parse_config(`); and by the address that links lead to.

Names are taken from documents, so nobody has checked them: what a name is worth is decided where it
is used, by how many chunks bear it and how many mention it. An index keeps them: a change here, or
to the words of a text, raises `kb.manifest.FORMAT_VERSION`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from packhorse.text.analysis import content_terms
from packhorse.text.links import anchors_of
from packhorse.text.name_words import Word, link_words, source_mark, words_of
from packhorse.text.opening import opening_headings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packhorse.types.chunk import Chunk

__all__ = ["MAX_NAMES", "MAX_NAME_WORDS", "Name", "names_of"]

MAX_NAME_WORDS = 10
"""Longer titles are sentences; nobody mentions them whole."""
MAX_NAMES = 32
"""Of a chunk; the first ones count, titles before headings before what is defined."""

TITLE = 100
HEADING = 80
DEFINED = 80
SHORTENED = 60

_MAX_TITLE_CHARS = 1000
_SCANNED_CHARS = 100_000
"""Names that a longer chunk defines behind this are not taken."""
_MAX_DEFINED_WORDS = 7
_BRACKETS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_IS = re.compile(
    r"\s*[\"'\u201c]?([A-Z0-9][^\n(\[;:.!?]{1,70}?)[\"'\u201d]?"
    r"\s*(?:\(|,? (?:is|was|are|were|refers to)\b)"
)
_PATH = re.compile(r"\s+[/>\u203a\u00bb]\s+")
_HEADING_LINE = re.compile(
    r"^ {0,3}(?:#{1,6}[ \t]+([^\n]{1,200})|(?:```|~~~)[^\n]*"
    r"|(\S[^\n]{0,119})\n([=\-~^\"*+])\3{2,}[ \t]*$)",
    re.MULTILINE,
)
_MARKS = re.compile(r"[*`]+|[ \t]#+[ \t]*$|^#+[ \t]+")
_NUMBERED = re.compile(
    r"(?:(\u00a7+|[A-Za-z]{2,9}\.?)\s{0,3})?"
    r"(\d{1,6}[A-Za-z]?(?:[.-]\d{1,6}[A-Za-z]?){0,6}(?:\([A-Za-z0-9]{1,5}\)){0,4}|[A-Z]\b|[IVXLC]{1,7}\b)"
    r"(?:[.:)\s\u2013\u2014-]+|$)"
)
_KIND_WORDS = (
    "\u00a7 \u00a7\u00a7 section sec chapter ch article art part appendix annex exhibit schedule"
    " figure fig table rule clause step item paragraph para"
)
_KINDS = frozenset(_KIND_WORDS.split())
_COLON = re.compile(r"\s*[:\u2013\u2014]\s|\s-\s")
_QUOTED = re.compile(
    r"\((the |each an? |collectively,? the |hereinafter,? (?:the )?)?"
    r"[\"\u201c]([^\"\u201c\u201d\n]{2,60})[\"\u201d]\)"
    r"|[\"\u201c]([^\"\u201c\u201d\n]{2,60})[\"\u201d],?\s{1,3}"
    r"(?:means|shall mean|has the meaning|refers to|is defined as)\b"
)
_BOLD = re.compile(
    r"^[ \t]{0,8}(?:[-*+][ \t]{1,4}|\d{1,3}[.)][ \t]{1,4})?"
    r"\*\*([^*\n]{2,60})\*\*[ \t]{0,3}(?:[:\u2013\u2014-]|(?:means|is|are|refers to)\b)",
    re.MULTILINE,
)
_CODE = re.compile(
    r"^[ \t]{0,40}(?:(?:export|public|private|protected|static|async|pub|final|abstract|const"
    r"|inline)[ \t]{1,4}){0,4}(?:def|class|function|fn|func|interface|struct|enum|trait)[ \t]{1,4}"
    r"(\w{3,80})[ \t]{0,3}[(<:{]",
    re.MULTILINE,
)
_LISTED = re.compile(
    r"^[ \t]{0,8}(?:[-*+|][ \t]{1,4})?[*`\"]{0,3}([A-Za-z][\w.-]{2,60})[*`\"]{0,3}"
    r"(?:\(\)[*`]{0,3})?[ \t]{0,8}(?:[:=|(]|[-\u2013\u2014][ \t])",
    re.MULTILINE,
)
_IDENTIFIER = re.compile(r"(?=\w{0,80}[A-Za-z])\w{1,80}_\w|[A-Za-z]{1,20}-?\d|[a-z]{1,30}[A-Z]")
_MAX_HEADING_WORDS = 6
"""A longer heading is about the identifiers in it, and does not name them."""
_ACRONYM = re.compile(r"[A-Z][A-Z0-9&.-]+$")
_GENERIC_HEADINGS = """
    about|abstract|appendix|arguments|background|conclusion|conclusions|contact|contents|definition
    definitions|description|details|discussion|example|examples|faq|general|getting started
    glossary|history|important|index|installation|introduction|license|method|methods
    more information|note|notes|options|overview|parameters|purpose|reference|references
    requirements|result|results|returns|scope|see also|summary|table of contents|tip|usage|warning
"""
_GENERIC = frozenset(
    tuple(each.split()) for line in _GENERIC_HEADINGS.splitlines() for each in line.split("|")
)
"""Headings that stand in any document."""


class Name(NamedTuple):
    """What a chunk is called."""

    key: tuple[str, ...]
    """The search term of each word."""
    capitals: tuple[bool, ...]
    """Which words are written with a capital; behind the first, a mention must keep them."""
    weight: int
    """How sure it is, in hundredths: a title is, an alias is less."""
    needs_capital: bool = False
    """A mention begins with a capital."""
    is_heading: bool = False
    """Where the source of a text has such a heading, the text means that one."""


def names_of(chunk: Chunk) -> list[Name]:
    """What a chunk is called, surest first; no key twice, at most 32.

    Aliases must look like names: with a capital, two where they have more than one word. What is
    made of function words alone is no name.
    """
    names = _Names(chunk.source_id)
    title = " ".join(chunk.header.split())[:_MAX_TITLE_CHARS]
    text = chunk.text[:_SCANNED_CHARS]
    headings = list(_headings(text))
    for path in _paths(title, opening_headings(text, chunk.section_id)):
        # "Overview" is a heading, unless the operator's record or front matter makes it the title.
        if not _is_generic(path) or (path == title and not chunk.position_in_source):
            names.add_title(path)
    for heading in headings:
        names.add_heading(heading)
    # The middle of a text begins with any sentence; a beginning says what it is about.
    if headings or (title and not chunk.position_in_source):
        names.add_subject(text.removeprefix(f"{chunk.header}\n"), headings)
    if _looks_numbered(chunk.section_id):
        names.add_number(chunk.section_id)
    names.add_address(chunk.section_id, [*headings, *anchors_of(chunk)])
    names.add_quoted(text)
    names.add_bold(text)
    names.add_identifiers(text)
    return names.found


class _Names:
    def __init__(self, source_id: str) -> None:
        self._source_id = source_id
        self._by_key: dict[tuple[str, ...], Name] = {}

    @property
    def found(self) -> list[Name]:
        return list(self._by_key.values())

    def add_title(self, title: str) -> None:
        bare = _BRACKETS.sub(" ", title).strip()
        for variant in dict.fromkeys((title, bare)):
            self._add(variant, TITLE)
        if "," in bare:
            self._add(bare.split(",")[0], SHORTENED, is_alias=True)
        parts = [part for part in _PATH.split(title) if part and part != "..."]
        if len(parts) > 1:
            for part in parts:
                self.add_heading(part)
        else:
            self._add_lead(title)

    def add_heading(self, heading: str) -> None:
        bare = _BRACKETS.sub(" ", heading).strip()
        numbered = _NUMBERED.match(heading)
        if numbered and self._is_number(numbered):
            kind = (numbered[1] or "").rstrip(".").lower()
            self.add_number(numbered[2], kind)
            bare = _BRACKETS.sub(" ", heading[numbered.end() :]).strip()
        for variant in dict.fromkeys((heading, bare)):
            if not _is_generic(variant):
                one_word = " " not in variant
                self._add(variant, HEADING, needs_capital=one_word, is_heading=True)
        self._add_lead(heading)

    def add_number(self, number: str, kind: str = "") -> None:
        """As sections of this source are referred to, and more vaguely those of any source."""
        kinds = [kind] if kind else ["section", "chapter"] if number.isdigit() else ["section"]
        for each in kinds:
            words = words_of(f"{each} {number}")
            here = Word(source_mark(self._source_id), capital=False)
            self._put([here, *words], TITLE, is_heading=True)
            self._put(words, SHORTENED, is_heading=True)

    def add_subject(self, text: str, headings: Sequence[str]) -> None:
        """What the first sentence behind the headings says that something is."""
        for heading in headings:
            first, _, rest = text.lstrip().partition("\n")
            if heading not in first:
                break
            text = rest
        subject = _IS.match(text)
        if subject and 1 < len(subject[1].split()) <= _MAX_DEFINED_WORDS:
            self._add(subject[1], DEFINED, is_alias=True)

    def add_address(self, section_id: str, headings: Sequence[str]) -> None:
        """What links to this chunk stand as."""
        for place in ("", section_id, *headings):
            if place or not section_id:
                self._put_link(place)
        self._put_link("")

    def add_quoted(self, text: str) -> None:
        for found in _QUOTED.finditer(text) if '"' in text or "\u201c" in text else ():
            term = found[2] or found[3]
            if found[3] or found[1]:
                self._add(term, DEFINED, needs_capital=" " not in term)
            elif _ACRONYM.match(term):
                self._add(term, SHORTENED, is_alias=True)

    def add_bold(self, text: str) -> None:
        for found in _BOLD.finditer(text) if "**" in text else ():
            if not _is_generic(found[1].rstrip(":")):
                self._add(found[1].rstrip(":"), SHORTENED, is_alias=True)

    def add_identifiers(self, text: str) -> None:
        for pattern in (_CODE, _LISTED):
            for found in pattern.finditer(text):
                if pattern is _CODE or _IDENTIFIER.match(found[1]):
                    self._add(found[1], DEFINED)

    def _add_lead(self, heading: str) -> None:
        """`Form 8829` of `Form 8829: Expenses`, and identifiers anywhere in a heading."""
        lead = _COLON.split(heading, maxsplit=1)[0]
        if lead != heading and any(map(str.isdigit, lead)):
            self._add(lead, SHORTENED, is_alias=True)
        words = heading.split(maxsplit=_MAX_HEADING_WORDS)
        for word in words if len(words) <= _MAX_HEADING_WORDS else ():
            bare = word.strip("`*()[]{}.,:;\"'")
            if bare != heading and len(bare) > 3 and _IDENTIFIER.match(bare):  # noqa: PLR2004 - C4
                self._add(bare, DEFINED)

    @staticmethod
    def _is_number(numbered: re.Match[str]) -> bool:
        kind = (numbered[1] or "").rstrip(".").lower()
        return kind in _KINDS or (not kind and numbered[2][0].isdigit())

    def _put_link(self, place: str) -> None:
        self._put(link_words(self._source_id, place), TITLE)

    def _add(
        self,
        called: str,
        weight: int,
        *,
        is_alias: bool = False,
        needs_capital: bool = False,
        is_heading: bool = False,
    ) -> None:
        if len(self._by_key) >= MAX_NAMES or len(called) > MAX_NAME_WORDS * 80:
            return
        words = words_of(called)
        if not words or len(words) > MAX_NAME_WORDS or not content_terms(called):
            return
        if is_alias and sum(word.capital for word in words) < min(2, len(words)):
            return
        self._put(
            words,
            weight,
            capitals=tuple(word.capital for word in words),
            needs_capital=needs_capital or is_alias,
            is_heading=is_heading,
        )

    def _put(
        self,
        words: Sequence[Word],
        weight: int,
        *,
        capitals: tuple[bool, ...] = (),
        needs_capital: bool = False,
        is_heading: bool = False,
    ) -> None:
        """Adds a name that is not there yet; without `capitals` it may be written anyhow."""
        if len(self._by_key) < MAX_NAMES and 0 < len(words) <= MAX_NAME_WORDS:
            key = tuple(word.term for word in words)
            capitals = capitals or (False,) * len(words)
            self._by_key.setdefault(key, Name(key, capitals, weight, needs_capital, is_heading))


def _headings(text: str) -> Iterator[str]:
    """Headings of Markdown and reStructuredText, outside code fences, without their marks."""
    if "#" not in text and "\n" not in text:
        return
    in_code = False
    for found in _HEADING_LINE.finditer(text):
        heading = found[1] or found[2]
        if heading is None:
            in_code = not in_code
        elif not in_code:
            plain = _MARKS.sub("", heading).strip()
            if plain:
                yield plain


def _paths(title: str, opening: Sequence[str]) -> Iterator[str]:
    """The title, and the paths that the headings a text begins with give the chunks after it."""
    path = title
    if path:
        yield path
    for heading in opening:
        if path.casefold().endswith(heading.casefold()):
            continue
        # A page often is called as its first heading, with the name of the site behind it.
        leads = not path or (heading in path and not _PATH.search(path))
        path = heading if leads else f"{path} / {heading}"
        yield path


def _is_generic(called: str) -> bool:
    return tuple(called.casefold().split()) in _GENERIC


def _looks_numbered(section_id: str) -> bool:
    found = _NUMBERED.fullmatch(section_id)
    return found is not None and not found[1] and section_id[:1].isdigit()

"""Values in a sentence: money, percentages, durations, dates and plain numbers, with offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

__all__ = ["Quantity", "differ", "quantities"]

ABOUT = 0.1
"""Share by which two values may differ when one of them is said to be approximate."""
ROUNDED = 0.01
"""Share by which two plain numbers from `LARGE` on may differ by rounding."""
LARGE = 1_000
VERSION_STEP = 10_000
"""So that no minor version reaches the next major one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One value as written, and what it amounts to."""

    kind: str
    """`money`, `percentage`, `duration`, `date` or `number`."""
    amount: float
    """In units of `unit` (durations in days); for a date the year, 0 when it is not said."""
    unit: str = ""
    """Currency, unit of measure or sort of day; empty when there is none."""
    start: int
    """Offset in the text given."""
    end: int
    bound: str = "exact"
    """`exact`, `about`, `max` (up to, within), `min` (at least) or `range`."""
    time_unit: str = ""
    """For durations, as written: `month`. Months and years have no fixed number of days."""
    month: int = 0
    """For dates, 1..12; 0 when not said."""
    day: int = 0
    """For dates, 1..31; 0 when not said."""


_NAMES = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES: Mapping[str, float] = {
    "zero": 0.0,
    "one": 1.0,
    **{name: float(value) for value, name in enumerate(_NAMES.split(), start=2)},
    **{name: 10.0 * value for value, name in enumerate(_TENS.split(), start=3)},
}
_ORDINALS: Mapping[str, float] = {
    name: float(value)
    for value, name in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
        ],
        start=1,
    )
}
_SCALES: Mapping[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9,
    "trillion": 1e12,
}  # fmt: skip
_DAYS: Mapping[str, float] = {
    "second": 1 / 86_400, "minute": 1 / 1_440, "hour": 1 / 24, "day": 1.0, "week": 7.0,
    "month": 365.25 / 12, "year": 365.25,
}  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CURRENCIES: Mapping[str, str] = {
    "us$": "$", "dollars": "$", "usd": "$", "euros": "\u20ac", "eur": "\u20ac", "gbp": "\u00a3",
    "pounds sterling": "\u00a3",
}  # fmt: skip

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_WORDS = rf"(?i:{'|'.join(name for name in _WORD_VALUES if name != 'one')})"
_SCALE = r"(?:\s?(?i:hundred|thousand|million|billion|trillion|bn))?"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d{3}|20\d{2})"
_MEASURE = (
    r"(?:mg|kg|km|cm|mm|ml|lbs?|oz|GB|MB|TB|KB|GHz|MHz|Hz|kW|MW|kWh|\u00b0C|\u00b0F"
    r"|(?i:square\s)?(?i:feet|foot|miles?|met(?:er|re)s?|kilomet(?:er|re)s?|inch(?:es)?)"
    r"|(?i:grams?|kilograms?|acres?|hectares?|degrees))"
)
_WRITTEN = (
    rf"(?P<iso>(?<![\w-]){_YEAR}-\d\d-\d\d(?![\w-]))"
    rf"|(?P<date>\b(?:{_MONTH}\s{_DAY}(?:,?\s{_YEAR})?|{_DAY}\s(?:of\s)?{_MONTH}(?:,?\s{_YEAR})?"
    rf"|{_MONTH},?\s{_YEAR})\b)"
    rf"|(?P<money>(?:US\$|[$\u20ac\u00a3\u00a5])\s?{_DIGITS}(?:{_SCALE}|[kKmM])\b"
    rf"|(?<![\w.,]){_DIGITS}{_SCALE}\s(?i:dollars|euros|pounds\ssterling|USD|EUR|GBP)\b)"
    rf"|(?P<percentage>(?<![\w.,])(?:{_DIGITS}|{_WORDS})\s?(?:%|(?i:per\s?cent)\b))"
    rf"|(?P<duration>(?<![\w.,])(?:{_DIGITS}|{_WORDS}|(?i:one))[\s-](?i:(?:full|consecutive)\s)?"
    rf"(?i:(?:business|working|calendar)\s)?(?i:second|minute|hour|day|week|month|year)s?\b"
    rf"(?![\s-]?olds?\b))"
    rf"|(?P<decade>(?<![\w.,-]){_YEAR}'?s\b)"
    rf"|(?P<ordinal>\b(?i:{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))(?=\s[a-z]))"
    rf"|(?P<year>(?<![\w.,$\u20ac\u00a3#/-]){_YEAR}\b(?![.,:]?\d|-\d|\s?%|\s{_MEASURE}\b))"
    rf"|(?P<number>(?<![\w.,#/:-])(?:{_DIGITS}|{_WORDS}\b){_SCALE}(?![\w/:\u00b0']|[.,-]\w)"
    rf"(?:\s{_MEASURE}\b)?)"
)

_FIRST_LETTERS = "".join(
    sorted({name[0].casefold() for name in (*_WORD_VALUES, *_ORDINALS, *_MONTHS)})
)
# Most characters begin no value: one look says so, where each alternative would look for itself.
_VALUE = re.compile(
    rf"(?=[$\u20ac\u00a3\u00a5]|US\$|\b(?:\d|(?i:[{_FIRST_LETTERS}])))(?:{_WRITTEN})"
)

_BEFORE: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "range",
        re.compile(
            rf"(?:(?:\d|\b{_WORDS})[\d,.]*%?(?:\s\w+)?\s?(?:-|\u2013|\u2014|--|\bto|\bthrough|\bof)"
            r"|\bbetween(?:(?:\s\S+){1,2}\sand)?)\s*$"
        ),
    ),
    (
        "max",
        re.compile(
            r"\b(?:up to|at most|no (?:more|later|longer) than|not (?:more than|exceed\w*)"
            r"|maximum(?: of)?|within|less than|fewer than|under|below|can ?not exceed"
            r"|may not exceed) (?:the (?:first )?)?$",
            re.IGNORECASE,
        ),
    ),
    (
        "min",
        re.compile(
            r"\b(?:at least|no (?:less|fewer) than|minimum(?: of)?|more than|over|above|exceed\w*"
            r"|greater than) $",
            re.IGNORECASE,
        ),
    ),
    (
        "about",
        re.compile(
            r"(?:\b(?:about|approximately|approx\.?|around|roughly|nearly|almost|some|circa|ca?\.)"
            r" |~ ?)$",
            re.IGNORECASE,
        ),
    ),
)
_AFTER: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("range", re.compile(r"\s?(?:-|\u2013|\u2014|--|to\b|through\b)\s?[$\u20ac\u00a3]?\d")),
    ("range", re.compile(r" of (?:the )?\d")),
    ("max", re.compile(r" (?:\w+ )?or (?:less|fewer|younger|below|under|earlier)\b")),
    ("min", re.compile(r" (?:\w+ )?or (?:more|older|above|longer|greater)\b")),
)
_LABEL = re.compile(
    r"(?:\b(?:section|sec\.|form|publication|pub\.|chapter|article|art\.|figure|fig\.|table|line"
    r"|page|pp?\.|no\.|number|version|v\.|rule|step|part|item|schedule|round|season|episode|volume"
    r"|vol\.|issue|level|grade|type|phase|route|highway|channel|title|box|code|room|act|example"
    r"|option|class|zone|group|day|week|stage|tier) ?"
    r"|\u00a7 ?|[\[(#] ?)$",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"(?<![\w.])[A-Z][\w.]*[ -]$")
_REQUIRED = re.compile(
    r"\+(?!\w)|\s(?:or|and)\s(?:newer|later|higher|above|up|upwards)\b", re.IGNORECASE
)
_REQUIRING = re.compile(r"\b(?:requir(?:es?|ed|ing)|needs?|needed|depends? on)\b", re.IGNORECASE)
_REQUIRED_NAME = re.compile(r"(?<![\w.])([A-Z][\w.+#]*)[ -](?:version )?$")
_COUNTED = re.compile(
    r"\b(?:its|his|her|their|(?:is|was|are|were|be|been|became|as) (?:the )?)\s?$", re.IGNORECASE
)
"""What stands before an ordinal that says something: `is the third album`, `its fifth year`."""
_LABELLED = frozenset(("number", "year"))
_LOOK = 24


def quantities(text: str) -> tuple[Quantity, ...]:
    """The values of a text, by offset. Labels (Section 12, Form 1040, [3]) are no values."""
    return tuple(_found(text))


def differ(a: Quantity, b: Quantity) -> bool:
    """Whether two values of one kind and unit cannot both hold.

    An approximate value leaves 10 % of room, as do two units of time; a large plain number leaves
    1 % for rounding. A range never differs, nor do a lower and an upper bound; but the ends of
    two ranges of dates are dates. A date differs in what both say: `March 2007` and
    `March 3, 2007` do not.
    """
    in_range = "range" in (a.bound, b.bound) and (a.kind != "date" or a.bound != b.bound)
    if a.kind != b.kind or a.unit != b.unit or in_range:
        return False
    if a.kind == "date":
        said = ((a.amount, b.amount), (a.month, b.month), (a.day, b.day))
        return any(x and y and x != y for x, y in said)
    low, high = sorted((a.amount, b.amount))
    if high - low <= _room(a, b) * high:
        return False
    bounds = {a.bound, b.bound} - {"about"} or {"exact"}
    if len(bounds) == 1:
        return True
    if bounds == {"min", "max"}:
        return False
    limit, value = (a, b) if a.bound in {"min", "max"} else (b, a)
    return value.amount > limit.amount if limit.bound == "max" else value.amount < limit.amount


def _room(a: Quantity, b: Quantity) -> float:
    if "about" in (a.bound, b.bound) or a.time_unit != b.time_unit:
        return ABOUT
    if a.unit.startswith("version of "):
        return 0.0
    return ROUNDED if a.kind == "number" and min(a.amount, b.amount) >= LARGE else 1e-9


def _found(text: str) -> Iterator[Quantity]:
    for match in _VALUE.finditer(text):
        kind = match.lastgroup or ""
        before = text[max(0, match.start() - _LOOK) : match.start()]
        if kind in _LABELLED and (_LABEL.search(before) or _follows_name(text, match, kind)):
            if kind == "number" and (version := _required_version(text, match, before)):
                yield version
            continue
        if kind == "ordinal" and not _COUNTED.search(before):
            continue
        value = _READERS[kind](match.group())
        if value is not None:
            bound = _bound(before, text[match.end() : match.end() + _LOOK])
            yield replace(value, start=match.start(), end=match.end(), bound=bound)


def _follows_name(text: str, match: re.Match[str], kind: str) -> bool:
    """Whether a plain number belongs to the name before it: `Windows 11`, `a Boeing 747`."""
    name = _NAME_BEFORE.search(text, max(0, match.start() - _LOOK), match.start())
    return kind == "number" and name is not None and name.start() > 0


def _required_version(text: str, match: re.Match[str], before: str) -> Quantity | None:
    """The least version of what is named before it: `Python 3.9 or newer`. 3.11 is above 3.9."""
    name = _REQUIRED_NAME.search(before)
    if not name or not _REQUIRED.match(text, match.end()) or not match.group()[:1].isdigit():
        return None
    if not _REQUIRING.search(text, 0, match.start()):
        return None
    major, _, minor = match.group().replace(",", "").partition(".")
    if not (major.isdigit() and (minor.isdigit() or not minor)):
        return None
    return Quantity(
        kind="number",
        amount=int(major) * VERSION_STEP + int(minor or 0),
        unit=f"version of {name[1].casefold()}",
        start=match.start(),
        end=match.end(),
        bound="min",
    )


def _bound(before: str, after: str) -> str:
    for name, pattern in _AFTER:
        if pattern.match(after):
            return name
    for name, pattern in _BEFORE:
        if pattern.search(before):
            return name
    return "exact"


_AMOUNT = re.compile(rf"({_DIGITS}|\b(?:{_WORDS}|(?i:one))\b)\s?([A-Za-z]*)")


def _amount(written: str) -> tuple[float, str]:
    """The number in a written value, its scale taken in, and the letters after it."""
    match = _AMOUNT.search(written)
    if match is None:
        return 0.0, ""
    digits, letters = match.group(1), match.group(2).casefold()
    word = _WORD_VALUES.get(digits.casefold())
    amount = float(digits.replace(",", "")) if word is None else word
    return amount * _SCALES.get(letters, 1.0), letters


def _quantity(kind: str, amount: float, unit: str = "", month: int = 0, day: int = 0) -> Quantity:
    return Quantity(kind=kind, amount=amount, unit=unit, start=0, end=0, month=month, day=day)


def _money(written: str) -> Quantity:
    folded = written.casefold()
    unit = next((unit for name, unit in _CURRENCIES.items() if name in folded), written[0])
    return _quantity("money", _amount(written)[0], unit)


def _percentage(written: str) -> Quantity:
    return _quantity("percentage", _amount(written)[0])


def _duration(written: str) -> Quantity:
    words = written.casefold().replace("-", " ").split()
    unit = words[-1].removesuffix("s")
    # Business days are no days: the two are never compared.
    sort = "business" if {"business", "working"} & set(words) else ""
    days = round(_amount(written)[0] * _DAYS[unit], 6)
    return replace(_quantity("duration", days, sort), time_unit=unit)


def _iso(written: str) -> Quantity | None:
    year, month, day = (int(part) for part in written.split("-"))
    return _quantity("date", float(year), "", month, day)


def _date(written: str) -> Quantity:
    month = next(
        number
        for number, name in enumerate(_MONTHS, start=1)
        if re.search(rf"\b{name}", written.casefold())
    )
    figures = [int(figure) for figure in re.findall(r"\d+", written)]
    year = next((figure for figure in figures if figure > 31), 0)  # noqa: PLR2004 - no day is
    day = next((figure for figure in figures if figure <= 31), 0)  # noqa: PLR2004 - as above
    return _quantity("date", float(year), "", month, day)


def _decade(written: str) -> Quantity:
    return _quantity("date", float(written[:4]), "decade")


def _ordinal(written: str) -> Quantity:
    word = _ORDINALS.get(written.casefold())
    amount = float(re.sub(r"\D", "", written)) if word is None else word
    return _quantity("number", amount, "th")


def _year(written: str) -> Quantity:
    return _quantity("date", float(written))


def _number(written: str) -> Quantity:
    amount, letters = _amount(written)
    rest = written.casefold().split(letters, 1)[-1] if letters in _SCALES else written.casefold()
    unit = (
        re.sub(r"[\d.,\s]|e?s$", "", rest) if re.search(r"\d\s*[a-z\u00b0]|\s[a-z]", rest) else ""
    )
    return _quantity("number", amount, unit)


_READERS: Mapping[str, Callable[[str], Quantity | None]] = {
    "iso": _iso,
    "date": _date,
    "money": _money,
    "percentage": _percentage,
    "duration": _duration,
    "decade": _decade,
    "ordinal": _ordinal,
    "year": _year,
    "number": _number,
}

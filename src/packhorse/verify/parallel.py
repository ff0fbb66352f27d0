"""Two statements side by side: where they run in parallel, and the one thing they differ in."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from packhorse.text.analysis import terms
from packhorse.verify.facts import LIMIT_NOUNS
from packhorse.verify.polarity import are_opposite
from packhorse.verify.quantities import differ

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.verify.facts import Statement, Token

__all__ = ["Difference", "compare"]

Span = tuple[int, int]


def _terms(listed: str) -> frozenset[str]:
    return frozenset(term for word in listed.split() for term in terms(word))


_HANDLING = _terms(
    "issue process pay credit take arrive ship deliver receive send complete handle review respond"
    " notify cancel request expire start begin"
)
"""What is done about a thing: its time is another one than the time the thing is allowed for."""
_EVENTS = _terms(
    "born die death birth found establish open close release publish launch air premiere begin"
    " start end form sign enact effective due deadline expire build complete incorporate discover"
    " invent elect marry graduate debut win join retire create introduce occur take hold set"
    " abolish settle date built held won begun"
)
"""What happens once, so that two dates for it cannot both be right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What two parallel statements differ in: the spans of both values, in the chunks' texts."""

    kind: str
    a: Span
    b: Span


@dataclass(frozen=True, slots=True)
class _Parallel:
    """The alignment of two statements."""

    same: tuple[tuple[Token, Token], ...]
    """Tokens in parallel; a pair of values of one kind is one, whatever they amount to."""
    apart: tuple[tuple[tuple[Token, ...], tuple[Token, ...]], ...]
    """Stretches that differ; one of the two may be empty."""

    @property
    def words(self) -> int:
        return sum(1 for one, _ in self.same if one.quantity is None)

    @property
    def extra(self) -> int:
        return sum(max(len(one), len(other)) for one, other in self.apart)


def _align(a: Sequence[Token], b: Sequence[Token]) -> _Parallel:
    """Longest matching stretches first; what both begin and end with is never compared."""
    keys_a, keys_b = [token.key for token in a], [token.key for token in b]
    shorter = min(len(a), len(b))
    head = next((i for i in range(shorter) if keys_a[i] != keys_b[i]), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if keys_a[-1 - i] != keys_b[-1 - i]), rest)
    end_a, end_b = len(a) - tail, len(b) - tail
    same = list(zip(a[:head], b[:head], strict=True))
    apart: list[tuple[tuple[Token, ...], tuple[Token, ...]]] = []
    matcher = SequenceMatcher(None, keys_a[head:end_a], keys_b[head:end_b], autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        stretch_a, stretch_b = a[head + a1 : head + a2], b[head + b1 : head + b2]
        if tag == "equal":
            same += zip(stretch_a, stretch_b, strict=True)
        else:
            apart.append((tuple(stretch_a), tuple(stretch_b)))
    same += zip(a[end_a:], b[end_b:], strict=True)
    return _Parallel(tuple(same), tuple(apart))

PARAM = dict(value_ratio=0.6, value_words=2, name_ratio=0.75, name_words=4, pol_ratio=.6, pol_words=3)

def compare(a: Statement, b: Statement) -> Difference | None:
    """The one difference that makes two statements conflict, or None."""
    par = _align(a.tokens, b.tokens)
    return _value(a, b, par) or _polarity(a, b, par) or _name(a, b, par)

def _value(a, b, par):
    diffs = [(x, y) for x, y in par.same if x.quantity is not None and differ(x.quantity, y.quantity)]
    if not diffs: return None
    m = par.words
    ua = [t for o, _ in par.apart for t in o]; ub = [t for _, o in par.apart for t in o]
    ga = [t for t in ua if t.key not in LIMIT_NOUNS]; gb = [t for t in ub if t.key not in LIMIT_NOUNS]
    limit = len(ga) < len(ua) or len(gb) < len(ub)
    # guards
    known = {x.key for x, _ in par.same}
    par = _Parallel(par.same, tuple((o,p) for o,p in par.apart if (o and p) or not all(t.key in known and t.quantity is None for t in (*o,*p))))
    for o, p in par.apart:
        if any(t.quantity is not None for t in (*o, *p)): return None
    if any(t.is_negation for t in (*ua,*ub)): return None
    first = diffs[0]
    kinds = {x.quantity.kind for x, _ in diffs}
    if kinds != {"date"} and "date" in kinds: return None
    if len(diffs) > 1:
        vals = {(x.quantity.amount, y.quantity.amount) for x, y in diffs}
        if len(vals) > 1 and m < 6: return None
    d = _diff(first)
    if limit and d.kind == "duration":
        if m >= 1 and len(ga)+len(gb) <= 1 and not any(t.key in _HANDLING or t.is_name for t in (*ga, *gb)):
            return d
        return None
    if m < PARAM['value_words']: return None
    if m / (m + max(len(ga), len(gb))) < PARAM['value_ratio']: return None
    for o, p in par.apart:
        if o and p: return None
        if any(t.is_name for t in (*o, *p)): return None
    if d.kind == "date" and not _EVENTS & {x.key for x, _ in par.same} and not (a.sentence.text[first[0].start-a.sentence.start-2:first[0].start-a.sentence.start].strip()[-1:]=='('): return None
    return d

def _diff(pair):
    x, y = pair
    return Difference(kind=x.quantity.kind, a=(x.start, x.end), b=(y.start, y.end))

def _polarity(a, b, par):
    m = par.words
    if m < PARAM['pol_words'] : return None
    for o, p in par.apart:
        if any(t.quantity is not None or t.is_name for t in (*o, *p)): return None
    for x, y in par.same:
        if x.quantity is not None and differ(x.quantity, y.quantity): return None
    if m / (m + par.extra) < PARAM['pol_ratio']: return None
    neg = [(t, 0) for o,_ in par.apart for t in o if t.is_negation] + [(t, 1) for _,o in par.apart for t in o if t.is_negation]
    opp = [(o[0], p[0]) for o, p in par.apart if len(o)==1 and len(p)==1 and are_opposite(o[0].key, p[0].key)]
    rest = sum(max(len([t for t in o if not t.is_negation]), len([t for t in p if not t.is_negation])) for o,p in par.apart) - len(opp)
    if (len(neg) + len(opp)) % 2 == 0 or rest > 0: return None
    if opp:
        x, y = opp[0]
        return Difference(kind="polarity", a=(x.start, x.end), b=(y.start, y.end))
    t, side = neg[0]
    other = (b if side == 0 else a).tokens
    # the neighbour of the negation
    own = (a if side == 0 else b).tokens
    i = own.index(t)
    nxt = own[i+1] if i+1 < len(own) else own[i-1]
    match = next(((x,y) for x,y in par.same if nxt in (x,y)), par.same[-1])
    if side == 0: return Difference(kind="polarity", a=(t.start, max(t.end, match[0].end)), b=(match[1].start, match[1].end))
    return Difference(kind="polarity", a=(match[0].start, match[0].end), b=(t.start, max(t.end, match[1].end)))

def _name(a, b, par):
    m = par.words
    if m < PARAM['name_words']: return None
    if m / (m + par.extra) < PARAM['name_ratio']: return None
    for x, y in par.same:
        if x.quantity is not None and differ(x.quantity, y.quantity): return None
    faced = [(o, p) for o, p in par.apart if o and p]
    if not faced or len(par.apart) != len(faced): return None
    pairs = {(tuple(t.key for t in o), tuple(t.key for t in p)) for o, p in faced}
    if len(pairs) != 1: return None
    o, p = faced[0]
    if not (a.is_prose and b.is_prose): return None
    if not all(t.is_name for t in (*o, *p)): return None
    if o[0] is a.tokens[0] or p[0] is b.tokens[0]: return None
    return Difference(kind="name", a=(o[0].start, o[-1].end), b=(p[0].start, p[-1].end))

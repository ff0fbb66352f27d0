"""What words of a stretch of text matter when another text has them differently, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from packhorse.rerank.aligned import Wording, is_figure
from packhorse.text.analysis import terms

__all__ = ["content", "is_reworded", "is_weighty", "more_than", "tells"]

_SMALL = "a an and are be been had has have is it its of per that the these this those was were"
_WEIGHTLESS = frozenset(_SMALL.split())
"""Words of which one may stand for another without another meaning, here at least."""

_NEGATIONS = (
    "not no never without neither nor none nobody nothing hardly barely scarcely rarely seldom"
    " nicht kein keine keinen nie ohne ne pas jamais sans nunca sin mai senza sem niet geen"
    " \u4e0d \u6ca1 \u7121 \u65e0 \u672a \u975e"
)
_MODALS = "may must shall should can could will would might need optional required"
_LIMITS = (
    "only except unless until if or all any some every each most least more less than over under up"
    " above below before after about almost nearly approximately"
)
_TELLING = frozenset(f"{_NEGATIONS} {_MODALS} {_LIMITS}".split())
"""Words that turn, bind or limit what is said; negations in several languages."""

_PRONOUNS = frozenset(
    ["he", "his", "her", "she", "they", "them", "their", "you", "your", "we", "our", "us"]
)
_MOST_NAMED = 2
"""Words for which a pronoun may stand."""

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_FIGURE_OF = {word: str(n) for n, word in enumerate(_UNITS.split())} | {
    word: str(10 * n) for n, word in enumerate(_TENS.split(), start=3)
}
_COUNTS = "hundred thousand million billion dozen half third quarter twice double first second"
_NUMBERS = _FIGURE_OF.keys() | frozenset(_COUNTS.split())


def tells(text: Wording, places: Sequence[int], *, names: bool = True) -> bool:
    """Whether a word at these `places` makes a difference where the other text has none.

    A figure, a number, a word that turns, binds or limits, and with `names` a name.
    """
    return any(
        is_figure(word) or word in _TELLING or word in _NUMBERS or (names and text.names[at])
        for at, word in ((at, text.words[at]) for at in places)
    )


def content(text: Wording, run: range) -> list[tuple[str, int]]:
    """Stems of a stretch with their places; function words left out, numbers as figures."""
    found = []
    for at in run:
        word = text.words[at]
        if word not in _WEIGHTLESS:
            found.append((_FIGURE_OF.get(word) or _stem(word), at))
    return found


def _stem(word: str) -> str:
    return word if is_figure(word) else (terms(word)[:1] or [word])[0]


def is_weighty(text: Wording, run: range) -> bool:
    """Whether a stretch is more than function words."""
    return any(text.words[at] not in _WEIGHTLESS for at in run)


def is_reworded(
    one: Wording,
    said: Sequence[tuple[str, int]],
    other: Wording,
    others: Sequence[tuple[str, int]],
) -> bool:
    """Whether two stretches have the same words in another order, or a pronoun for one or two.

    Figures, names and words that tell have to be the same, at the same place.
    """
    if tells(one, [at for _, at in said]) or tells(other, [at for _, at in others]):
        return False
    stems, other_stems = [stem for stem, _ in said], [stem for stem, _ in others]
    if sorted(stems) == sorted(other_stems):
        return True
    while stems and other_stems and stems[-1] == other_stems[-1]:
        stems, other_stems = stems[:-1], other_stems[:-1]
    while stems and other_stems and stems[0] == other_stems[0]:
        stems, other_stems = stems[1:], other_stems[1:]
    return _stands_for(stems, other_stems) or _stands_for(other_stems, stems)


def _stands_for(stems: Sequence[str], others: Sequence[str]) -> bool:
    is_pronoun = len(stems) == 1 and stems[0] in _PRONOUNS
    return is_pronoun and 0 < len(others) <= _MOST_NAMED and _PRONOUNS.isdisjoint(others)


def more_than(said: Sequence[tuple[str, int]], others: Sequence[str]) -> list[int] | None:
    """Places of what `said` has beyond `others`, or None when it does not hold them in order."""
    more: list[int] = []
    met = 0
    for stem, at in said:
        if met < len(others) and stem == others[met]:
            met += 1
        else:
            more.append(at)
    return more if met == len(others) else None

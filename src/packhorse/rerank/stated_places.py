"""Figures and names of a text by the words around them: another one at the same place is a change.

Cheaper than laying two texts side by side, and it can be looked up for many texts at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from packhorse.rerank.aligned import Wording, is_figure, wording

__all__ = ["Window", "stated_places"]

_AROUND = 2
"""Words on each side that make a place."""

_MOST_IN_NAME = 4
"""Words; what goes on longer in capitals is a heading."""

_CACHED_TEXTS = 16_384

Window = tuple[str, ...]


@lru_cache(maxsize=_CACHED_TEXTS)
def stated_places(text: str) -> Mapping[Window, frozenset[Window]]:
    """Places of figures and names: the words around, these masked -> the words as they stand.

    A figure is a word that starts with a digit. A name is up to four words in a row that start with
    a capital letter, none of which begins a sentence: there any word has a capital.
    """
    found: dict[Window, set[Window]] = {}
    said = wording(text)
    for place, name in _names(said):
        found.setdefault(place, set()).add(name)
    edge = ("",) * _AROUND
    padded = (*edge, *said.words, *edge)
    for at in [at for at, word in enumerate(padded) if is_figure(word)]:
        stated = padded[at - _AROUND : at + _AROUND + 1]
        place = tuple("#" if is_figure(word) else word for word in stated)
        found.setdefault(place, set()).add(stated)
    return {place: frozenset(windows) for place, windows in found.items()}


def _names(said: Wording) -> Iterator[tuple[Window, Window]]:
    """The two words on each side of every name, and the name."""
    pieces: list[tuple[bool, Window]] = []
    for word, is_name in zip(said.words, said.names, strict=True):
        if is_name and pieces and pieces[-1][0]:
            pieces[-1] = True, (*pieces[-1][1], word)
        else:
            pieces.append((is_name, (word,)))
    edge = [(False, ("",))] * _AROUND
    padded = [*edge, *pieces, *edge]
    for at in range(_AROUND, len(padded) - _AROUND):
        is_name, name = padded[at]
        if is_name and len(name) <= _MOST_IN_NAME:
            around = [
                "@" if masked else plain[0]
                for masked, plain in padded[at - _AROUND : at + _AROUND + 1]
            ]
            yield tuple(around), name

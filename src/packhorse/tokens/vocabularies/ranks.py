"""Vocabularies that are a list of byte strings and their ranks: tiktoken's files and Tekken's.

Two engines count them. **quicktok** cuts with compiled scanners, one for each grammar that it
knows, and takes time in proportion to the bytes whatever they are. For any other pattern there is
**tokenizers**, about a hundred times slower and just as even. tiktoken itself is the oracle in the
tests and no engine here: it takes up to ten times as long for a megabyte without spaces as for
English, and ends in a panic on a megabyte of spaces.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.text.wellformed import well_formed
from packhorse.tokens.threads import FAST, threads_for
from packhorse.tokens.vocabularies.packages import Extra, optional_module, package_file
from packhorse.tokens.vocabularies.runs import RunCounter

if TYPE_CHECKING:
    from packhorse.tokens.vocabularies.grammars import Grammar

__all__ = ["PromptRankCounter", "RankCounter", "bundled_tokenizer", "rank_tokenizer", "read_ranks"]

Ranks = Mapping[bytes, int]

SEGMENT = re.compile(r"[\x00-\x7f][^\x00-\x7f]*|[^\x00-\x7f]+")
"""What NFC cannot reach across: no character joins the ASCII character behind it."""

MAX_RANK = 1 << 18
"""quicktok's limit on ranks."""

PROBES = 97
"""One token in so many is read back after loading, to be sure that the files were understood."""


def read_ranks(data: bytes, where: str) -> dict[bytes, int]:
    """The byte strings of a tiktoken-format file: lines of base64, a space and a rank.

    Raises:
        InputError: a line of another form, a rank or byte string twice, or a byte without a token.
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line:
            continue
        token, _, rank = line.partition(b" ")
        try:
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (binascii.Error, ValueError):
            raise _damaged(f"line {number} is not base64, a space and a rank", where) from None
    check_ranks(ranks, where)
    return ranks


def check_ranks(ranks: Ranks, where: str) -> None:
    """Refuses a vocabulary that cannot count every text.

    Raises:
        InputError: no token, a rank given twice or negative, or a byte without a token.
    """
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    problems = {
        "it holds no token": not ranks,
        f"no token stands for the byte {missing}": missing is not None,
        "a token is empty": b"" in ranks,
        "two tokens have the same rank": len(set(ranks.values())) < len(ranks),
        "a rank is negative": min(ranks.values(), default=0) < 0,
    }
    for problem, found in problems.items():
        if found:
            raise _damaged(problem, where)


def _damaged(reason: str, where: str) -> InputError:
    return InputError(
        f"{where} is not a whole vocabulary: {reason}",
        hint="Copy the file again from where the model comes from",
    )


class RankCounter:
    """Counts with quicktok. Spellings of control tokens count as the characters they are."""

    library = "quicktok"
    exact = True
    margin = 0.0
    cuts_at_words = True
    """True of every grammar that quicktok knows: see `packhorse.tokens.framed`."""

    def __init__(self, name: str, tokenizer: Any) -> None:
        """Wraps a loaded tokenizer.

        Args:
            name: of the vocabulary.
            tokenizer: a `quicktok.Tokenizer`.
        """
        self.name = name
        self._tokenizer = tokenizer
        self._runs = RunCounter(self._run)

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order."""
        try:
            return self._runs.count(texts)
        except TypeError:  # a lone surrogate, which C++ has no string for
            return self._runs.count([well_formed(text) for text in texts])

    def _run(self, texts: list[str]) -> list[int]:
        import numpy as np

        _, ends = self._tokenizer.encode_batch(texts, threads_for(texts, FAST), False)  # noqa: FBT003 - foreign
        counts: list[int] = np.diff(ends).tolist()
        return counts


class PromptRankCounter(RankCounter):
    """Besides counting, reads a rendered prompt as an engine does: control tokens are tokens."""

    def __init__(self, name: str, tokenizer: Any, *, normalizes: bool = False) -> None:
        """Wraps a loaded tokenizer that knows its control tokens.

        Args:
            name: of the vocabulary.
            tokenizer: a `quicktok.Tokenizer`.
            normalizes: whether it brings a text into the form NFC first.
        """
        super().__init__(name, tokenizer)
        self._normalizes = normalizes

    @property
    def control_tokens(self) -> tuple[str, ...]:
        """Spellings that a rendered prompt's control tokens have, longest first."""
        known: set[str] = self._tokenizer.special_tokens_set
        return tuple(sorted(known, key=lambda token: (-len(token), token)))

    def encode_prompt(self, text: str) -> list[tuple[int, int]]:
        """Characters (start, end) of each token, control tokens parsed and none added.

        A token that holds a part of a character spans the whole of it. Where a text is brought
        into another normal form first, a token may span the whole of a changed sequence.
        """
        text = well_formed(text)
        places = list(self._places(text))
        ids = self._tokenizer.encode_with_special(text)
        last = len(places) - 1
        spans, start = [], 0
        for size in map(len, map(self._tokenizer.decode_single_token_bytes, ids)):
            end = start + size
            first = places[min(start, last)][0] if places else 0
            spans.append((first, places[min(end - 1, last)][1] if places else 0))
            start = end
        return spans

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        """For each byte that is tokenised, the characters of `text` that it comes from."""
        if not self._normalizes or text.isascii():
            for index, char in enumerate(text):
                yield from [(index, index + 1)] * len(char.encode())
            return
        from unicodedata import normalize

        for found in SEGMENT.finditer(text):
            start, end = found.span()
            normal = normalize("NFC", found[0])
            for index, char in enumerate(normal):
                changed = normal != found[0]
                place = (start, end) if changed else (start + index, start + index + 1)
                yield from [place] * len(char.encode())


def bundled_tokenizer(encoding: str, extra: Extra) -> Any:
    """A vocabulary that quicktok carries itself, loaded in about 0.3 s.

    Raises:
        MissingExtraError: quicktok is not installed.
    """
    return optional_module("quicktok-v1", "quicktok", extra=extra).Tokenizer(encoding)


def rank_tokenizer(
    ranks: Ranks,
    grammar: Grammar,
    *,
    where: str,
    extra: Extra,
    normalizes: bool = False,
    control_tokens: Iterable[str] = (),
) -> Any:
    """A quicktok tokenizer made of ranks, loaded in about 0.5 s.

    quicktok reads vocabularies from a folder, so one is written for the time of loading.

    Args:
        ranks: byte strings and their ranks.
        grammar: where a text is cut.
        where: what the ranks come from, for an error.
        extra: what brings quicktok.
        normalizes: whether a text is brought into the form NFC first.
        control_tokens: spellings that `encode_prompt` parses.

    Raises:
        MissingExtraError: quicktok is not installed.
        InputError: the ranks are too high, or quicktok does not load them.
    """
    if max(ranks.values()) >= MAX_RANK:
        raise InputError(
            f"{where} has ranks up to {max(ranks.values())}; at most {MAX_RANK - 1} can be counted",
            hint="Count with the tokenizer.json of the same model",
        )
    quicktok = optional_module("quicktok-v1", "quicktok", extra=extra)
    with tempfile.TemporaryDirectory(prefix="packhorse-") as folder:
        _write_vocabulary(Path(folder), ranks, grammar, control_tokens, normalizes=normalizes)
        try:
            tokenizer = quicktok.Tokenizer("vocabulary", folder)
        except RuntimeError as error:
            raise InputError(
                f"{where} cannot be loaded: {error}", hint="Check the file, and report it if whole"
            ) from error
    for token, rank in list(ranks.items())[::PROBES]:
        if tokenizer.decode_single_token_bytes(rank) != token:
            raise InputError(
                f"{where} was not read back as it was written",
                hint="Install the version of quicktok-v1 that this version of packhorse names",
            )
    return tokenizer


def _write_vocabulary(
    folder: Path,
    ranks: Ranks,
    grammar: Grammar,
    control_tokens: Iterable[str],
    *,
    normalizes: bool,
) -> None:
    """Writes the files that quicktok 0.4 reads: little-endian counts, sizes, bytes and ids."""
    ordered = sorted(ranks.items(), key=lambda entry: entry[1])
    vocabulary = [struct.pack("<I", len(ordered))]
    for token, rank in ordered:
        vocabulary += [struct.pack("<H", len(token)), token, struct.pack("<I", rank)]
    spellings = [token.encode() for token in control_tokens]
    special = [struct.pack("<I", len(spellings))]
    for index, spelling in enumerate(spellings, start=ordered[-1][1] + 1):
        special += [struct.pack("<IH", index, len(spelling)), spelling]
    settings = f"scanner={grammar.scanner}\n" + ("nfc=1\n" if normalizes else "")
    folder.joinpath("vocabulary.vocab").write_bytes(b"".join(vocabulary))
    folder.joinpath("vocabulary.special").write_bytes(b"".join(special))
    folder.joinpath("vocabulary.enc").write_text(settings, encoding="ascii")
    table = "uniclass_o200k.bin" if grammar.cased else "uniclass.bin"
    classes = _quicktok_data(table)
    if grammar.marks_are_letters:
        classes = _with_marks(classes, _quicktok_data("uniclass_o200k.bin"))
    folder.joinpath(table).write_bytes(classes)
    if normalizes:
        folder.joinpath("nfc.bin").write_bytes(_quicktok_data("nfc.bin"))


def _quicktok_data(name: str) -> bytes:
    extra = Extra("llama", "Reading classes of characters")
    return package_file("quicktok-v1", "quicktok", "data", name, extra=extra).read_bytes()


def _with_marks(plain: bytes, cased: bytes) -> bytes:
    """Character classes in which combining marks are letters.

    The plain table holds ranges of letters, numbers and spaces. The cased one holds two more
    classes, what may stand in capitals and what in lower case, which together are every letter
    and every mark.
    """
    _, numbers, spaces = _classes(plain)
    *_, upper, lower = _classes(cased)
    table = b""
    for ranges in (_merged([*upper, *lower]), numbers, spaces):
        table += struct.pack("<I", len(ranges))
        table += b"".join(struct.pack("<II", *bounds) for bounds in ranges)
    return table


def _classes(table: bytes) -> list[list[tuple[int, int]]]:
    """The classes of a table, each a list of ranges with both ends inside."""
    classes, place = [], 0
    while place < len(table):
        (count,) = struct.unpack_from("<I", table, place)
        flat = struct.unpack_from(f"<{2 * count}I", table, place + 4)
        classes.append(list(zip(flat[::2], flat[1::2], strict=True)))
        place += 4 + 8 * count
    return classes


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged

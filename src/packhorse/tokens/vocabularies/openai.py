"""Exact counts for OpenAI's public vocabularies, offline."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from packhorse.text.wellformed import well_formed
from packhorse.tokens.threads import FAST, threads_for
from packhorse.tokens.vocabularies.runs import RunCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ENCODINGS", "ToktokCounter"]

ENCODINGS = ("cl100k_base", "o200k_base", "o200k_harmony")
"""Vocabularies that `ToktokCounter` knows."""

_LOADING = Lock()


class ToktokCounter:
    """Counts with toktok-rs, whose vocabularies are compiled in.

    The first count loads the vocabulary, which takes about half a second. Spellings of control
    tokens (`<|endoftext|>`) count as the characters they are.

    Counts equal those of tiktoken 0.14 for every text without a character that Unicode 17.0 was
    the first to assign (4,699 letters, marks and digits, most of them rare CJK): those are words
    here, and symbols by the older tables there, so that such a text can differ by a token.
    """

    library = "toktok-rs"
    exact = True
    margin = 0.0
    cuts_at_words = True

    def __init__(self, encoding: str) -> None:
        self.name = encoding
        self._loaded = False
        self._runs = RunCounter(self._run)

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order."""
        if not self._loaded:
            # Two threads that start together would otherwise load the vocabulary twice.
            with _LOADING:
                self._run([""])
                self._loaded = True
        try:
            return self._runs.count(texts)
        except UnicodeEncodeError:
            return self._runs.count([well_formed(text) for text in texts])

    def _run(self, texts: list[str]) -> list[int]:
        import toktok

        # The texts of one packet are counted before a second thread has started.
        n_threads = threads_for(texts, FAST)
        counts: list[int] = toktok.batch_count(texts, self.name, threads=n_threads)
        return counts

"""Has a summary written, and sees to it that it is short enough and nothing of weight is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from packhorse.errors import PackhorseError
from packhorse.text.sentences import sentences
from packhorse.text.wellformed import well_formed
from packhorse.window.summary.extractive import Extract, extract
from packhorse.window.summary.facts import holds, numbers_in
from packhorse.window.summary.running import FAILED
from packhorse.window.summary.told import Head, Quote, Told, quotes_in, rendered

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter

__all__ = ["EXTRACTIVE", "Summariser", "Task", "Written", "written"]

EXTRACTIVE = "extractive"
ESSENTIAL_SHARE = 0.5
"""Share of the room behind the first line for the sentences whose facts have to be told."""


class Summariser(Protocol):
    """Writes a summary: an endpoint, or whatever a user has."""

    name: str

    def summarise(self, previous: str, told: Sequence[Told], max_tokens: int) -> str:
        """The summary so far and new messages, in one text.

        It is checked afterwards: cut at sentences where it is too long, and with the sentences
        whose facts it lost put back. An error of this package means the built-in summariser is used
        and the error reported.

        Args:
            previous: the summary so far, without its first line; empty for none.
            told: messages that no summary has yet, oldest first. Each is given once.
            max_tokens: for the text.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The text of a summary message."""

    text: str
    tokens: int
    by: str
    kept: tuple[int, ...]
    """Places, among the new messages, of those of which a sentence is quoted."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be summarised, and in how many tokens."""

    head: Head
    """What the summary covers then."""
    previous: str
    """Text of the summary message so far; empty for none."""
    told: tuple[Told, ...]
    """Messages that no summary covers yet, oldest first."""
    room: int
    """Tokens that the message may take."""
    question: str
    """What is asked now."""
    counter: TokenCounter
    """Counts texts."""
    cost: Callable[[str], int]
    """Exact tokens of a message with a text."""


def written(task: Task, by: Summariser | None) -> Written:
    """The summary of what an earlier one said and of new messages.

    Args:
        task: what, and in how many tokens.
        by: who writes; None quotes.
    """
    head, room, cost = task.head, task.room, task.cost
    before = quotes_in(task.previous)
    pool = [*before, *task.told]

    def quoting(room: int) -> Extract:
        return extract(
            pool, room, task.question, task.counter, lambda quotes: cost(rendered(head, "", quotes))
        )

    notes: tuple[str, ...] = ()
    if by is not None:
        draft, failure = _asked(by, task)
        if not failure:
            own = cost(str(head))
            essential = quoting(own + int((room - own) * ESSENTIAL_SHARE)).quotes
            sources = "\n".join(each.text for each in pool)
            mended = _mended(task, draft, sources, essential)
            if mended is not None:
                text, notes = mended
                return Written(text=text, tokens=cost(text), by=by.name, kept=(), notes=notes)
            failure = "nothing of what it wrote could stay"
        notes = (f"{FAILED}, quoted instead: {failure}",)
    found = quoting(room)
    return Written(
        text=rendered(head, "", found.quotes),
        tokens=found.tokens,
        by=EXTRACTIVE,
        kept=tuple(at - len(before) for at in found.kept if at >= len(before)),
        notes=notes,
    )


def _asked(by: Summariser, task: Task) -> tuple[str, str]:
    """What the summariser wrote, and why not; one of the two is empty."""
    max_tokens = max(1, task.room - task.cost(str(task.head)))
    try:
        said: object = by.summarise(task.previous.partition("\n")[2], task.told, max_tokens)
    except PackhorseError as error:
        return "", error.with_hint
    if not isinstance(said, str) or not said.strip():
        return "", f"{by.name} wrote nothing"
    return well_formed(said), ""


def _mended(
    task: Task, draft: str, sources: str, essential: Sequence[Quote]
) -> tuple[str, tuple[str, ...]] | None:
    """A text with its lost facts put back and within its room; None where nothing of it can stay.

    Sentences with numbers that nobody said go first, then sentences from the end. What is cut may
    lose facts as well, so these are looked for again.
    """
    known = numbers_in(sources)
    lines = [" ".join(each.text.split()) for each in sentences(draft)]
    kept = [line for line in lines if numbers_in(line) <= known]
    n_invented, n_said = len(lines) - len(kept), len(kept)
    tells = lru_cache(maxsize=None)(holds)
    while kept:
        body = " ".join(kept)
        lost = [quote for quote in essential if not tells(body, quote.text)]
        text = rendered(task.head, body, lost)
        if task.cost(text) <= task.room:
            notes = []
            if n_invented:
                notes.append(f"{n_invented} sentences with numbers that nobody said taken out")
            if n_said > len(kept):
                notes.append(f"cut by {n_said - len(kept)} of {n_said} sentences: it was too long")
            if lost:
                notes.append(
                    f"{len(lost)} of {len(essential)} sentences put back whose facts it left out"
                )
            return text, tuple(notes)
        kept.pop()
    return None

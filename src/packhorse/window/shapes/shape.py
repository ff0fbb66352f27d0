"""What the window has to know of a provider's messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from packhorse.window.shapes.said import Change

__all__ = ["Entry", "Shape", "texts_in"]

SPOKEN = ("text", "input_text", "output_text", "refusal")
"""Blocks whose text somebody says; blocks of all providers, no kind means two things."""


class Entry(NamedTuple):
    """One message, as far as fitting goes."""

    role: str
    """`system`, `user`, `assistant` or `tool`, whatever the provider calls it."""
    text: str = ""
    """What it says, results of tools included; thinking and images left out."""
    calls: tuple[str, ...] = ()
    """Ids of the calls that it makes; a name where the provider gives no id."""
    results: tuple[str, ...] = ()
    """Ids of the calls that it answers; empty text for a result that names none."""
    is_instruction: bool = False
    is_users_word: bool = False
    continues: bool = False
    """Whether it is one step of an assistant's turn that is written as several items."""
    is_plain: bool = False
    """Whether it is a role and a text and nothing else: what long conversations are made of."""


class Shape(Protocol):
    """One provider's way to write a conversation."""

    name: str
    field: str
    """Field of the body that holds the messages."""
    starts_with_user: bool
    """Whether the provider refuses a conversation that opens with somebody else."""

    def entries(self, items: Sequence[Any], start: int = 0) -> tuple[Entry, ...]:
        """What is known of each message; `start` is the place of the first, for errors.

        Raises:
            InputError: one is not of this shape; names its place.
        """
        ...

    def message(self, role: str, text: str) -> Mapping[str, Any]:
        """A message of `user` or `assistant` to be put in."""
        ...

    def with_said(self, item: Any, change: Change) -> Any:
        """The user's message with the first text of it changed; see `shapes/said.py`."""
        ...

    def with_results(self, item: Any, text: str) -> Any:
        """The message with every result that it hands back replaced by a text."""
        ...

    def results(self, item: Any) -> list[Any]:
        """What each result in the message holds, one for each id of its entry."""
        ...

    def with_result(self, item: Any, n: int, text: str) -> Any:
        """The message with its `n`th result replaced by a text, the id as it was."""
        ...

    def without_results(self, item: Any) -> Any | None:
        """The message without the results in it; None where nothing else is in it."""
        ...


def texts_in(content: Any) -> str:
    """What a content field says: a text, or the texts of its blocks on lines of their own."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence) or isinstance(content, bytes):
        return ""
    texts = []
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Mapping) and block.get("type", "text") in SPOKEN:
            said = block.get("text", block.get("refusal"))
            texts += [said] if isinstance(said, str) else []
    return "\n".join(texts)

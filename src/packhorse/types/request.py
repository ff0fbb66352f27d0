"""The parts of a request and how their texts join, in one place for counting and rendering."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from packhorse.types.message import Message

__all__ = ["QUESTION_OPENER", "RequestParts"]

QUESTION_OPENER = "Question: "
"""Stands between evidence and question. It starts with a letter, so that token counts add up."""

INSTRUCTING = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestParts:
    """A request before it takes a provider's shape.

    System text, examples, history, sections, evidence and question, in this order.

    The stable parts come first, so that a provider can cache them from request to request.
    """

    system_prompt: str = ""
    safety_preamble: str = ""
    tools: tuple[Mapping[str, Any], ...] = ()
    """Definitions of tools as they were given, in any provider's form, one tool each."""
    examples: tuple[Message, ...] = ()
    """Turns of a user who asks and an assistant who answers, example by example."""
    history: tuple[Message, ...] = ()
    sections: str = ""
    """Rendered notes and sections of the operator's own: empty, or ending with a newline."""
    evidence: str = ""
    """The rendered evidence section: empty, or ending with a newline."""
    query: str = ""

    @property
    def system_text(self) -> str:
        """System prompt and safety preamble as one text, a blank line between them."""
        return "\n\n".join(part for part in (self.system_prompt, self.safety_preamble) if part)

    @property
    def has_instructions(self) -> bool:
        """Whether there is a system text, or a message of the history that instructs."""
        roles = {message.role for message in self.history}
        return bool(self.system_text) or not roles.isdisjoint(INSTRUCTING)

    @property
    def user_text(self) -> str:
        """Sections and evidence, then the question."""
        return f"{self.sections}{self.evidence}{QUESTION_OPENER}{self.query}"

    def messages(self) -> tuple[Message, ...]:
        """System (when there is any), examples, history, user.

        Messages that instruct and open the history stay in front of the examples.
        """
        system = (Message(role="system", content=self.system_text),) if self.system_text else ()
        opening = tuple(takewhile(lambda message: message.role in INSTRUCTING, self.history))
        talk = self.history[len(opening) :]
        user = Message(role="user", content=self.user_text)
        return (*system, *opening, *self.examples, *talk, user)

"""Which shape a request has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from packhorse.window.shapes.anthropic import OWN_BLOCKS, AnthropicShape
from packhorse.window.shapes.gemini import GeminiShape
from packhorse.window.shapes.openai_chat import INSTRUCTING, RESULTS, OpenAIChatShape
from packhorse.window.shapes.openai_responses import OpenAIResponsesShape

if TYPE_CHECKING:
    from packhorse.window.shapes.shape import Shape

__all__ = ["NO_MARKS", "SHAPES", "Marks", "is_anthropic", "shape_of"]

SHAPES: Mapping[str, Shape] = {
    shape.name: shape
    for shape in (OpenAIChatShape(), OpenAIResponsesShape(), AnthropicShape(), GeminiShape())
}
OPENAIS_ROLES = INSTRUCTING | RESULTS
SPEAKERS = frozenset({"user", "assistant"})
PLAIN = 2
"""Fields of a message that is a role and a text."""
FIELDS = {"contents": "gemini", "input": "openai-responses"}


def shape_of(body: Mapping[str, Any], model_shape: str | None = None) -> Shape | None:
    """The shape of a request body; None where no field of it holds messages.

    `messages` are Anthropic's when a block or the body says so, and also when the model is one of
    theirs and nothing in the messages is OpenAI's alone.
    """
    if "messages" in body:
        messages = body["messages"]
        return SHAPES["anthropic" if is_anthropic(body, messages, model_shape) else "openai"]
    return next((SHAPES[name] for field, name in FIELDS.items() if field in body), None)


def is_anthropic(body: Mapping[str, Any], messages: Any, model_shape: str | None) -> bool:
    """Whether `messages` are Anthropic's rather than OpenAI's."""
    if not isinstance(messages, Sequence) or isinstance(messages, (str, bytes)):
        return False
    return NO_MARKS.with_more(messages).is_anthropic(body, model_shape)


class Marks(NamedTuple):
    """What messages say about their shape, so far."""

    other: str | None = None
    """Gemini's or that of Responses, by the first message that has parts or a type of its own;
    it counts for messages without a body alone."""
    is_openai: bool = False
    has_own_blocks: bool = False
    """Whether one has a block of Anthropic's."""

    def with_more(self, items: Sequence[Any]) -> Marks:
        """The marks with those of further messages."""
        other, is_openai, has_own_blocks = self
        for item in items:
            if type(item) is not dict and not isinstance(item, Mapping):
                continue
            role, content = item.get("role"), item.get("content")
            if not isinstance(role, str):
                role = None  # what reads the message says that it is none
            if len(item) == PLAIN and type(content) is str and role in SPEAKERS:
                continue  # says nothing about its shape
            if role in OPENAIS_ROLES or "tool_calls" in item:
                is_openai = True
            elif not isinstance(content, str) and isinstance(content, Sequence):
                has_own_blocks = has_own_blocks or any(
                    isinstance(block, Mapping)
                    and isinstance(block.get("type"), str)
                    and block["type"] in OWN_BLOCKS
                    for block in content
                )
            if other is None:
                if "parts" in item:
                    other = "gemini"
                elif isinstance(item.get("type"), str):
                    other = "openai-responses"
        return Marks(other, is_openai, has_own_blocks)

    def is_anthropic(self, body: Mapping[str, Any], model_shape: str | None) -> bool:
        """Whether `messages` of that body are Anthropic's."""
        if self.is_openai:
            return False
        return self.has_own_blocks or bool(body.get("system")) or model_shape == "anthropic"

    def bare_shape(self, model_shape: str | None) -> Shape:
        """The shape of messages that stand alone."""
        name = "anthropic" if self.is_anthropic({}, model_shape) else "openai"
        return SHAPES[self.other or name]


NO_MARKS = Marks()

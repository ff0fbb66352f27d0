"""Instructions that stand among the messages, for providers that keep them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from packhorse.tokens.endpoints.endpoint import no_counterpart
from packhorse.tokens.requests.request import SYSTEM_ROLES

__all__ = ["plain_text", "split_instructions"]


def split_instructions(messages: Any, taker: str) -> tuple[list[str], list[Mapping[str, Any]]]:
    """Texts of the system and developer messages, and the other messages, both in order.

    Raises:
        InputError: a message that is no object, or an instruction that is not text alone.
    """
    instructions, others = [], []
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise no_counterpart(f"messages[{index}], which is no object,", taker)
        if message.get("role") in SYSTEM_ROLES:
            instructions.append(plain_text(message.get("content"), f"messages[{index}]", taker))
        else:
            others.append(message)
    return [text for text in instructions if text], others


def plain_text(content: Any, where: str, taker: str) -> str:
    """The text of a content field that holds nothing else.

    Raises:
        InputError: it holds something that is not text.
    """
    if content is None or isinstance(content, str):
        return content or ""
    blocks: Sequence[Any] = content if isinstance(content, list) else [content]
    texts = []
    for block in blocks:
        if not isinstance(block, Mapping) or block.get("type") != "text":
            kind = block.get("type") if isinstance(block, Mapping) else type(block).__name__
            raise no_counterpart(f"{where}: a block of type {kind!r}", taker)
        texts.append(str(block.get("text", "")))
    return "".join(texts)

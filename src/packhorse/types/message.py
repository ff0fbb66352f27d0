"""One message of a conversation, free of any provider's shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Message"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Who said what. Wire shapes are made of it in `render/messages.py`."""

    role: str
    """`system`, `developer`, `user`, `assistant` or `tool`."""
    content: str = ""
    name: str | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    """Calls an assistant made, in the OpenAI chat shape: id, type, function {name, arguments}."""
    tool_call_id: str | None = None
    """For `tool`: the call that this is the result of."""

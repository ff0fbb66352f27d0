"""What a conversation costs more in the shape that its provider takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.render.messages import provider_messages
from packhorse.tokens.requests.count import count_request, request_counter
from packhorse.tokens.requests.turns import request_of

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.types.request import RequestParts

__all__ = ["shape_overhead"]


def shape_overhead(parts: RequestParts, spec: ModelSpec, counter: TokenCounter) -> int:
    """Tokens that the request takes beyond the sum of its messages; 0 for plain messages.

    Messages are charged one by one, as they are kept. Anthropic and Gemini take calls and results
    as blocks of joined messages, and each block has a frame of its own. Nor do they take a message
    without a word: where the first is one, a sentence stands in its place.
    """
    is_plain = not any(
        message.tool_calls or message.tool_call_id or not message.content.strip()
        for message in parts.history
    )
    if is_plain or spec.shape == "openai" or spec.template is not None:
        return 0
    body = provider_messages(parts, spec.shape)
    shaped = count_request(body, spec, counter).total_tokens
    charged = request_counter(spec, counter).count(request_of(parts.messages())).total_tokens
    return max(0, shaped - charged)

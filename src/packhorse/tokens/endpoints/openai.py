"""OpenAI's token counting: `POST /v1/responses/input_tokens`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from packhorse.tokens.endpoints.endpoint import HttpEndpoint, whole_tokens
from packhorse.tokens.endpoints.responses import responses_body

if TYPE_CHECKING:
    from packhorse.tokens.requests.request import ChatRequest

__all__ = ["OpenAIEndpoint"]

PATH = "/responses/input_tokens"


class OpenAIEndpoint(HttpEndpoint):
    """Asks what a Responses request takes; a chat request is converted to one first.

    Request and answer as in the API reference, "Get input token counts", and the guide
    "Counting tokens" (developers.openai.com/api/docs/guides/token-counting): a bearer key; the
    answer is `{"object": "response.input_tokens", "input_tokens": n}`, formatting tokens
    included, and is called exact there. It is the count of the Responses form: a chat request
    may be framed a little differently.
    """

    label = "OpenAI input_tokens"
    framed = True

    def text_total(self, text: str) -> int:
        """Input tokens of a request with one user message."""
        return self._ask({"input": [{"role": "user", "content": text}]})

    def request_total(self, request: ChatRequest) -> int:
        """Input tokens of the request.

        Raises:
            InputError: a field, message or block that the Responses form has no place for.
        """
        return self._ask(responses_body(request.body))

    def _ask(self, body: Mapping[str, Any]) -> int:
        answer = self._transport.post(PATH, {"model": self.model, **body})
        return whole_tokens(answer, "input_tokens", f"{self.where}{PATH}")

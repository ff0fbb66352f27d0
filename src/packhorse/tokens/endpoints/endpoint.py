"""What every counting endpoint can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from packhorse.errors import CountingError, InputError

if TYPE_CHECKING:
    from packhorse.posting.transport import Transport
    from packhorse.tokens.requests.request import ChatRequest

__all__ = ["Endpoint", "HttpEndpoint", "kept_fields", "no_counterpart", "whole_tokens"]

MAX_TOKENS = 10**9
"""More than this is no count."""


class Endpoint(Protocol):
    """A server that says what a text or a whole request takes for one model."""

    label: str
    """Who counts, for example `Anthropic count_tokens`."""
    model: str
    """Name that the server knows the model by."""
    where: str
    """The server, without anything secret: part of the identity of a count."""
    framed: bool
    """Whether `text_total` is that of a request with one message, and not of the text alone."""

    def text_total(self, text: str) -> int:
        """Tokens of one text, or of a request with it as its only message."""
        ...

    def request_total(self, request: ChatRequest) -> int:
        """Input tokens of a whole request.

        Raises:
            InputError: a part of it that the endpoint does not take.
        """
        ...

    def close(self) -> None:
        """Closes the connections."""
        ...


class HttpEndpoint:
    """What the endpoints here share: one model, and the connections to one server."""

    def __init__(self, model: str, transport: Transport) -> None:
        self.model = model
        self.where = transport.where
        self._transport = transport

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()


def whole_tokens(answer: Mapping[str, Any], field: str, where: str) -> int:
    """A count out of an answer.

    Raises:
        CountingError: the field is missing, or no whole number from 0 to a billion.
    """
    value = answer.get(field)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS:
        return value
    raise CountingError(
        f"{where} answered without a whole number of tokens, up to a billion, in `{field}`",
        hint="Check that the URL is that of a counting endpoint, or count with --offline",
    )


def kept_fields(
    body: Mapping[str, Any], *, counted: frozenset[str], uncounted: frozenset[str], taker: str
) -> dict[str, Any]:
    """The fields of a request that cost input tokens.

    Raises:
        InputError: a field that is neither known to count nor known not to.
    """
    for field in body:
        if field not in counted and field not in uncounted:
            raise no_counterpart(f"`{field}`", taker)
    return {field: value for field, value in body.items() if field in counted}


def no_counterpart(what: str, taker: str) -> InputError:
    """The error for a part of a request that an endpoint does not take."""
    return InputError(
        f"{what} has no counterpart in {taker}",
        hint="Leave it out, write the request in the provider's own shape, or count with --offline",
    )

"""What definitions of tools cost in a request to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.render.tools import tools_field
from packhorse.tokens.requests.count import request_counter
from packhorse.tokens.requests.turns import read_request
from packhorse.window.shapes.registry import SHAPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["charged_tools"]


def charged_tools(
    tools: Sequence[Mapping[str, Any]], spec: ModelSpec, counter: TokenCounter
) -> int:
    """Tokens on the line `tools` of a request that defines them; 0 for none.

    They are counted in the form that the model's provider takes, by its rules or its template.

    Raises:
        InputError: a definition that no rule can count, or that the provider has no form for.
    """
    if not tools:
        return 0
    shape = SHAPES[spec.shape]
    body = {shape.field: [shape.message("user", "?")], **tools_field(tools, spec.shape)}
    return request_counter(spec, counter).count(read_request(body)).lines["tools"]

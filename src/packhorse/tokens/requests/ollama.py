"""Ollama's chat body: the OpenAI shape with `options`, and images beside the content.

Its `format` binds the sampler and is not part of the prompt (ollama issue 11022). Texts and images
of its messages are read in `openai_chat.py`; its fields are those of `ollama-python` 0.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["FREE", "REFUSED", "options_of"]

FREE = frozenset({"format", "keep_alive", "options", "think"})

REFUSED: Mapping[str, str] = {
    "context": "Leave it out: it holds tokens of an earlier conversation",
    "raw": "Leave it out: count a raw prompt as a file",
    "suffix": "Leave it out: it belongs to another endpoint",
    "template": "Give the template to the model's row in a model table of your own",
}


def options_of(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The engine's options: `num_predict` and `num_ctx` among them."""
    options = body.get("options")
    return options if isinstance(options, Mapping) else {}

"""What a model wants to read before a question and before a passage."""

from __future__ import annotations

import json
from dataclasses import dataclass

__all__ = ["PROMPT_OPTIONS", "Prompts"]

PROMPT_OPTIONS = ("question", "passage")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """Text that is put before what is embedded, as it is; nothing is put between."""

    question: str = ""
    passage: str = ""

    @property
    def told(self) -> str:
        """For a fingerprint, after what stands there; empty without any prompt."""
        if not self.question and not self.passage:
            return ""
        return f" question={json.dumps(self.question)} passage={json.dumps(self.passage)}"

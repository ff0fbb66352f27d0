"""How much a tool has to do with what is said: words of its definition against the conversation.

The formula is BM25F (Robertson, Zaragoza and Taylor 2004) over name, description and parameters of
the tools at hand, asked with the words of the question and, each turn back for less, of the turns
before it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from packhorse.text.analysis import content_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packhorse.window.tool_choice.definitions import Definition

__all__ = ["TURN_DECAY", "asked_terms", "tool_scores"]

NAME = 3.0
DESCRIPTION = 1.0
PARAMETERS = 1.0
SAID = 0.5
K1 = 1.2
TURN_DECAY = 0.6
"""What the words of a turn count for, of those of the turn after it."""


def asked_terms(turns: Sequence[str]) -> dict[str, float]:
    """Words of the latest turns with their weights, 1 for the last turn; the highest counts."""
    asked: dict[str, float] = {}
    for back, text in enumerate(reversed(turns)):
        weight = TURN_DECAY**back
        for term in content_terms(text):
            asked.setdefault(term, weight)
    return asked


def tool_scores(tools: Sequence[Definition], asked: Mapping[str, float]) -> list[float]:
    """One score a tool, in order, 0 or more and rounded to six decimals; higher is nearer."""
    fields = [_weighed(tool) for tool in tools]
    held = Counter(term for each in fields for term in each)
    n = len(tools)
    rarity = {term: math.log(1 + (n - held[term] + 0.5) / (held[term] + 0.5)) for term in asked}
    return [
        round(
            math.fsum(
                asked[term] * rarity[term] * each[term] * (K1 + 1) / (each[term] + K1)
                for term in sorted(asked.keys() & each.keys())
            ),
            6,
        )
        for each in fields
    ]


def _weighed(tool: Definition) -> dict[str, float]:
    """Words of a definition, by the field that they stand in."""
    weights: dict[str, float] = {}
    for weight, texts in (
        (NAME, (tool.name,)),
        (DESCRIPTION, (tool.description,)),
        (PARAMETERS, tool.parameters),
        (SAID, tool.said),
    ):
        for text in texts:
            for term in content_terms(text):
                weights[term] = weights.get(term, 0.0) + weight
    return weights

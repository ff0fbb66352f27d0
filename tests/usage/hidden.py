"""Samples and logs that a provider with a known rule would leave behind."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packhorse.tokens.calibration import Parts
from packhorse.tokens.models.table import built_in_models
from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.count import count_request
from packhorse.usage.fit import MAX_MARGIN, Correction
from packhorse.usage.sample import Sample

__all__ = ["Provider", "estimated_sample", "sample", "tool", "write_log"]

WORDS = [
    "the",
    "of",
    "ledger",
    "window",
    "token",
    "packs",
    "evidence",
    "chunk",
    "source",
    "question",
    "answer",
    "order",
]


def sample(rule: Correction, parts: Parts, key: int, *, stray: int = 0) -> Sample:
    """What a provider with the rule reports for a request."""
    return Sample(
        key=key,
        parts=parts,
        counted=parts.tokens,
        reported=parts.tokens + rule.framing(parts) + stray,
        form="openai-chat",
        place=(0, key + 1),
    )


def estimated_sample(key: int, *, text: int, fixed: int, reported: int) -> Sample:
    """A request of one text of `text` tokens before the margin."""
    by_margin = [fixed + -(-text * (100 + margin) // 100) for margin in range(MAX_MARGIN + 1)]
    return Sample(
        key=key,
        parts=Parts(messages=1, system=1, tokens=by_margin[35]),
        counted=by_margin[35],
        reported=reported,
        by_margin=by_margin,
        text=text,
        form="anthropic-messages",
        place=(0, key + 1),
    )


def tool(number: int) -> dict[str, Any]:
    """A definition of a function, flat enough for the published rule."""
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
    function = {"name": f"look_up_{number}", "description": "Looks up.", "parameters": parameters}
    return {"type": "function", "function": function}


@dataclass
class Provider:
    """Reports what our count of a model is, changed by a rule of its own."""

    model: str
    rule: Correction = field(default_factory=Correction)
    factor: float = 1.0
    longest: int = 40
    """Words of a message."""
    with_tools: float = 0.3
    with_system: float = 0.0
    seed: int = 7

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - makes test data
        self._spec = built_in_models().spec(self.model)

    def body(self) -> dict[str, Any]:
        """A request that nobody made before."""
        chance = self._random
        messages = [
            {
                "role": chance.choice(["user", "assistant"]),
                "content": " ".join(chance.choices(WORDS, k=chance.randint(1, self.longest))),
            }
            for _ in range(chance.randint(1, 6))
        ]
        if chance.random() < self.with_system:
            messages.insert(0, {"role": "system", "content": "Answer from the ledger."})
        body: dict[str, Any] = {"model": self.model, "messages": messages}
        if chance.random() < self.with_tools:
            body["tools"] = [tool(number) for number in range(chance.randint(1, 4))]
        return body

    def tokens(self, body: dict[str, Any]) -> int:
        """What it reports for a request."""
        counted = count_request(body, self._spec, counter_of(self._spec)).total_tokens
        system = sum(message["role"] == "system" for message in body["messages"])
        parts = Parts(
            messages=len(body["messages"]), system=system, tools=len(body.get("tools", ()))
        )
        return int(counted * self.factor) + self.rule.framing(parts)

    def line(self, *, stray: int = 0, day: int | None = None) -> dict[str, Any]:
        """A line of its log."""
        body = self.body()
        tokens = self.tokens(body) + stray
        usage = (
            {"input_tokens": 1, "cache_read_input_tokens": tokens - 1}
            if self.model.startswith("claude")
            else {"prompt_tokens": tokens, "prompt_tokens_details": {"cached_tokens": 0}}
        )
        day = self._random.randint(1, 28) if day is None else day
        return {
            "timestamp": f"2026-10-{day:02}T08:00:00Z",
            "request": body,
            "response": {"usage": usage},
        }

    def lines(self, n: int) -> list[dict[str, Any]]:
        """Lines of its log."""
        return [self.line() for _ in range(n)]


def write_log(path: Path, lines: list[dict[str, Any]]) -> Path:
    """The lines as a file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path

"""Examples and tools of a packet as they were chosen then: what was left out is not in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from packhorse.explain.recorded_notes import recorded_notes
from packhorse.packet.sections import definition_of, example_of
from packhorse.window.costs import Costs
from packhorse.window.few_shot.choose import ChosenExamples
from packhorse.window.few_shot.pool import cost_of_turns
from packhorse.window.policies.policy import LeftOut
from packhorse.window.sections.pools import Pools
from packhorse.window.shapes.registry import SHAPES
from packhorse.window.tool_choice.charge import charged_tools
from packhorse.window.tool_choice.choose import ChosenTools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["RecordedExamples", "RecordedTools", "recorded_pools"]

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedExamples:
    """Examples that were chosen already; they are counted again."""

    entries: tuple[Document, ...]
    asked: int
    costs: Costs

    def choose(self, room: int) -> ChosenExamples:
        """What was chosen then, whatever the room is now."""
        kept = [entry for entry in self.entries if entry["included"]]
        examples = tuple(map(example_of, kept))
        because, left_out = _reasons(self.entries, "example_id")
        return ChosenExamples(
            kept=tuple(entry["example_id"] for entry in kept),
            left_out=left_out,
            tokens=cost_of_turns(self.costs, SHAPES[self.costs.spec.shape], examples),
            max_tokens=room,
            examples=examples,
            costs={each["example_id"]: each["tokens"] for each in self.entries},
            because=because,
            digests={each["example_id"]: each["content_hash"] for each in self.entries},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTools:
    """Tools that were chosen already; their definitions are counted again."""

    entries: tuple[Document, ...]
    max_tools: int | None
    max_tokens: int | None
    asked: tuple[int, int]
    """What they asked for, and what of it had to be in."""
    charged: Callable[[Sequence[Mapping[str, Any]]], int]

    def asks(self, called: Collection[str]) -> tuple[int, int]:
        """As it was then."""
        del called
        return self.asked

    def choose(self, room: int, called: Collection[str]) -> ChosenTools:
        """What was chosen then, whatever the room is now."""
        del room, called
        kept = [entry for entry in self.entries if entry["included"]]
        definitions = {entry["name"]: definition_of(entry) for entry in kept}
        because, left_out = _reasons(self.entries, "name")
        return ChosenTools(
            kept=tuple(entry["name"] for entry in kept),
            left_out=left_out,
            tokens=self.charged(list(definitions.values())),
            max_tokens=self.max_tokens,
            max_tools=self.max_tools,
            costs={each["name"]: each["tokens"] for each in self.entries},
            because=because,
            definitions=definitions,
            digests={each["name"]: each["content_hash"] for each in self.entries},
        )

    def without(self, chosen: ChosenTools, idle: Collection[str]) -> ChosenTools:
        """As they are: tools that no call needed were left out then."""
        del idle
        return chosen


def recorded_pools(document: Document, spec: ModelSpec, counter: TokenCounter) -> Pools | None:
    """Notes, examples and tools of a packet; None for one without any."""
    pools = Pools(
        notes=recorded_notes(document, counter),
        examples=recorded_examples(document, spec, counter),
        tools=recorded_tools(document, spec, counter),
    )
    return None if pools == Pools() else pools


def recorded_examples(
    document: Document, spec: ModelSpec, counter: TokenCounter
) -> RecordedExamples | None:
    """The examples of a packet; None for one without."""
    told = document.get("examples")
    if told is None:
        return None
    return RecordedExamples(
        entries=tuple(told["examples"]),
        asked=_asked(document, "examples")[0],
        costs=Costs(spec=spec, counter=counter),
    )


def recorded_tools(
    document: Document, spec: ModelSpec, counter: TokenCounter
) -> RecordedTools | None:
    """The tools of a packet; None for one without."""
    told = document.get("tools")
    if told is None:
        return None
    return RecordedTools(
        entries=tuple(told["tools"]),
        max_tools=told["max_tools"],
        max_tokens=told["max_tokens"],
        asked=_asked(document, "tools"),
        charged=partial(charged_tools, spec=spec, counter=counter),
    )


def _asked(document: Document, name: str) -> tuple[int, int]:
    for section in document["sections"]:
        if section["name"] == name:
            return section["asked"], section["needs"]
    return 0, 0


def _reasons(
    entries: Sequence[Document], key: str
) -> tuple[dict[str, LeftOut], dict[str, LeftOut]]:
    """Why each is in, and why each is out."""
    told = {each[key]: LeftOut(each["reason_code"], each["reason"]) for each in entries}
    is_in = {each[key] for each in entries if each["included"]}
    return (
        {name: why for name, why in told.items() if name in is_in},
        {name: why for name, why in told.items() if name not in is_in},
    )

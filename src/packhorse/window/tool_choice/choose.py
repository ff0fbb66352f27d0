"""Chooses the tools that a request defines, under a cap, each with its reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from packhorse.text.digest import digest_of
from packhorse.window.policies.policy import LeftOut
from packhorse.window.tool_choice.scores import asked_terms, tool_scores

if TYPE_CHECKING:
    from packhorse.window.tool_choice.definitions import Definition

__all__ = ["HYSTERESIS", "ChosenTools", "ToolPool"]

HYSTERESIS = 0.15
"""Of the best score: by how much a tool must be better than one that was chosen before."""
LEAST = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenTools:
    """The tools that a request defines, and why the others are not among them."""

    kept: tuple[str, ...]
    """Names, in the order in which they were given."""
    left_out: Mapping[str, LeftOut]
    """Name -> code and numbers: `exceeded_remaining_budget` or `over_the_number_asked_for`."""
    tokens: int
    """Of all definitions that are in, counted as the request's."""
    max_tokens: int | None
    max_tools: int | None
    costs: Mapping[str, int]
    """Name -> tokens of its definition, for every tool."""
    because: Mapping[str, LeftOut] = field(default_factory=dict)
    """Name of a tool that is in -> why: `pinned`, `called`, `chosen` or `all_fit`."""
    definitions: Mapping[str, Any] = field(default_factory=dict)
    """Name of a tool that is in -> its definition, by itself."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Name -> SHA-256 of what the definition says, for every tool."""

    @property
    def is_over(self) -> bool:
        """Whether the tools that have to stay are more than was asked for."""
        over = self.max_tokens is not None and self.tokens > self.max_tokens
        return over or (self.max_tools is not None and len(self.kept) > self.max_tools)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolPool:
    """Tools that compete for a place in the request."""

    tools: tuple[Definition, ...]
    turns: tuple[str, ...]
    """What was said lately, turn by turn; the question last."""
    costs: tuple[int, ...]
    """Tokens of each definition."""
    frame: int
    """Tokens that the provider adds once."""
    whole: Callable[[Collection[str]], int]
    """Exact tokens of the definitions of some tools in one request."""

    @property
    def asked(self) -> int:
        """Tokens of all definitions."""
        return self.whole([tool.name for tool in self.tools])

    def choose(
        self,
        max_tokens: int | None = None,
        max_tools: int | None = None,
        stays: Mapping[str, LeftOut] | None = None,
        previous: Collection[str] = (),
    ) -> ChosenTools:
        """The tools that have most to do with what is said, in the order in which they were given.

        Where all of them are under the caps, all stay. Else those that must stay are in, even over
        a cap, and then the best by score; one that does not fit is passed over. A tool that was
        chosen before counts for 0.15 of the best score more, so that the set does not change
        for little. Ties go to the earlier tool.

        Args:
            max_tokens: for all definitions; None is no cap.
            max_tools: how many; None is no cap.
            stays: names that must stay, and why.
            previous: names that were chosen for the request before.
        """
        stays = stays or {}
        names = [tool.name for tool in self.tools]
        whole = self.asked if names else 0
        if (max_tokens is None or whole <= max_tokens) and (
            max_tools is None or len(names) <= max_tools
        ):
            why = {name: stays.get(name, LeftOut("all_fit")) for name in names}
            return self._result(names, {}, why, max_tokens, max_tools)
        order, told = self._ranked(previous)
        kept = [at for at, name in enumerate(names) if name in stays]
        out: dict[str, LeftOut] = {}
        why = {names[at]: stays[names[at]] for at in kept}
        left = None if max_tokens is None else max_tokens - self._sum(kept)
        chosen: list[int] = []
        for at in order:
            name = names[at]
            if name in stays:
                continue
            if max_tools is not None and len(kept) + len(chosen) >= max_tools:
                out[name] = LeftOut("over_the_number_asked_for", f"{max_tools}; {told[at]}")
            elif left is not None and self.costs[at] > left:
                needed = f"needed {self.costs[at]}, had {max(0, left)}; {told[at]}"
                out[name] = LeftOut("exceeded_remaining_budget", needed)
            else:
                left = None if left is None else left - self.costs[at]
                chosen.append(at)
                why[name] = LeftOut("chosen", told[at])
        while chosen and not self._is_within(max_tokens, (*kept, *chosen)):
            at = chosen.pop()
            del why[names[at]]
            needed = f"needed {self.costs[at]}, had less; {told[at]}"
            out[names[at]] = LeftOut("exceeded_remaining_budget", needed)
        some = [names[at] for at in sorted((*kept, *chosen))]
        return self._result(some, out, why, max_tokens, max_tools)

    def _ranked(self, previous: Collection[str]) -> tuple[list[int], list[str]]:
        """Places, best first, and the score of each place in words."""
        scores = tool_scores(self.tools, asked_terms(self.turns))
        bonus = max(HYSTERESIS * max(scores, default=0.0), LEAST)
        before = [tool.name in previous for tool in self.tools]
        rated = [score + bonus * was_in for score, was_in in zip(scores, before, strict=True)]
        order = sorted(range(len(scores)), key=lambda at: (-round(rated[at], 6), at))
        told = [
            f"score {score:.3f}" + (f" and {bonus:.3f} for being in before" if was_in else "")
            for score, was_in in zip(scores, before, strict=True)
        ]
        return order, told

    def _is_within(self, max_tokens: int | None, places: Sequence[int]) -> bool:
        names = [self.tools[at].name for at in places]
        return max_tokens is None or self.whole(names) <= max_tokens

    def _sum(self, places: Sequence[int]) -> int:
        return self.frame + sum(self.costs[at] for at in places)

    def _result(
        self,
        kept: Sequence[str],
        out: Mapping[str, LeftOut],
        why: Mapping[str, LeftOut],
        max_tokens: int | None,
        max_tools: int | None,
    ) -> ChosenTools:
        names = [tool.name for tool in self.tools]
        return ChosenTools(
            kept=tuple(kept),
            left_out={name: out[name] for name in names if name in out},
            tokens=self.whole(kept) if kept else 0,
            max_tokens=max_tokens,
            max_tools=max_tools,
            costs=dict(zip(names, self.costs, strict=True)),
            because={name: why[name] for name in kept},
            definitions={tool.name: tool.tool for tool in self.tools if tool.name in kept},
            digests={tool.name: digest_of(tool.tool) for tool in self.tools},
        )

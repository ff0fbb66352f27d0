"""A fitted conversation for the caller, with a reason for every message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from packhorse.window.fit import BROKEN
from packhorse.window.memory.decisions import NoteDecision, note_decisions
from packhorse.window.policies.policy import LeftOut
from packhorse.window.refused import check_says_something, refusals
from packhorse.window.sections.surround import below_floor
from packhorse.window.summary.running import NO_ROOM, SUMMARISED

if TYPE_CHECKING:
    from packhorse.window.elision import ElidedResult
    from packhorse.window.few_shot.choose import ChosenExamples
    from packhorse.window.fit import Fitted
    from packhorse.window.offload import Offloaded
    from packhorse.window.sections.surround import Beside
    from packhorse.window.summary.running import RunningSummary
    from packhorse.window.tool_choice.choose import ChosenTools

__all__ = ["Decision", "FittedMessages", "fitted_messages"]

KEPT_BECAUSE = "recent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What became of one message, and why."""

    index: int
    """In the messages as they were given."""
    kept: bool
    reason_code: str
    """`instruction`, `last_user_message`, `opens_the_conversation`, `pinned`, `relevant`,
    `summary`, `example` or `recent` for what stays; else why not."""
    reason: str
    """In words; of a message that is out also the handles under which `recall` has its results."""
    tokens: int
    """Of the whole unit that it belongs to: a tool call counts with its results."""
    with_indexes: tuple[int, ...] = ()
    """The other messages of its unit."""


@dataclass(frozen=True, kw_only=True)
class FittedMessages(Sequence[Any]):
    """Messages that fit, in the shape they came in; a sequence of them, with its report.

    `fit_messages` and `GrowingConversation.fitted` return it.
    """

    messages: tuple[Any, ...]
    """What was kept, in its order: the caller's own objects."""
    request: Mapping[str, Any]
    """The whole request with these messages, tools and settings as they were."""
    tokens: int
    """Of the request: messages, framing and tools, counted whole."""
    max_tokens: int
    """What it may take."""
    ledger: Mapping[str, int]
    """`tokens` on the fixed lines of the ledger."""
    exact: bool
    """Whether every part follows the model's own tokenizer and a published rule."""
    elided: tuple[ElidedResult, ...]
    """Results that were replaced by a marker."""
    summary: RunningSummary | None
    """What stands for messages that were let go of; give it to the next request."""
    offloaded: tuple[Offloaded, ...]
    """Results that were written to files, with markers in their place."""
    fitted: Fitted = field(repr=False)
    """All that was decided, by units."""
    beside: Beside | None = field(default=None, repr=False)
    """What stands in front of the user's last word; None where nothing was asked for."""
    examples: ChosenExamples | None = None
    """Which examples are in, and why; None where none were given."""
    tools: ChosenTools | None = None
    """Which tools are defined, and why; None where no cap was set."""

    @cached_property
    def dropped(self) -> tuple[Any, ...]:
        """What was left out, in its order."""
        items = self.fitted.conversation.items
        return tuple(items[at] for at in self.fitted.places_left_out)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """One a message, in the order in which they were given."""
        return _decisions(self.fitted)

    @cached_property
    def report(self) -> str:
        """What was left out, with the numbers, and the warnings; empty where there is neither."""
        said = [_report(self.fitted), _told_tools(self.tools), *self.below_floor, *self.warnings]
        if self.beside is not None:
            n_out = sum(1 for _ in self.beside.left_out())
            said += [f"{n_out} notes and paragraphs left out"] if n_out else []
        return "; ".join(filter(None, said))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for each rule of the provider that is broken and that fitting cannot mend.

        Tool calls without an id, or with the same one, and an opening that is not the user's.
        """
        return refusals(self.fitted)

    @property
    def below_floor(self) -> tuple[str, ...]:
        """A sentence for each section that has less than its floor."""
        return () if self.beside is None else tuple(below_floor(self.beside.allocation))

    @cached_property
    def sections(self) -> tuple[tuple[str, int, int, str], ...]:
        """(name, tokens asked, tokens got, why) of each section, in the order of service.

        Empty where neither memory nor sections were given.
        """
        if self.beside is None:
            return ()
        return tuple(
            (each.name, each.demand.asked, each.got, why) for each, why in self.beside.lines()
        )

    @cached_property
    def notes(self) -> tuple[NoteDecision, ...]:
        """What became of each note: those that are in first, newest first; then the others."""
        memory = None if self.beside is None else self.beside.memory
        return () if memory is None else tuple(note_decisions(memory))

    @property
    def is_mended(self) -> bool:
        """Whether more happened than was asked for.

        Broken calls dropped, results cut or replaced, a floor that was not kept, a summary that an
        endpoint could not write or that had no room; or the provider will refuse what was given.
        """
        left_out = self.fitted.left_out.values()
        broken = any(why is BROKEN or why.code == NO_ROOM for why in left_out)
        failed = self.summary is not None and self.summary.has_failed
        stripped = bool(self.fitted.conversation.stripped)
        is_less = bool(self.elided) or stripped or bool(self.below_floor)
        return broken or failed or is_less or bool(self.warnings)

    def __len__(self) -> int:
        return len(self.messages)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Any, ...]: ...

    def __getitem__(self, index: int | slice) -> Any:
        return self.messages[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.messages)


def fitted_messages(
    fitted: Fitted,
    beside: Beside | None = None,
    *,
    examples: ChosenExamples | None = None,
    tools: ChosenTools | None = None,
) -> FittedMessages:
    """What was decided, as a caller reads it.

    Raises:
        InputError: no message may stay.
        BudgetExceededError: no message fits.
    """
    check_says_something(fitted)
    held = fitted.body[fitted.conversation.shape.field]
    return FittedMessages(
        messages=(held,) if isinstance(held, str) else tuple(held),
        request=fitted.body,
        tokens=fitted.tokens,
        max_tokens=fitted.limit,
        ledger=fitted.count.lines,
        exact=fitted.count.exact,
        elided=fitted.elision.results,
        summary=fitted.summary,
        offloaded=fitted.offloaded,
        fitted=fitted,
        beside=beside,
        examples=examples,
        tools=tools,
    )


def _decisions(fitted: Fitted) -> tuple[Decision, ...]:
    decisions = {}
    for at, unit in enumerate(fitted.conversation.units):
        why = fitted.left_out.get(at)
        if why is not None:
            code, reason = why.code, why.detail or why.code.replace("_", " ")
        else:
            code, detail = _kept_because(fitted, at)
            reason = detail or code.replace("_", " ")
        for place in unit.places:
            decisions[place] = Decision(
                index=place,
                kept=why is None,
                reason_code=code,
                reason=reason if why is None else f"{reason}{_told_files(fitted, place)}",
                tokens=fitted.costs[at],
                with_indexes=tuple(other for other in unit.places if other != place),
            )
    return tuple(decisions[place] for place in sorted(decisions))


def _told_files(fitted: Fitted, place: int) -> str:
    """Where the results of a message that is out are: no marker in the request says it."""
    handles = [each.handle for each in fitted.offloaded if each.place == place]
    if not handles:
        return ""
    return (
        f"; {'its result is' if len(handles) == 1 else 'its results are'} in {', '.join(handles)}"
    )


def _kept_because(fitted: Fitted, at: int) -> LeftOut:
    if at in fitted.pinned:
        return LeftOut("pinned")
    if at not in fitted.required:
        return fitted.chosen.get(at, LeftOut(KEPT_BECAUSE))
    if fitted.conversation.units[at].is_instruction:
        return LeftOut("instruction")
    last = max(other for other in fitted.required if fitted.conversation.units[other].is_users_word)
    return LeftOut("last_user_message" if at == last else "opens_the_conversation")


def _report(fitted: Fitted) -> str:
    n_gone = len(fitted.places_left_out)
    units = fitted.conversation.units
    said = []
    if n_gone:
        turns = fitted.conversation.turn_numbers()
        n_turns = len({turns[at] for at in fitted.left_out})
        tokens = sum(fitted.costs[at] for at in fitted.left_out)
        said.append(
            f"{n_gone} of {len(fitted.conversation.items)} messages left out, from {n_turns} of"
            f" {len(set(turns))} turns ({tokens} of {sum(fitted.costs)} tokens)"
        )
        broken = [at for at, why in fitted.left_out.items() if why is BROKEN]
        if broken:
            n_broken = sum(len(units[at].places) for at in broken)
            said.append(f"{n_broken} of them are tool calls or results without the other")
    said += _told_summary(fitted)
    if fitted.offloaded:
        n_results = len(fitted.offloaded)
        tokens = sum(each.tokens for each in fitted.offloaded)
        results = "result" if n_results == 1 else "results"
        said.append(f"{n_results} old {results} of {tokens} tokens offloaded")
        gone = set(fitted.places_left_out)
        n_out = sum(each.place in gone for each in fitted.offloaded)
        if n_out:
            said.append(f"{n_out} of them with messages that were left out")
    if fitted.elision.results:
        n_elided = len(fitted.elision.results)
        results = "result" if n_elided == 1 else "results"
        said.append(f"{n_elided} {results} of the latest tool call replaced")
    if fitted.conversation.stripped:
        said.append("results without a call taken out of what the user said")
    if fitted.conversation.has_lost_sections:
        said.append("notes or sections of an earlier request taken out of what the user said")
    return "; ".join(said)


def _told_summary(fitted: Fitted) -> list[str]:
    n_lost = sum(why.code == NO_ROOM for why in fitted.left_out.values())
    if n_lost:
        return ["no room for a summary of them"]
    summary = fitted.summary
    if summary is None or not any(why.code == SUMMARISED for why in fitted.left_out.values()):
        return []
    told = (
        f"{summary.n_messages} messages, up to turn {summary.turn}, summed up in"
        f" {summary.tokens} tokens"
    )
    return [told, *summary.notes]


def _told_tools(tools: ChosenTools | None) -> str:
    if tools is None or not (tools.left_out or tools.is_over):
        return ""
    n_tools = len(tools.kept) + len(tools.left_out)
    over = ", more than asked for because they have to stay" if tools.is_over else ""
    return f"{len(tools.kept)} of {n_tools} tools defined{over}"

"""Fits a conversation in any provider's shape: the small function of the interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from packhorse.errors import InputError
from packhorse.ledger.plan import check_budget
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.window.conversation import Request, read_conversation
from packhorse.window.costs import Costs
from packhorse.window.fit import BROKEN, Fitted, fit_conversation
from packhorse.window.policies.registry import history_policy

if TYPE_CHECKING:
    from packhorse.window.elision import ElidedResult
    from packhorse.window.policies.policy import HistoryPolicy

__all__ = ["Decision", "FittedMessages", "fit_messages", "fit_request"]

KEPT_BECAUSE = "recent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What became of one message, and why."""

    index: int
    """In the messages as they were given."""
    kept: bool
    reason_code: str
    """`instruction`, `last_user_message`, `pinned`, `recent` for what stays; else why not."""
    reason: str
    tokens: int
    """Of the whole unit that it belongs to: a tool call counts with its results."""
    with_indexes: tuple[int, ...] = ()
    """The other messages of its unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedMessages(Sequence[Any]):
    """Messages that fit, in the shape they came in; a sequence of them, with its report."""

    messages: tuple[Any, ...]
    """What was kept, in its order: the caller's own objects."""
    request: Mapping[str, Any]
    """The whole request with these messages, tools and settings as they were."""
    dropped: tuple[Any, ...]
    """What was left out, in its order."""
    decisions: tuple[Decision, ...]
    """One a message, in the order in which they were given."""
    tokens: int
    """Of the request: messages, framing and tools, counted whole."""
    max_tokens: int
    ledger: Mapping[str, int]
    """`tokens` on the fixed lines of the ledger."""
    exact: bool
    """Whether every part follows the model's own tokenizer and a published rule."""
    elided: tuple[ElidedResult, ...]
    """Results that were replaced by a marker."""
    stripped: bool
    """Whether results without a call were taken out of what the user said."""
    report: str
    """What was left out, with the numbers; empty when nothing was."""

    @property
    def is_mended(self) -> bool:
        """Whether more happened than trimming: broken calls dropped, results cut or replaced."""
        broken = any(decision.reason_code == BROKEN.code for decision in self.decisions)
        return broken or bool(self.elided) or self.stripped

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


def fit_messages(
    messages: Request,
    model: str = "gpt-4o",
    max_tokens: int = 8000,
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    policy: str | HistoryPolicy = "sliding",
    pin: Sequence[int] = (),
    elide: bool = True,
) -> FittedMessages:
    """The messages that fit, with instructions and the last user message always kept.

    A tool call goes or stays with all its results. Fitting what was fitted changes nothing.

    Args:
        messages: oldest first, in the shape of OpenAI's chat or Responses endpoint, of Anthropic or
            of Gemini; or a whole request body.
        model: whose tokenizer and framing count.
        max_tokens: for the whole request: messages, framing, tools and the reply's priming.
        tools: definitions that go with the request, for bare messages; they are charged first.
        policy: what stays of the rest: `sliding` (the most recent) or `blocks` (the same in jumps,
            so that a provider's prefix cache survives most requests), or a policy of your own.
        pin: indexes of further messages that stay, each with the rest of its tool call.
        elide: whether results of the latest tool call that are larger than the room for them are
            replaced by a marker; otherwise the call is left out.

    Raises:
        BudgetExceededError: tools, instructions, the last user message and pinned ones are over.
        InvalidBudgetError: `max_tokens` is not a whole number of 0 or more.
        InputError: a message holds a part that cannot be counted, or an index does not exist.
        UnknownModelError: the model is not in the model table.

    Example:
        >>> talk = [{"role": "user", "content": "Hi"}, {"role": "user", "content": "And now?"}]
        >>> [message["content"] for message in fit_messages(talk, max_tokens=12)]
        ['And now?']
    """
    limit = check_budget(max_tokens)
    if limit is None:
        raise InputError("max_tokens is missing", hint="Give a whole number of tokens")
    spec = model_spec(model)
    if tools:
        messages = _with_tools(messages, tools, spec.shape)
    costs = Costs(spec=spec, counter=counter_for(model))
    return fit_request(messages, costs, limit, policy=policy, pin=pin, elide=elide)


def fit_request(
    request: Request,
    costs: Costs,
    limit: int,
    *,
    policy: str | HistoryPolicy = "sliding",
    pin: Sequence[int] = (),
    elide: bool = True,
) -> FittedMessages:
    """As `fit_messages`, with the model and its counter at hand.

    Raises:
        BudgetExceededError: what must stay is over the limit.
        InputError: a message holds a part that cannot be counted, or an index does not exist.
        UnknownStrategyError: no policy has that name.
    """
    conversation = read_conversation(request, costs.spec.shape)
    unit_of = {place: at for at, unit in enumerate(conversation.units) for place in unit.places}
    for place in pin:
        if place not in unit_of:
            known = f"Give 0 to {len(unit_of) - 1}" if unit_of else "There are no messages"
            raise InputError(f"There is no message {place} to pin", hint=known)
    fitted = fit_conversation(
        conversation,
        costs,
        limit,
        history_policy(policy) if isinstance(policy, str) else policy,
        pinned=frozenset(unit_of[place] for place in pin),
        elides=elide,
    )
    return _result(fitted)


def _with_tools(
    messages: Request, tools: Sequence[Mapping[str, Any]], model_shape: str
) -> Mapping[str, Any]:
    conversation = read_conversation(messages, model_shape)
    if conversation.body.get("tools"):
        raise InputError(
            "The request has `tools` of its own", hint="Give tools there or apart, not both"
        )
    return {**conversation.body, "tools": list(tools)}


def _result(fitted: Fitted) -> FittedMessages:
    given, units = fitted.conversation, fitted.conversation.units
    gone = sorted(place for at in fitted.left_out for place in units[at].places)
    return FittedMessages(
        messages=fitted.items,
        request=fitted.body,
        dropped=tuple(given.items[place] for place in gone),
        decisions=_decisions(fitted),
        tokens=fitted.tokens,
        max_tokens=fitted.limit,
        ledger=fitted.count.lines,
        exact=fitted.count.exact,
        elided=fitted.elision.results,
        stripped=bool(given.stripped),
        report=_report(fitted, len(gone)),
    )


def _decisions(fitted: Fitted) -> tuple[Decision, ...]:
    decisions = {}
    for at, unit in enumerate(fitted.conversation.units):
        why = fitted.left_out.get(at)
        if why is not None:
            code, reason = why.code, why.detail or why.code.replace("_", " ")
        else:
            code = _kept_because(fitted, at)
            reason = code.replace("_", " ")
        for place in unit.places:
            decisions[place] = Decision(
                index=place,
                kept=why is None,
                reason_code=code,
                reason=reason,
                tokens=fitted.costs[at],
                with_indexes=tuple(other for other in unit.places if other != place),
            )
    return tuple(decisions[place] for place in sorted(decisions))


def _kept_because(fitted: Fitted, at: int) -> str:
    if at in fitted.pinned:
        return "pinned"
    if at not in fitted.required:
        return KEPT_BECAUSE
    if fitted.conversation.units[at].is_instruction:
        return "instruction"
    last = max(other for other in fitted.required if fitted.conversation.units[other].is_users_word)
    return "last_user_message" if at == last else "opens_the_conversation"


def _report(fitted: Fitted, n_gone: int) -> str:
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
    if fitted.elision.results:
        said.append(f"{len(fitted.elision.results)} results of the latest tool call replaced")
    if fitted.conversation.stripped:
        said.append("results without a call taken out of what the user said")
    return "; ".join(said)

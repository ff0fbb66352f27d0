"""A conversation that is fitted with each of its turns, and looks at what is new alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.requests.count import RuleCounter, request_counter
from packhorse.window.conversation import opened
from packhorse.window.costs import Costs
from packhorse.window.counted import CountedConversation
from packhorse.window.fit_grown import fit_grown
from packhorse.window.fit_settings import indexes_in
from packhorse.window.messages import counter_with_memory, limit_of, model_for, with_tools
from packhorse.window.policies.following import follower_of
from packhorse.window.policies.registry import history_policy
from packhorse.window.report import FittedMessages, fitted_messages
from packhorse.window.requested import FitOptions, fit_as_asked
from packhorse.window.shapes.registry import NO_MARKS, SHAPES, Marks

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation, Request
    from packhorse.window.policies.following import Follower
    from packhorse.window.policies.policy import HistoryPolicy
    from packhorse.window.shapes.shape import Shape

__all__ = ["GrowingConversation"]


class GrowingConversation:
    """A conversation to which messages are appended, and that says what of it fits.

    After each message `fitted()` gives what `fit_messages` gives for the whole conversation, byte
    for byte. Reading, counting and choosing touch the new messages and the window alone, so that
    the two-thousandth turn costs what the two-hundredth did. The policies `sliding` and `blocks`
    work so; `refits` says where the whole conversation is fitted again all the same.

    A message must not be changed after it was appended: its count is remembered. Not for several
    threads at once.

    Args:
        request: messages, or a whole request body, as `fit_messages` takes them; the body's tools,
            system text and settings stay for all requests that follow.
        model: whose tokenizer and framing count; default: the model that a request body names, else
            gpt-4o.
        max_tokens: for the whole request: messages, framing, tools and the reply's priming.
        tools: definitions that go with bare messages.
        policy: what stays, by name or a policy of your own, as in `fit_messages`.
        pin: indexes of messages that stay.
        elide: whether results of the latest tool call that are larger than the room for them are
            replaced by a marker.

    Raises:
        InvalidBudgetError: `max_tokens` is not a whole number of 0 or more.
        InputError: a message holds a part that cannot be counted, or an index does not exist.
        UnknownModelError: the model is not in the model table.
        UnknownStrategyError: no policy has that name.

    Example:
        >>> history = GrowingConversation(max_tokens=12)
        >>> history.append({"role": "user", "content": "Hi"})
        >>> history.append({"role": "user", "content": "And now?"})
        >>> [message["content"] for message in history.fitted()]
        ['And now?']
    """

    def __init__(
        self,
        request: Request = (),
        model: str | None = None,
        max_tokens: int = 8000,
        tools: Sequence[Mapping[str, Any]] | None = None,
        *,
        policy: str | HistoryPolicy = "sliding",
        pin: Sequence[int] = (),
        elide: bool = True,
    ) -> None:
        """The conversation so far."""
        named = model_for(request, model)
        spec = model_spec(named)
        self._costs = Costs(spec=spec, counter=counter_with_memory(named))
        self._limit = limit_of(max_tokens)
        self._policy = history_policy(policy)
        self._elides = elide
        self._pinned = list(indexes_in(pin))
        self._adds_up = isinstance(request_counter(spec, self._costs.counter), RuleCounter)
        self._is_list = not isinstance(request, Mapping)
        asked = with_tools(request, tools, spec.shape) if tools else request
        self._tools = {"tools": list(tools)} if tools else {}
        shape, self._body, items = opened(asked, spec.shape)
        self._is_bare, self._field = self._is_list and not tools, shape.field
        self._given: list[Any] = []
        self._marks = NO_MARKS
        self._follower: Follower | None = None
        self._counted = self._begun(shape)
        self._fitted: FittedMessages | None = None
        self._add(list(items))
        self._conversation().units_at(self._pinned)

    def append(self, message: Any, *, pin: bool = False) -> None:
        """Takes the next message, in the shape of the others.

        Args:
            message: of the user, the assistant or a tool, as the provider takes it.
            pin: whether it stays whatever happens, with the rest of its tool call.

        Raises:
            InputError: it is no message, or holds a part that cannot be counted; the conversation
                is then as it was.
        """
        self._add([message])
        if pin:
            self._pinned.append(len(self._given) - 1)

    def extend(self, messages: Sequence[Any]) -> None:
        """Takes several messages, oldest first: all of them or, where one raises, none."""
        self._add(list(messages))

    def fitted(self) -> FittedMessages:
        """The messages that fit, with their report, as from `fit_messages`.

        Asked again before anything is appended, it is the same object.

        Raises:
            BudgetExceededError: what must stay is over the limit.
            InputError: the model's chat template refuses the conversation.
        """
        if self._fitted is None:
            self._fitted = self._fit()
        return self._fitted

    @property
    def messages(self) -> tuple[Any, ...]:
        """All that was appended, as it was given."""
        return tuple(self._given)

    @property
    def refits(self) -> str:
        """Why the whole conversation is fitted again with each turn; empty where it is not."""
        if self._follower is None:
            return f"the policy {self._policy.name} looks at the whole conversation"
        if not self._adds_up:  # a chat template, or a calibration
            return f"requests to {self._costs.spec.name} are counted whole"
        return ""

    def __len__(self) -> int:
        """Messages that were appended."""
        return len(self._given)

    def _begun(self, shape: Shape) -> CountedConversation:
        """No messages yet, of a shape."""
        rest = self._tools if self._is_list else self._body
        # A text in place of messages comes back as one as long as it stands alone.
        none: Any = "" if isinstance(rest.get(shape.field), str) else []
        body = {shape.field: [], **rest} if self._is_list else {**rest, shape.field: none}
        self._follower = follower_of(self._policy)
        rules = RuleCounter(self._costs.spec, self._costs.counter)
        return CountedConversation(shape, body, rules)

    def _shape(self, marks: Marks) -> Shape:
        model_shape = self._costs.spec.shape
        if self._is_list:
            return marks.bare_shape(model_shape)
        if self._field != "messages":
            return next(shape for shape in SHAPES.values() if shape.field == self._field)
        return SHAPES["anthropic" if marks.is_anthropic(self._body, model_shape) else "openai"]

    def _add(self, items: list[Any]) -> None:
        marks = self._marks.with_more(items)
        was, shape = self._counted.reading.shape, self._shape(marks)
        try:
            if shape is was:
                self._counted.add(items)
            else:
                # Only now a message says whose shape it is: all before were read as another's.
                self._counted = self._begun(shape)
                self._counted.add([*self._given, *items])
        except InputError:
            self._counted = self._begun(was)
            self._counted.add(self._given)
            raise
        self._given += items
        self._marks = marks
        self._fitted = None

    def _conversation(self) -> Conversation:
        return self._counted.conversation(is_bare=self._is_bare)

    def _fit(self) -> FittedMessages:
        conversation, counted = self._conversation(), self._counted
        if not self.refits and self._follower is not None:
            fitted = fit_grown(
                counted,
                conversation,
                self._limit,
                self._policy,
                self._follower,
                pinned=frozenset(counted.unit_of[place] for place in self._pinned),
                elides=self._elides,
            )
            if fitted is not None:
                return fitted_messages(fitted)
        options = FitOptions(policy=self._policy, pin=tuple(self._pinned), elide=self._elides)
        return fit_as_asked(conversation, self._costs, self._limit, options)

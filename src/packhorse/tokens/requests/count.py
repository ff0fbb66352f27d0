"""What a chat request costs: contents, framing, tools and images, line by line.

OpenAI publishes a rule for messages (3 tokens a message, the name's tokens and 1 for a name, 3
for the reply) and one for flat tool schemas, both for named models and as an estimate that may
differ for later ones. Other providers publish examples and no rule; their figures in the model
table are upper estimates. `RequestCount.estimated` names every part without a published rule.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.tokens.requests.blocks import THOUGHTS
from packhorse.tokens.requests.calibrated import CalibratedCounter
from packhorse.tokens.requests.images import image_tokens, is_estimated
from packhorse.tokens.requests.mistral import MistralCounter, is_mistral_format
from packhorse.tokens.requests.request import (
    ChatRequest,
    MessageCost,
    RequestCount,
    RequestCounter,
    Turn,
    charge_contents,
)
from packhorse.tokens.requests.reservation import fit_warnings, read_reservation, window_of
from packhorse.tokens.requests.tools import tool_charges
from packhorse.tokens.requests.turns import BODIES, read_request, turn_of
from packhorse.tokens.requests.values import is_set
from packhorse.types.ledger import FIXED_LINES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.tools import ToolCharge
    from packhorse.types.message import Message

__all__ = [
    "Beside",
    "RuleCounter",
    "completed",
    "count_request",
    "message_costs",
    "request_counter",
]

SEALED_CHARS = 8
SEALED_TOKENS = 3
"""8 characters of base64 are 6 bytes; 2 bytes a token are more tokens than text has in any
language, so 3 tokens are an upper estimate of what is sealed in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Tools, forms of the answer, and other text that is in no message."""

    tokens: int
    is_published: bool
    """Whether every tool follows a published rule."""


@dataclass(frozen=True, slots=True)
class RuleCounter:
    """Counts by the rules of the model table."""

    spec: ModelSpec
    counter: TokenCounter

    def count(self, request: ChatRequest) -> RequestCount:
        """The request on the lines of the ledger.

        Raises:
            InputError: parts of the request that no rule covers, each by name and place.
        """
        request.check_countable()
        turns = self.seen(request.turns)
        return self.assembled(request, turns, self.message_costs(turns), self.beside(request))

    def beside(self, request: ChatRequest) -> Beside:
        """What the request costs beside its messages, whatever these are."""
        charges = [*tool_charges(request.tools, self.spec.tools, forced=request.forces_call)]
        n_tools = len(charges)
        charges += self._added(request)
        texts = [text for _, texts, _ in charges for text in texts]
        return Beside(
            tokens=sum(fixed for fixed, *_ in charges) + sum(self.counter.count_batch(texts)),
            is_published=all(known for *_, known in charges[:n_tools]),
        )

    def assembled(
        self,
        request: ChatRequest,
        turns: Sequence[Turn],
        costs: Sequence[MessageCost],
        beside: Beside,
    ) -> RequestCount:
        """The count of a request of which the parts are counted.

        Args:
            request: its last turn and its body tell how the answer is opened.
            turns: as the model sees them, see `seen`.
            costs: one a turn.
            beside: of this request.
        """
        lines = dict.fromkeys(FIXED_LINES, 0)
        lines["tools"] = beside.tokens
        charge_contents(lines, turns, costs)
        overhead = sum([cost.overhead for cost in costs])
        lines["message_overhead"] = overhead + self._reply(request)
        estimated = self._estimated(turns, request, beside)
        return RequestCount(
            lines=lines,
            messages=tuple(costs),
            exact=self.counter.exact and not estimated,
            estimated=estimated,
        )

    def message_costs(self, turns: Sequence[Turn]) -> list[MessageCost]:
        """One cost a turn, in order, counted in one batch."""
        framing = self.spec.framing
        texts: list[str] = []
        for turn in turns:
            texts += turn.texts
            texts += turn.thoughts
            texts.append(turn.role if framing.role else "")
            texts.append(turn.name or "")
        counts = self.counter.count_batch(texts)
        costs, place = [], 0
        for turn in turns:
            end = place + len(turn.texts) + len(turn.thoughts)
            content = sum(counts[place:end])
            returned = sum(counts[place : place + turn.n_returned_texts])
            if turn.images:
                images = [image_tokens(image, self.spec) for image in turn.images]
                content += sum(images)
                returned += sum(images[: turn.n_returned_images])
            if turn.sealed:
                content += -(-turn.sealed * SEALED_TOKENS // SEALED_CHARS)
            overhead = framing.per_message + counts[end] + turn.n_calls * framing.per_call
            if turn.name is not None:
                overhead += counts[end + 1] + framing.per_name
            costs.append(
                MessageCost(content=content, overhead=overhead, role=turn.role, returned=returned)
            )
            place = end + 2
        return costs

    def plain_costs(self, roles: Sequence[str], texts: Sequence[str]) -> list[int]:
        """What `message_costs` gives in all for messages of a role and a text each, in order."""
        framing = self.spec.framing
        counts = self.counter.count_batch(texts)
        if not framing.role:
            return [framing.per_message + n for n in counts]
        frames = {
            role: framing.per_message + self.counter.count(role) for role in sorted(set(roles))
        }
        return [frames[role] + n for role, n in zip(roles, counts, strict=True)]

    def seen(self, turns: Sequence[Turn]) -> list[Turn]:
        """The turns as the model sees them.

        Some models are published to forget what they thought before the user's last word; for the
        others thinking that is sent back is charged.
        """
        rule = self.spec.reasoning
        if rule is None or rule.earlier_turns is not False:
            return list(turns)
        last = len(turns) - 1
        while last >= 0 and not turns[last].is_users_word:
            last -= 1
        return [
            _without_thoughts(turn) if index < last and turn.estimated else turn
            for index, turn in enumerate(turns)
        ]

    def _added(self, request: ChatRequest) -> list[ToolCharge]:
        """What stands outside of messages and tools, by no published rule.

        The schema of the answer is charged like one more tool in JSON; users measured the JSON
        without some of its keys and 9 tokens around it (openai-cookbook issue 2140). A choice is
        charged as its JSON and the framing of a call.
        """
        rule, framing = self.spec.tools, self.spec.framing
        schema = max(rule.per_request, rule.per_request_forced) + rule.per_tool
        return [
            (schema if addition.is_schema else framing.per_call, (addition.text,), False)
            for addition in request.additions
        ]

    def _reply(self, request: ChatRequest) -> int:
        """Priming of the answer; an answer that is begun in the request is opened already."""
        begun = bool(request.turns) and request.turns[-1].role == "assistant"
        body = request.body
        engine_goes_on = (
            body.get("continue_final_message") is True or body.get("add_generation_prompt") is False
        )
        goes_on = self.spec.shape == "anthropic" or engine_goes_on
        return 0 if begun and goes_on else self.spec.framing.reply

    def _estimated(
        self, turns: Sequence[Turn], request: ChatRequest, beside: Beside
    ) -> tuple[str, ...]:
        """Names of the parts that are present and have no published rule."""
        spec = self.spec
        images = [image for turn in turns if turn.images for image in turn.images]
        unruled = [turn.estimated for turn in turns if turn.estimated]
        parts = {
            **dict.fromkeys(request.estimated, True),
            **({} if spec.framing.published else {"message framing": True}),
            "tool definitions": not beside.is_published,
            **dict.fromkeys((part for parts in unruled for part in parts), True),
            "images": any(is_estimated(image, spec) for image in images),
            **dict.fromkeys((addition.name for addition in request.additions), True),
        }
        return tuple(part for part, is_so in parts.items() if is_so)


def request_counter(
    spec: ModelSpec, counter: TokenCounter, today: date | None = None
) -> RequestCounter:
    """What counts whole requests for a model.

    Args:
        spec: limits and rules of the model.
        counter: counts texts for the model.
        today: the day that a chat template may print; None: one fixed day.

    Raises:
        InputError: the model's chat template cannot be read.
        ConfigError: its vocabulary does not read rendered prompts.
    """
    rules: RequestCounter = RuleCounter(spec, counter)
    if is_mistral_format(spec.template):
        rules = MistralCounter(spec, counter, rules)
    elif spec.template is not None:
        from packhorse.tokens.templates.counter import template_counter

        rules = template_counter(spec, counter, today)
    return rules if spec.calibration is None else CalibratedCounter(rules, spec.calibration)


def count_request(
    body: Mapping[str, Any] | Sequence[Any],
    spec: ModelSpec,
    counter: TokenCounter,
    *,
    by: RequestCounter | None = None,
    today: date | None = None,
) -> RequestCount:
    """Counts a request body in any of the known shapes, or a bare list of messages.

    Args:
        body: the request as the caller wrote it.
        spec: limits and rules of the model.
        counter: counts texts for the model.
        by: counts instead of what `request_counter` chooses: an endpoint.
        today: the day that a chat template may print.

    Raises:
        InputError: not a request, or a part of it that no rule can count.
    """
    request = read_request(body)
    return completed((by or request_counter(spec, counter, today)).count(request), request, spec)


def completed(counted: RequestCount, request: ChatRequest, spec: ModelSpec) -> RequestCount:
    """A count, and how the request fits the model's window."""
    counted = replace(
        counted,
        messages=_named(counted.messages, request.turns),
        reservation=read_reservation(request.body, spec),
        window=window_of(request.body, spec),
        max_input=spec.max_input,
    )
    warnings = (*counted.warnings, *_doubts(request, spec), *fit_warnings(counted, spec))
    return replace(counted, warnings=warnings)


def message_costs(
    messages: Sequence[Message], spec: ModelSpec, counter: TokenCounter
) -> list[MessageCost]:
    """One cost a message, in order, counted in one batch."""
    return request_counter(spec, counter).message_costs([turn_of(message) for message in messages])


def _doubts(request: ChatRequest, spec: ModelSpec) -> Iterator[str]:
    """Why the request may not be what its writer meant."""
    if not any(is_set(request.body.get(key)) for key in BODIES):
        yield "The request has no messages, and providers refuse such a request"
    if "contents" in request.body and spec.shape != "gemini":
        yield (
            f"The request has Gemini's shape (`contents`), which {spec.name} does not take; name"
            " the model that it is for"
        )
    for name in request.assumed:
        yield f"The unknown field {name} was taken to cost nothing"


def _without_thoughts(turn: Turn) -> Turn:
    names = tuple(name for name in turn.estimated if name not in THOUGHTS)
    return replace(turn, thoughts=(), sealed=0, estimated=names)


def _named(costs: tuple[MessageCost, ...], turns: Sequence[Turn]) -> tuple[MessageCost, ...]:
    """Costs with the role of each message, where there is one cost a message.

    A counter names the role of every message or of none.
    """
    if len(costs) != len(turns) or not costs or costs[0].role:
        return costs
    return tuple(replace(cost, role=turn.role) for cost, turn in zip(costs, turns, strict=True))

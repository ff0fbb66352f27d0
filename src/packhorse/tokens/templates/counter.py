"""Counts requests as an engine does that renders the model's chat template."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from packhorse.errors import ConfigError, InputError
from packhorse.tokens.requests.request import MessageCost, RequestCount, check_none_refused
from packhorse.tokens.templates.locate import Places, contents_of, find_places, marked
from packhorse.tokens.templates.messages import Message, template_messages, template_tools
from packhorse.tokens.templates.prompt import Conversation, prompt_of
from packhorse.tokens.templates.source import find_template
from packhorse.types.ledger import FIXED_LINES

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec
    from packhorse.tokens.requests.request import ChatRequest, Turn
    from packhorse.tokens.templates.source import ChatTemplate

__all__ = ["DEFAULT_DAY", "PromptCounter", "TemplateCounter", "template_counter"]

DEFAULT_DAY = date(2026, 1, 15)
"""What a template that prints the day is told where nobody says which day it is; a date in another
month can take another number of tokens."""

MAX_WARNINGS = 20
NOT_SHOWN = frozenset({"chat_template_kwargs"})
"""Refused by rules, and what a template is for."""

FRAMING, TOOLS = -2, -1
"""Owners of characters that no message has said."""

Span = tuple[int, int]


def template_counter(
    spec: ModelSpec, counter: TokenCounter, today: date | None = None
) -> TemplateCounter:
    """What counts requests for a model with a template.

    Args:
        spec: the model; its `template` says where the template is.
        counter: of the model; one that only remembers counts is replaced by what it asks.
        today: the day that a template may print; None: one fixed day.

    Raises:
        InputError: there is no template, or it cannot be read.
        ConfigError: the vocabulary does not read rendered prompts.
    """
    reader: Any = counter
    if not hasattr(reader, "encode_prompt"):
        from packhorse.tokens.registry import counter_of

        reader = counter_of(spec)
    if not hasattr(reader, "encode_prompt"):
        raise ConfigError(
            f"The vocabulary {counter.name} does not read prompts with control tokens, which the"
            f" template of {spec.name} has",
            hint="Give the model's own tokenizer.json, SentencePiece or GGUF file as `tokenizer`",
        )
    template = _template(Path(str(spec.template)), reader)
    return TemplateCounter(template, reader, today or DEFAULT_DAY)


def _template(path: Path, counter: Any) -> ChatTemplate:
    try:
        state = path.stat()
    except OSError as error:
        raise InputError(
            f"Cannot read the chat template {path}: {error.strerror}", hint="Check the path"
        ) from error
    if path.suffix.lower() != ".gguf":
        return find_template(path, counter)
    # The head of a GGUF file is megabytes of vocabulary.
    return _found(path, counter, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=16)
def _found(path: Path, counter: Any, size: int, changed_ns: int) -> ChatTemplate:  # noqa: ARG001 - parts of the key
    """The template in a file, looked for anew when the file has changed."""
    return find_template(path, counter)


class PromptCounter(Protocol):
    """A counter whose vocabulary reads rendered prompts too."""

    name: str
    library: str
    exact: bool
    margin: float

    @property
    def control_tokens(self) -> tuple[str, ...]:
        """Spellings that are read as control tokens."""
        ...

    def count(self, text: str) -> int:
        """Tokens of one text."""
        ...

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order."""
        ...

    def encode_prompt(self, text: str) -> Sequence[Span]:
        """Characters of each token, control tokens parsed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """A rendered conversation, and whom each token belongs to."""

    text: str
    owners: list[int]
    """One a token: the message that said it, or FRAMING or TOOLS."""
    opened: list[int]
    """One a token: the message that framing opens; the number of messages for the reply."""
    added: int
    """Tokens of the beginning and end that the engine puts around."""


@dataclass(frozen=True, slots=True)
class TemplateCounter:
    """Renders a request with the model's template and counts the prompt with its vocabulary.

    Control tokens are parsed wherever they stand, as engines do, in what a user wrote too: such a
    request is counted as it will be read, and a warning names the message and the spelling.
    """

    template: ChatTemplate
    counter: PromptCounter
    today: date = DEFAULT_DAY

    def count(self, request: ChatRequest) -> RequestCount:
        """The request on the lines of the ledger; framing and tokens added are `message_overhead`.

        Raises:
            InputError: the template refuses the request, or a part of it is no text.
        """
        _check_countable(request)
        talk = self._talk(request.body)
        prompt = self._prompt(talk)
        lines = dict.fromkeys(FIXED_LINES, 0)
        costs = [[0, 0] for _ in talk.messages]
        lines["message_overhead"] = prompt.added
        for owner, opened in zip(prompt.owners, prompt.opened, strict=True):
            if owner >= 0:
                lines[_line_of(talk.messages, owner)] += 1
                costs[owner][0] += 1
            else:
                lines["tools" if owner == TOOLS else "message_overhead"] += 1
                if owner == FRAMING and opened < len(costs):
                    costs[opened][1] += 1
        return RequestCount(
            lines=lines,
            messages=tuple(MessageCost(content=said, overhead=framing) for said, framing in costs),
            exact=self.counter.exact,
            estimated=(),
            warnings=tuple(self._warnings(talk.messages)),
        )

    def message_costs(self, turns: Sequence[Turn]) -> list[MessageCost]:
        """One cost a turn, as parts of one conversation that goes on.

        What closes a message is charged to the one that follows. Where the template refuses the
        turns alone, each is charged its text and the framing of a turn in a small conversation.
        """
        messages = template_messages({"messages": [_as_message(turn) for turn in turns]})
        try:
            prompt = self._prompt(Conversation(messages=[*messages, _user("")]))
        except InputError:
            return self._apart(messages)
        costs = [[0, 0] for _ in range(len(messages) + 1)]
        for owner, opened in zip(prompt.owners, prompt.opened, strict=True):
            place = owner if owner >= 0 else min(opened, len(messages))
            costs[place][owner < 0] += 1
        return [MessageCost(content=said, overhead=framing) for said, framing in costs[:-1]]

    def rendered(self, body: Mapping[str, Any]) -> str:
        """The prompt of a request body, without tokens that the engine adds by itself."""
        return prompt_of(self.template, self._talk(body), self.today)

    def _talk(self, body: Mapping[str, Any]) -> Conversation:
        options = body.get("chat_template_kwargs") or {}
        if not isinstance(options, Mapping):
            raise InputError("chat_template_kwargs is not an object", hint="Give names and values")
        return Conversation(
            messages=template_messages(body),
            tools=template_tools(body),
            options={str(key): value for key, value in options.items()},
            answers=body.get("add_generation_prompt", True) is not False,
            continues=body.get("continue_final_message", False) is True,
        )

    def _prompt(self, talk: Conversation) -> _Prompt:
        text = prompt_of(self.template, talk, self.today)
        spans = self.counter.encode_prompt(text)
        places = find_places(text, talk.messages, self._skeletons(talk))
        owned = _owned(len(text), places)
        starts = _starts(places, len(talk.messages))
        middles = [min((start + max(start, end - 1)) // 2, len(text) - 1) for start, end in spans]
        added = sum(
            1
            for adds, token in (
                (self.template.adds_bos, self.template.bos_token),
                (self.template.adds_eos, self.template.eos_token),
            )
            if adds and token
        )
        return _Prompt(
            text=text,
            owners=[owned[middle] for middle in middles],
            opened=[bisect_right(starts, start) for start, _ in spans],
            added=added,
        )

    def _skeletons(self, talk: Conversation) -> Iterator[tuple[str, str | None]]:
        """The conversation rendered with markers, with all of them and with those of texts."""
        for empty in (True, False):
            shown = replace(talk, messages=marked(talk.messages, empty=empty))
            try:
                skeleton = prompt_of(self.template, shown, self.today)
                bare = prompt_of(self.template, replace(shown, tools=()), self.today)
            except InputError:
                continue
            yield skeleton, bare if talk.tools else None

    def _apart(self, messages: Sequence[Message]) -> list[MessageCost]:
        short = self._length([_user("a")])
        long = self._length([_user("a"), {"role": "assistant", "content": "b"}, _user("c")])
        framing = max(0, -(-(long - short - 2) // 2))
        texts = ["\n".join(c.text for c in contents_of([message])) for message in messages]
        calls = [
            "\n".join(str(call["function"]["arguments"]) for call in message.get("tool_calls", ()))
            for message in messages
        ]
        counts = self.counter.count_batch([*texts, *calls])
        return [
            MessageCost(content=said + called, overhead=framing)
            for said, called in zip(counts[: len(texts)], counts[len(texts) :], strict=True)
        ]

    def _length(self, messages: Sequence[Message]) -> int:
        return len(self._prompt(Conversation(messages=messages)).owners)

    def _warnings(self, messages: Sequence[Message]) -> Iterator[str]:
        """Spellings of control tokens in what was said, each message and spelling once."""
        found: dict[tuple[int, str], None] = {}
        for content in contents_of(messages):
            for token in self.counter.control_tokens:
                if token in content.text:
                    found[content.message, token] = None
        for message, token in list(found)[:MAX_WARNINGS]:
            yield (
                f"messages[{message}] ({messages[message]['role']}) spells the control token"
                f" {token!r}, which the engine reads as a token and not as text"
            )
        if len(found) > MAX_WARNINGS:
            yield f"{len(found) - MAX_WARNINGS} more spellings of control tokens"


def _check_countable(request: ChatRequest) -> None:
    """Refuses what a template does not show to the model by a rule that is known here.

    Raises:
        InputError: parts of the request, each by name and place.
    """
    beside = [refusal for refusal in request.refused if refusal.where not in NOT_SHOWN]
    said = [refusal for turn in request.turns for refusal in turn.refused]
    # Which roles there are is the template's own business.
    check_none_refused([*beside, *(part for part in said if not part.where.endswith(".role"))])
    for turn in request.turns:
        if turn.images or turn.sealed:
            raise InputError(
                "A chat template has no counting rule for images or sealed thinking",
                hint="Leave them out, or turn them into text",
            )


def _line_of(messages: Sequence[Message], place: int) -> str:
    role = messages[place]["role"]
    if role in {"system", "developer"}:
        return "system_prompt"
    return "query" if role == "user" and place == len(messages) - 1 else "history"


def _owned(length: int, places: Places) -> list[int]:
    """Whom each character belongs to."""
    owners = [FRAMING] * max(1, length)
    for start, end in places.tools:
        owners[start:end] = [TOOLS] * (end - start)
    for message, (start, end) in places.contents:
        owners[start:end] = [message] * (end - start)
    return owners


def _starts(places: Places, n_messages: int) -> list[int]:
    """Where each message begins to speak, never before the one ahead of it."""
    firsts: dict[int, int] = {}
    for message, (start, _) in places.contents:
        firsts.setdefault(message, start)
    known = [firsts.get(message, -1) for message in range(n_messages)]
    return list(accumulate(known, max))


def _user(text: str) -> Message:
    return {"role": "user", "content": text}


def _as_message(turn: Turn) -> Message:
    """The message behind a turn, or one that says the same."""
    if turn.message is not None:
        return dict(turn.message)
    return {"role": turn.role, "content": "\n".join(turn.texts)}

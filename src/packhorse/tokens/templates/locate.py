"""Where in a rendered prompt each content stands.

A template may trim a content, repeat it or leave it out, and a short content (`user`) may stand in
the framing as well. So the conversation is rendered a second time with a marker in place of each
content; what is between the markers has to be in the prompt too, word for word, and fixes each
place. Where a template looks at contents and renders otherwise for markers, contents are searched
for in their order; what is not found is framing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from packhorse.tokens.templates.messages import Message

__all__ = ["Content", "Places", "contents_of", "find_places", "marked"]

OPEN, CLOSE = "\ue000", "\ue001"
MARKER = re.compile(f"{OPEN}([0-9]{{1,9}}){CLOSE}")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A text of a message."""

    message: int
    """Place of its message in the conversation."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Parts of a prompt, as characters (start, end)."""

    contents: tuple[tuple[int, Span], ...]
    """Place of the message, and where a text of it stands."""
    tools: tuple[Span, ...]
    """What is only there because the request has tools."""


def contents_of(messages: Sequence[Message]) -> list[Content]:
    """Every text of the conversation that a marker can stand for, in order."""
    contents: list[Content] = []
    for at, message in enumerate(messages):
        contents += [Content(message=at, text=text) for text in _texts(message)]
    return contents


def marked(messages: Sequence[Message], *, empty: bool) -> list[Message]:
    """The conversation with the place in `contents_of` in place of each text.

    Args:
        messages: the conversation.
        empty: whether an empty text gets a marker too.
    """
    numbers = iter(range(sum(1 for _ in contents_of(messages))))

    def mark(text: str) -> str:
        number = next(numbers)
        return f"{OPEN}{number}{CLOSE}" if text or empty else text

    return [_walk(message, mark) for message in messages]


def _texts(message: Message) -> list[str]:
    texts: list[str] = []

    def keep(text: str) -> str:
        texts.append(text)
        return text

    _walk(message, keep)
    return texts


def _walk(message: Message, change: Callable[[str], str]) -> Message:
    """The message with each of its texts changed, in the order in which templates print them."""
    made = dict(message)
    if message.get("reasoning_content"):
        made["reasoning_content"] = change(message["reasoning_content"])
    content = message["content"]
    made["content"] = (
        change(content)
        if isinstance(content, str)
        else [{**part, "text": change(part["text"])} for part in content]
    )
    if "tool_calls" in message:
        made["tool_calls"] = [
            {**call, "function": {**call["function"], "name": change(call["function"]["name"])}}
            for call in message["tool_calls"]
        ]
    return made


def find_places(
    prompt: str,
    messages: Sequence[Message],
    skeletons: Iterator[tuple[str, str | None]],
) -> Places:
    """Where everything stands.

    Args:
        prompt: as rendered with the real contents.
        messages: the conversation.
        skeletons: the same rendered with markers, and once more without tools (None where the
            request has none); several of them, tried in order.
    """
    contents = contents_of(messages)
    for skeleton, bare in skeletons:
        aligned = _aligned(prompt, skeleton, contents)
        if aligned is not None:
            spans, gaps = aligned
            calls = _calls(prompt, messages, [gap for gap, _ in gaps], spans)
            tools = () if bare is None else tuple(_added(skeleton, bare, gaps))
            return Places(contents=tuple(sorted([*spans, *calls], key=_order)), tools=tools)
    found = list(_searched(prompt, contents))
    return Places(contents=tuple(found), tools=())


def _order(place: tuple[int, Span]) -> tuple[Span, int]:
    return place[1], place[0]


Aligned = tuple[list[tuple[int, Span]], list[tuple[Span, int]]]
"""Places of contents; places of what is between them, with its place in the skeleton."""


def _aligned(prompt: str, skeleton: str, contents: Sequence[Content]) -> Aligned | None:
    pieces = MARKER.split(skeleton)
    if not prompt.startswith(pieces[0]):
        return None
    at, read = len(pieces[0]), len(pieces[0])
    spans: list[tuple[int, Span]] = []
    gaps: list[tuple[Span, int]] = [((0, at), 0)]
    for number, gap in zip(pieces[1::2], pieces[2::2], strict=True):
        if int(number) >= len(contents):
            return None
        content = contents[int(number)]
        end = next(
            (
                at + len(text)
                for text in _variants(content.text)
                if prompt.startswith(text + gap, at)
            ),
            None,
        )
        if end is None:
            return None
        spans.append((content.message, (at, end)))
        read += len(f"{OPEN}{number}{CLOSE}")
        gaps.append(((end, end + len(gap)), read))
        at, read = end + len(gap), read + len(gap)
    return (spans, gaps) if at == len(prompt) else None


def _variants(text: str) -> tuple[str, ...]:
    """A text as it stands, and as templates trim it."""
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    return (text, text.strip(), text.lstrip(), text.rstrip(), text.strip("\n"), quoted)


def _added(skeleton: str, bare: str, gaps: Sequence[tuple[Span, int]]) -> Iterator[Span]:
    """What the skeleton has and the one without tools has not, where it stands in the prompt."""
    least = min(len(skeleton), len(bare))
    head = next((at for at in range(least) if skeleton[at] != bare[at]), least)
    tail = next(
        (at for at in range(least - head) if skeleton[-1 - at] != bare[-1 - at]), least - head
    )
    first, last = head, len(skeleton) - tail
    for (start, end), read in gaps:
        from_, to = max(first, read), min(last, read + end - start)
        if from_ < to:
            yield start + from_ - read, start + to - read


def _calls(
    prompt: str,
    messages: Sequence[Message],
    gaps: Sequence[Span],
    spans: Sequence[tuple[int, Span]],
) -> Iterator[tuple[int, Span]]:
    """Arguments of calls, each behind the first text of its message."""
    at = 0
    firsts: dict[int, int] = {}
    for message, (start, _) in spans:
        firsts.setdefault(message, start)
    for number, said in enumerate(messages):
        at = max(at, firsts.get(number, at))
        for call in said.get("tool_calls", ()):
            for text in _written(call["function"]["arguments"]):
                place = prompt.find(text, at)
                if place >= 0 and any(a <= place and place + len(text) <= b for a, b in gaps):
                    at = place + len(text)
                    yield number, (place, at)
                    break


def _written(arguments: Any) -> list[str]:
    """How a template may print arguments."""
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments)
        except (ValueError, RecursionError):
            return [arguments] if arguments else []
        forms = [arguments, json.dumps(arguments, ensure_ascii=False)]
        return [json.dumps(parsed, ensure_ascii=False), *forms] if arguments else []
    return [json.dumps(arguments, ensure_ascii=False)]


def _searched(prompt: str, contents: Sequence[Content]) -> Iterator[tuple[int, Span]]:
    at = 0
    for content in contents:
        for text in _variants(content.text):
            place = prompt.find(text, at) if text else -1
            if place >= 0:
                at = place + len(text)
                yield content.message, (place, at)
                break

"""The prompt that an engine makes of a request: messages prepared, rendered and continued."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.tokens.templates.allowance import TemplateError
from packhorse.tokens.templates.sandbox import render

if TYPE_CHECKING:
    from packhorse.tokens.templates.messages import Message
    from packhorse.tokens.templates.source import ChatTemplate

__all__ = ["Conversation", "prompt_of"]

PROBE = "probe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What a request asks of a template."""

    messages: Sequence[Message]
    tools: Sequence[Any] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further variables of the template: `chat_template_kwargs` of a request."""
    answers: bool = True
    """Whether the prompt ends where an answer begins."""
    continues: bool = False
    """Whether the last message is to be continued: what `transformers` asks to be told."""


def prompt_of(template: ChatTemplate, talk: Conversation, today: date) -> str:
    """The text that is tokenised, without a token that the engine adds by itself.

    Raises:
        InputError: the template or the engine refuses the conversation; carries the reason.
    """
    try:
        if template.dialect == "llama.cpp":
            return _llama_cpp(template, talk, today)
        return _transformers(template, talk, today)
    except TemplateError as error:
        raise InputError(
            f"The chat template {template.path} refuses the request: {error}",
            hint="Give messages in the order and shape that the model's template takes",
        ) from error


def _transformers(template: ChatTemplate, talk: Conversation, today: date) -> str:
    """As `apply_chat_template` renders: a continued message is cut off behind its content."""
    messages = [_adapted(message, template, parse=True) for message in talk.messages]
    variables = {"add_generation_prompt": talk.answers and not talk.continues, **talk.options}
    rendered = _rendered(template, messages, talk.tools, variables, today)
    if not talk.continues or not messages:
        return rendered
    last = messages[-1]["content"]
    content = last if isinstance(last, str) else (last[-1]["text"] if last else "")
    at = rendered.rfind(content.strip())
    if at < 0:
        raise TemplateError("the last message is to be continued and does not appear as it is")
    trailing = content.lstrip()
    whole = rendered.startswith(trailing, at)
    return rendered[: at + len(trailing if whole else content.strip())]


def _llama_cpp(template: ChatTemplate, talk: Conversation, today: date) -> str:
    """As llama.cpp's server renders (`common/chat.cpp`, `common_chat_templates_apply_jinja`).

    A last message of the assistant is always continued: the rest is rendered with the opening of
    an answer, and its content follows. An empty text leaves that opening out.
    """
    messages, prefill = list(talk.messages), None
    if messages and messages[-1]["role"] == "assistant":
        prefill = _prefill(messages)
        messages = messages[:-1]
    abilities = _abilities(template)
    if "<|channel|>" not in template.source:
        messages = [_as_system(message) for message in messages]
    prepared = [_adapted(message, template, parse=abilities.objects) for message in messages]
    if not abilities.system:
        prepared = _without_system(prepared)
    variables = {
        "enable_thinking": _can_think(template.source),
        "datetime": today.strftime("%b %d %Y"),
        "date_string": today.strftime("%d %b %Y"),
    }
    if talk.answers if prefill is None else talk.messages[-1]["content"]:
        variables["add_generation_prompt"] = True
    tools = [_llama_tool(tool) for tool in talk.tools]
    rendered = _rendered(template, prepared, tools, {**variables, **talk.options}, today)
    if template.adds_bos and template.bos_token:
        rendered = rendered.removeprefix(template.bos_token)
    if template.adds_eos and template.eos_token:
        rendered = rendered.removesuffix(template.eos_token)
    return rendered + (prefill or "")


def _prefill(messages: Sequence[Message]) -> str:
    """The content of the last message, once the server takes it.

    Raises:
        TemplateError: it would not.
    """
    last = messages[-1]
    if len(messages) > 1 and messages[-2]["role"] == "assistant":
        raise TemplateError("two messages of the assistant stand at the end")
    if last.get("tool_calls"):
        raise TemplateError("a last message with tool calls cannot be continued")
    return _text(last["content"], "\n\n")


def _text(content: str | Sequence[Message], between: str) -> str:
    """A content as one text; an empty part ahead of the first word parts nothing."""
    if isinstance(content, str):
        return content
    text = ""
    for part in content:
        text += (between if text else "") + part["text"]
    return text


def _rendered(
    template: ChatTemplate,
    messages: Sequence[Message],
    tools: Sequence[Any],
    variables: Mapping[str, Any],
    today: date,
) -> str:
    values: dict[str, Any] = {
        "messages": list(messages),
        "bos_token": template.bos_token,
        "eos_token": template.eos_token,
    }
    if tools or template.dialect == "transformers":
        values["tools"] = list(tools) or None
    source = template.source_for(tools=bool(tools))
    return render(source, {**values, **variables}, today)


def _adapted(message: Message, template: ChatTemplate, *, parse: bool) -> Message:
    """A message whose content and arguments have the type that the template reads."""
    abilities = _abilities(template)
    made = dict(message)
    content = message["content"]
    if isinstance(content, str) and not abilities.texts:
        made["content"] = [{"type": "text", "text": content}]
    elif not isinstance(content, str) and not abilities.parts:
        made["content"] = _text(content, "\n")
    if parse and "tool_calls" in message:
        made["tool_calls"] = [_parsed(call) for call in message["tool_calls"]]
    return made


def _parsed(call: Message) -> Message:
    arguments = call["function"]["arguments"]
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) and arguments else arguments
    except (ValueError, RecursionError) as error:
        raise TemplateError(
            f"the arguments of a call of {call['function']['name']!r} are not JSON"
        ) from error
    return {**call, "function": {**call["function"], "arguments": parsed or {}}}


def _as_system(message: Message) -> Message:
    return {**message, "role": "system"} if message["role"] == "developer" else message


def _without_system(messages: list[Message]) -> list[Message]:
    """Leading instructions moved into the message that follows, where the template has no place."""
    if not messages or messages[0]["role"] != "system":
        return messages
    first, *rest = messages
    if rest and isinstance(first["content"], str) and isinstance(rest[0]["content"], str):
        rest[0] = {**rest[0], "content": f"{first['content']}\n{rest[0]['content']}"}
    return rest


def _llama_tool(tool: Any) -> Any:
    """A definition as the server writes it anew: three fields and no other."""
    function = tool["function"]
    return {
        "type": "function",
        "function": {
            "name": function["name"],
            "description": function.get("description", ""),
            "parameters": function.get("parameters", {}),
        },
    }


def _can_think(source: str) -> bool:
    return "enable_thinking" in source and "think>" in source


@dataclass(frozen=True, slots=True, kw_only=True)
class _Abilities:
    """What a template can read, found out by rendering small conversations with it."""

    texts: bool
    """A content that is a text."""
    parts: bool
    """A content that is a list of parts."""
    system: bool
    objects: bool
    """Arguments of a call that are an object and not its JSON."""


@lru_cache(maxsize=64)
def _abilities(template: ChatTemplate) -> _Abilities:
    user = {"role": "user", "content": PROBE}
    call = {
        "id": "call00001",
        "type": "function",
        "function": {"name": "tool", "arguments": {PROBE: PROBE}},
    }
    parts = [{"type": "text", "text": PROBE}]
    listed = _probe(template, [{"role": "user", "content": parts}])
    texts = PROBE in _probe(template, [user])
    wrapped = (lambda text: text) if texts else (lambda text: [{"type": "text", "text": text}])
    asked = {"role": "user", "content": wrapped("q")}
    told = _probe(template, [{"role": "system", "content": wrapped(PROBE)}, asked])
    called = _probe(
        template,
        [
            asked,
            {"role": "assistant", "content": wrapped(""), "tool_calls": [call]},
            {"role": "tool", "content": wrapped("r"), "tool_call_id": "call00001"},
        ],
    )
    return _Abilities(
        texts=texts or PROBE not in listed,
        parts=PROBE in listed and "'type'" not in listed,
        system=PROBE in told,
        objects=f"{{'{PROBE}'" not in called,
    )


def _probe(template: ChatTemplate, messages: list[Message]) -> str:
    """What the template makes of a conversation; nothing where it refuses."""
    values = {
        "messages": messages,
        "bos_token": "",
        "eos_token": "",
        "add_generation_prompt": True,
    }
    try:
        return render(template.source, values, date(2026, 1, 1))
    except TemplateError:
        return ""

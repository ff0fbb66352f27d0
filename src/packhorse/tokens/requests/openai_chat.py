"""OpenAI chat completions, and what other servers add to that shape.

Fields are those of the API reference (`chat.completions.create`, openai-python 3.57) and the extra
ones that vLLM, llama.cpp, Mistral, DeepSeek and OpenRouter document for their chat endpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from packhorse.errors import InputError
from packhorse.tokens.requests.blocks import (
    TOOL_CALLS,
    BlockKind,
    call_piece,
    checked_role,
    data_url,
    image_piece,
    joined,
    missing_role,
    piece,
    read_blocks,
    text_block,
    thought,
)
from packhorse.tokens.requests.fields import DELIVERY, OUTPUT_LIMITS, SAMPLING, unread
from packhorse.tokens.requests.images import Image
from packhorse.tokens.requests.request import Addition, Refusal, Turn
from packhorse.tokens.requests.values import as_list, as_text, compact_json, is_set

__all__ = [
    "BLOCKS",
    "COUNTED",
    "FREE",
    "REFUSED",
    "choices",
    "formats",
    "image_block",
    "read_message",
    "settings",
]

COUNTED = frozenset(
    {
        "function_call", "functions", "messages", "output_config", "response_format",
        "tool_choice", "tools", "verbosity",
    }
)  # fmt: skip
"""Fields of the request that a rule charges."""

FREE = (
    OUTPUT_LIMITS
    | SAMPLING
    | DELIVERY
    | frozenset(
        {
            "audio", "modalities", "moderation",  # about the answer, not about the prompt
            "chat_template_content_format", "enable_thinking", "reasoning", "reasoning_effort",
            "thinking", "thinking_budget",  # read for the reservation
            "parallel_tool_calls",
            "add_generation_prompt", "add_special_tokens", "continue_final_message",
            # grammars: they bind the sampler and are not shown to the model
            "grammar", "guided_choice", "guided_grammar", "guided_json", "guided_regex",
            "json_schema", "structured_outputs",
            "cache_prompt", "id_slot", "models", "provider", "route", "usage",
        }
    )
)  # fmt: skip
"""Fields that cost nothing; those of the framing and the reservation are read elsewhere."""

REFUSED: Mapping[str, str] = {
    "chat_template": "Give the template to the model's row in a model table of your own",
    "chat_template_kwargs": "Give the model's row its template, which knows these settings",
    "documents": "Put the documents into a message",
    "input": "Leave out `input` or `messages`: they belong to two different endpoints",
    "plugins": "Leave them out: what they add to the prompt is not published",
    "prediction": "Leave it out: what is predicted and not used counts as output",
    "prompt": "Leave out `prompt` or `messages`: they belong to two different endpoints",
    "prompt_mode": "Leave it out: the system prompt that it adds is not published",
    "safe_prompt": "Leave it out: the system prompt that it adds is not published",
    "transforms": "Leave them out: they change the messages",
    "web_search_options": "Leave it out: pages that a search finds are added by the provider",
}
"""Fields that change what the model reads, by an amount nobody publishes."""

MESSAGE_FIELDS = frozenset(
    {
        "content", "function_call", "images", "name", "reasoning", "reasoning_content", "refusal",
        "role", "thinking", "tool_call_id", "tool_calls", "tool_name",
    }
)  # fmt: skip

PLAIN = 2
"""Fields of a message that says a text and nothing else: role and content."""
PLAIN_ROLES = frozenset({"system", "developer", "user", "assistant"})

SAID_BESIDE: Mapping[str, Callable[[str], Turn]] = {
    "reasoning_content": thought,
    "reasoning": thought,
    "thinking": thought,
    "refusal": piece,
    "tool_call_id": lambda text: piece(text, estimated=(TOOL_CALLS,)),
    "tool_name": lambda text: piece(text, estimated=(TOOL_CALLS,)),
}
"""Fields of a message that are texts, and what each of them is."""


def read_message(message: Any, where: str, kinds: Mapping[str, BlockKind]) -> Turn:
    """A message of any `messages` list.

    Raises:
        InputError: it has no role, or a part of it is of the wrong type.
    """
    fields = message if isinstance(message, Mapping) else {}
    if not fields:
        raise missing_role(message, where)
    role, refused = checked_role(fields.get("role"), where)
    content = fields.get("content")
    if isinstance(content, str) and role in PLAIN_ROLES:
        # Long conversations are made of these: the same turn, several times as fast.
        name = fields.get("name")
        if len(fields) == PLAIN + isinstance(name, str):
            return Turn(role=role, name=name, texts=(content,) if content else ())
    pieces = list(read_blocks(fields.get("content"), f"{where}.content", kinds))
    pieces += [
        read(as_text(fields[key], f"{where}.{key}"))
        for key, read in SAID_BESIDE.items()
        if is_set(fields.get(key))
    ]
    pieces += _calls(fields, where)
    pieces += _plain_images(fields.get("images"), f"{where}.images")
    if role in {"tool", "function"}:
        pieces.append(piece(estimated=(TOOL_CALLS,)))
    refused += unread(fields, MESSAGE_FIELDS, where)
    if refused:
        pieces.append(Turn(role="", refused=refused))
    name = fields.get("name")
    spoken = as_text(name, f"{where}.name") if name is not None else None
    return joined(role, pieces, name=spoken)


def _calls(fields: Mapping[str, Any], where: str) -> list[Turn]:
    calls = list(as_list(fields.get("tool_calls") or (), f"{where}.tool_calls"))
    places = [f"{where}.tool_calls[{index}]" for index in range(len(calls))]
    if fields.get("function_call"):
        calls.append({"function": fields["function_call"]})
        places.append(f"{where}.function_call")
    return [call_piece(call, place) for call, place in zip(calls, places, strict=True)]


def _plain_images(images: Any, where: str) -> list[Turn]:
    """Images as Ollama takes them: a list of base64 texts beside the content."""
    return [
        image_piece(Image(data=as_text(image, place), detail="", where=place))
        for index, image in enumerate(as_list(images or (), where))
        for place in [f"{where}[{index}]"]
    ]


def image_block(block: Mapping[str, Any], where: str) -> Turn:
    """An image of the chat or of the Responses endpoint.

    Raises:
        InputError: it has neither an address nor data.
    """
    detail, address = block.get("detail", ""), block.get("image_url")
    rest: tuple[Refusal, ...] = ()
    if isinstance(address, Mapping):
        rest = unread(address, frozenset({"url", "detail"}), f"{where}.image_url")
        detail, address = address.get("detail", detail), address.get("url")
    if address is None and isinstance(block.get("file_id"), str):
        return image_piece(Image(data=None, detail=_detail(detail), where=where))
    if not isinstance(address, str):
        raise InputError(f"{where} is an image without data", hint="Give an address or base64 data")
    image = Image(data=data_url(address), detail=_detail(detail), where=where)
    return joined("", [image_piece(image), Turn(role="", refused=rest)])


def _detail(detail: Any) -> str:
    return detail if isinstance(detail, str) else ""


IMAGE_FIELDS = frozenset({"detail", "file_id", "image_url"})

BLOCKS: Mapping[str, BlockKind] = {
    "text": text_block("text", "citations"),
    "input_text": text_block("text"),
    "output_text": text_block("text"),
    "refusal": text_block("refusal"),
    "image_url": BlockKind(image_block, IMAGE_FIELDS),
    "input_image": BlockKind(image_block, IMAGE_FIELDS),
}
"""Content blocks that can be counted; every other kind is refused by name."""

PLAIN_FORMATS = ("text", None, "")
AUTOMATIC = ("auto", None, "")
FORCED = ("required", "any", "tool", "function", "ANY")


def formats(*given: Any) -> tuple[Addition, ...]:
    """What is asked of the answer's form, where it is more than text."""
    return tuple(
        Addition(name="response format", text=compact_json(each), is_schema=True)
        for each in given
        if is_set(each)
        and not (isinstance(each, Mapping) and each.get("type") in PLAIN_FORMATS and len(each) == 1)
        and each not in PLAIN_FORMATS
    )


def choices(tool_choice: Any, *, name: str = "tool choice") -> tuple[tuple[Addition, ...], bool]:
    """What is said about calling tools, and whether a call is forced."""
    kind = tool_choice.get("type", tool_choice) if isinstance(tool_choice, Mapping) else tool_choice
    if not is_set(tool_choice) or (isinstance(kind, str) and kind in AUTOMATIC):
        return (), False
    forced = kind in FORCED if isinstance(kind, str) else True
    return (Addition(name=name, text=compact_json(tool_choice), is_schema=False),), forced


def settings(body: Mapping[str, Any]) -> Sequence[Addition]:
    """How wordy the answer should be: providers write it into the prompt."""
    verbosity = body.get("verbosity")
    if not is_set(verbosity):
        return ()
    return (Addition(name="verbosity", text=compact_json(verbosity), is_schema=False),)

"""Content blocks: a piece of a message each, read by its kind or refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from packhorse.errors import InputError
from packhorse.tokens.requests.fields import unread
from packhorse.tokens.requests.request import Refusal, Turn
from packhorse.tokens.requests.values import (
    as_fields,
    as_list,
    as_text,
    compact_json,
    is_set,
    kind_of,
    typed,
)

if TYPE_CHECKING:
    from packhorse.tokens.requests.images import Image

__all__ = [
    "NEXT_STEPS",
    "THOUGHTS",
    "TOOL_CALLS",
    "TURN_INTO_TEXT",
    "BlockKind",
    "call_piece",
    "checked_role",
    "data_url",
    "image_piece",
    "joined",
    "missing_role",
    "named_text",
    "piece",
    "read_blocks",
    "refused_piece",
    "returned_piece",
    "sealed_thought",
    "text_block",
    "thought",
]

TOOL_CALLS = "tool calls"
THINKING = "thinking"
SEALED = "sealed thinking"
"""Names of parts without a published rule."""
THOUGHTS = frozenset({THINKING, SEALED})

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""Roles that have a meaning in at least one provider's shape; `model` is read as `assistant`."""

TURN_INTO_TEXT = "Leave the block out, or turn it into text or an image"

NEXT_STEPS: Mapping[str, str] = {
    "document": "Put the document's text into a text block: pages of a PDF have no published price",
    "file": "Put the file's text into a text block",
    "input_file": "Put the file's text into a text block",
    "item_reference": "Put the item itself into the request: only the provider holds it",
}
"""Kinds of blocks that are known and have no rule -> what to do instead."""


Said = TypeVar("Said")


@dataclass(frozen=True, slots=True)
class BlockKind:
    """How one kind of block is read."""

    read: Callable[[Mapping[str, Any], str], Turn]
    fields: frozenset[str]
    """Fields that `read` looks at, or that cost nothing."""


def piece(*texts: str, estimated: Sequence[str] = (), n_calls: int = 0) -> Turn:
    """A part of a message; empty texts say nothing."""
    said = tuple(text for text in texts if text)
    return Turn(role="", texts=said, estimated=tuple(estimated), n_calls=n_calls)


def thought(text: str) -> Turn:
    """Thinking that is sent back."""
    return Turn(role="", thoughts=(text,) if text else (), estimated=(THINKING,))


def sealed_thought(data: str) -> Turn:
    """Thinking that only the provider can read."""
    return Turn(role="", sealed=len(data), estimated=(SEALED,) if data else ())


def refused_piece(what: str, where: str, hint: str = TURN_INTO_TEXT) -> Turn:
    """A part that stands in the request and cannot be counted."""
    return Turn(role="", refused=(Refusal(where=where, what=what, hint=hint),))


def joined(role: str, pieces: Sequence[Turn], *, name: str | None = None) -> Turn:
    """One turn made of its pieces."""
    if len(pieces) == 1:
        # Long conversations are made of single texts: the same turn, several times as fast.
        only = pieces[0]
        return Turn(
            role=role,
            name=name,
            texts=only.texts,
            thoughts=only.thoughts,
            images=only.images,
            n_returned_texts=only.n_returned_texts,
            n_returned_images=only.n_returned_images,
            n_calls=only.n_calls,
            sealed=only.sealed,
            estimated=only.estimated,
            refused=only.refused,
        )
    n_texts = [each.n_returned_texts for each in pieces]
    n_images = [each.n_returned_images for each in pieces]
    return Turn(
        role=role,
        name=name,
        texts=_returned_first([each.texts for each in pieces], n_texts),
        thoughts=tuple(text for each in pieces for text in each.thoughts),
        images=_returned_first([each.images for each in pieces], n_images),
        n_returned_texts=sum(n_texts),
        n_returned_images=sum(n_images),
        n_calls=sum(each.n_calls for each in pieces),
        sealed=sum(each.sealed for each in pieces),
        estimated=tuple(dict.fromkeys(part for each in pieces for part in each.estimated)),
        refused=tuple(refusal for each in pieces for refusal in each.refused),
    )


def _returned_first(parts: Sequence[Sequence[Said]], n_returned: Sequence[int]) -> tuple[Said, ...]:
    """The parts in their order, but first what tools gave back of each."""
    pairs = list(zip(parts, n_returned, strict=True))
    returned = [one for part, n in pairs for one in part[:n]]
    return (*returned, *(one for part, n in pairs for one in part[n:]))


def returned_piece(pieces: Sequence[Turn]) -> Turn:
    """What a tool gave back, where it stands in a message of the user's."""
    whole = joined("", pieces)
    return replace(whole, n_returned_texts=len(whole.texts), n_returned_images=len(whole.images))


def missing_role(message: Any, where: str) -> InputError:
    """What is wrong with a message that has no role, and how to mend it.

    Message objects of LangChain are known by the module of their class, which is not imported.
    """
    hint = "A message is an object with `role` and `content`"
    role = message.get("role") if isinstance(message, Mapping) else None
    if role is not None and not isinstance(role, str):
        return InputError(f"{where}.role is {kind_of(role)}, not text", hint=hint)
    modules = {each.__module__.partition(".")[0] for each in type(message).__mro__}
    if any(name.startswith("langchain") for name in modules):
        hint = (
            "This is a message of LangChain: give convert_to_openai_messages(messages),"
            " from langchain_core.messages"
        )
    return InputError(f"{where} has no role", hint=hint)


def checked_role(role: Any, where: str) -> tuple[str, tuple[Refusal, ...]]:
    """The role in the neutral form, and a refusal when nobody knows it.

    Raises:
        InputError: there is none.
    """
    if not isinstance(role, str):
        raise InputError(
            f"{where} has no role", hint="A message is an object with `role` and `content`"
        )
    if role == "model":
        return "assistant", ()
    if role in ROLES:
        return role, ()
    hint = f"Known roles: {', '.join(sorted(ROLES))}"
    return role, (Refusal(where=f"{where}.role", what=f"the unknown role {role!r}", hint=hint),)


def read_blocks(content: Any, where: str, kinds: Mapping[str, BlockKind]) -> Iterator[Turn]:
    """The pieces of a content field: a text, a list of blocks, or nothing.

    Raises:
        InputError: it is none of these, or a block's own text is missing.
    """
    if content is None:
        return
    if isinstance(content, str):
        yield piece(content)
        return
    for index, block in enumerate(as_list(content, where)):
        yield _read_block(block, f"{where}[{index}]", kinds)


def _read_block(block: Any, where: str, kinds: Mapping[str, BlockKind]) -> Turn:
    if isinstance(block, str):
        return piece(block)
    kind = block.get("type") if isinstance(block, Mapping) else None
    known = kinds.get(kind) if isinstance(kind, str) else None
    if known is None:
        hint = NEXT_STEPS.get(str(kind), TURN_INTO_TEXT)
        return refused_piece(typed("a content block", block), where, hint)
    fields = as_fields(block, where)
    rest = unread(fields, known.fields, where)
    return joined("", [known.read(fields, where), Turn(role="", refused=rest)])


def text_block(key: str, *free: str, reads: Callable[[str], Turn] = piece) -> BlockKind:
    """A kind of block that says the text under `key`; fields in `free` cost nothing."""

    def read(block: Mapping[str, Any], where: str) -> Turn:
        return reads(as_text(block.get(key), f"{where}.{key}"))

    return BlockKind(read, frozenset({key, *free}))


def call_piece(call: Any, where: str) -> Turn:
    """A tool call in the OpenAI shape, with its function inside or bare.

    Raises:
        InputError: it names no function.
    """
    outer = call if isinstance(call, Mapping) else {}
    inner = next((outer[key] for key in ("function", "custom") if key in outer), outer)
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        raise InputError(f"{where} names no function", hint="A call has `function.name`")
    given = inner.get("arguments", inner.get("input", ""))
    arguments = given if isinstance(given, str) else compact_json(given)
    identity = outer.get("id")
    texts = (inner["name"], arguments, identity if isinstance(identity, str) else "")
    said = piece(*texts, estimated=(TOOL_CALLS,), n_calls=1)
    rest = unread(inner, CALL_FIELDS, where)
    if inner is not outer:
        rest += unread(outer, OUTER_CALL_FIELDS, where)
    return joined("", [said, Turn(role="", refused=rest)])


CALL_FIELDS = frozenset({"name", "arguments", "input"})
OUTER_CALL_FIELDS = frozenset({"function", "custom"})


def image_piece(image: Image) -> Turn:
    """One image."""
    return Turn(role="", images=(image,))


def data_url(url: str) -> str | None:
    """The base64 inside a data URL; None for an address."""
    head, comma, data = url.partition(",")
    inside = comma and head[:5].lower() == "data:" and head.lower().endswith(";base64")
    return data if inside else None


def named_text(fields: Mapping[str, Any], key: str) -> str:
    """A text that may be missing.

    Raises:
        InputError: it is there, and no text.
    """
    value = fields.get(key)
    return as_text(value, key) if is_set(value) else ""

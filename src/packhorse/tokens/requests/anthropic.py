"""Anthropic messages: `system` apart, content in blocks.

Kinds and fields of blocks are those of the Messages API (anthropic-python 2.14,
`MessageCreateParams` and the `*BlockParam` types). Texts that a citation quotes are not charged
again when they are sent back (Claude docs, Citations); thinking of earlier turns is taken out by
older models and kept by newer ones (Claude docs, Extended thinking), so that counting it is an
upper estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from packhorse.errors import InputError
from packhorse.tokens.requests.blocks import (
    TOOL_CALLS,
    BlockKind,
    image_piece,
    joined,
    named_text,
    piece,
    read_blocks,
    refused_piece,
    returned_piece,
    sealed_thought,
    text_block,
    thought,
)
from packhorse.tokens.requests.fields import unread
from packhorse.tokens.requests.images import Image
from packhorse.tokens.requests.request import Turn
from packhorse.tokens.requests.values import (
    as_fields,
    as_list,
    as_text,
    compact_json,
    is_set,
    typed,
)

__all__ = ["BLOCKS", "COUNTED", "FREE", "REFUSED", "SYSTEM_BLOCKS"]

COUNTED = frozenset({"output_config", "system"})

FREE = frozenset(
    {
        "anthropic_beta", "anthropic_version", "betas", "billing_policy", "cache_control",
        "diagnostics", "inference_geo", "speed", "thinking", "user_profile_id", "workspace_id",
    }
)  # fmt: skip

REFUSED: Mapping[str, str] = {
    "compaction": "Leave it out: the provider rewrites the conversation",
    "container": "Leave it out: what a container holds is not in the request",
    "context_management": "Leave it out: the provider rewrites the conversation",
    "mcp_servers": "Define the tools in `tools`: a server's list is not in the request",
    "thread": "Put the earlier messages into the request: only the provider holds them",
}


def _image(block: Mapping[str, Any], where: str) -> Turn:
    source = as_fields(block.get("source"), f"{where}.source")
    kind, data = source.get("type"), source.get("data")
    if kind == "base64":
        inline: str | None = as_text(data, f"{where}.source.data")
    elif kind in ("url", "file"):
        inline = None
    else:
        raise InputError(
            f"{where}.source is {typed('an image source', source)}",
            hint="Give base64 data, an address or a file",
        )
    image = image_piece(Image(data=inline, detail="", where=where))
    return joined("", [image, _rest_of(source, where)])


def _rest_of(source: Mapping[str, Any], where: str) -> Turn:
    """Fields of a source that nobody reads."""
    return Turn(role="", refused=unread(source, SOURCE_FIELDS, f"{where}.source"))


SOURCE_FIELDS = frozenset({"content", "data", "file_id", "media_type", "url"})


def _tool_use(block: Mapping[str, Any], where: str) -> Turn:
    name = as_text(block.get("name"), f"{where}.name")
    texts = (name, compact_json(block.get("input", {})), named_text(block, "id"))
    return piece(*texts, estimated=(TOOL_CALLS,), n_calls=1)


def _tool_result(block: Mapping[str, Any], where: str) -> Turn:
    own = piece(named_text(block, "tool_use_id"), estimated=(TOOL_CALLS,), n_calls=1)
    content = read_blocks(block.get("content"), f"{where}.content", RESULT_BLOCKS)
    return returned_piece([own, *content])


def _redacted(block: Mapping[str, Any], where: str) -> Turn:
    data = as_text(block.get("data"), f"{where}.data")
    return sealed_thought(data)


def _document(block: Mapping[str, Any], where: str) -> Turn:
    """A document whose text is in the request; a PDF has no published price a page."""
    source = as_fields(block.get("source"), f"{where}.source")
    kind = source.get("type")
    head = piece(
        named_text(block, "title"),
        named_text(block, "context"),
        estimated=("documents",),
        n_calls=1,
    )
    if _cited(block):
        return refused_piece("a document with citations", where, CITATIONS)
    if kind == "text":
        text = piece(as_text(source.get("data"), f"{where}.source.data"))
        return joined("", [head, text, _rest_of(source, where)])
    if kind == "content":
        content = read_blocks(source.get("content"), f"{where}.source.content", PAGE_BLOCKS)
        return joined("", [head, *content, _rest_of(source, where)])
    return refused_piece(typed("a document", source), where, PAGES)


def _search_result(block: Mapping[str, Any], where: str) -> Turn:
    if _cited(block):
        return refused_piece("a search result with citations", where, CITATIONS)
    texts = [as_text(block.get(key), f"{where}.{key}") for key in ("source", "title")]
    head = piece(*texts, estimated=("search results",), n_calls=1)
    content = as_list(block.get("content") or (), f"{where}.content")
    return joined("", [head, *read_blocks(content, f"{where}.content", SYSTEM_BLOCKS)])


def _cited(block: Mapping[str, Any]) -> bool:
    citations = block.get("citations")
    return is_set(citations.get("enabled") if isinstance(citations, Mapping) else citations)


PAGES = "Put the document's text into the request: pages have no published price"
CITATIONS = "Switch citations off: the tokens that they add are not published"

SYSTEM_BLOCKS: Mapping[str, BlockKind] = {"text": text_block("text", "citations")}
"""Blocks that a system prompt may hold."""

PAGE_BLOCKS: Mapping[str, BlockKind] = {
    **SYSTEM_BLOCKS,
    "image": BlockKind(_image, frozenset({"source"})),
}

RESULT_BLOCKS: Mapping[str, BlockKind] = {
    **PAGE_BLOCKS,
    "document": BlockKind(_document, frozenset({"source", "title", "context", "citations"})),
    "search_result": BlockKind(
        _search_result, frozenset({"source", "title", "content", "citations"})
    ),
}
"""Blocks that the result of a tool may hold."""

BLOCKS: Mapping[str, BlockKind] = {
    **RESULT_BLOCKS,
    "thinking": text_block("thinking", "signature", reads=thought),
    "redacted_thinking": BlockKind(_redacted, frozenset({"data"})),
    "tool_use": BlockKind(_tool_use, frozenset({"name", "input", "caller"})),
    "tool_result": BlockKind(_tool_result, frozenset({"tool_use_id", "content", "is_error"})),
}
"""Content blocks that can be counted; every other kind is refused by name."""

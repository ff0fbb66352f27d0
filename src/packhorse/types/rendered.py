"""Rendered evidence: the text that leaves the program, and what each piece of it costs."""

from dataclasses import dataclass

__all__ = ["Rendered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """The evidence section, certified: `tokens` is a count of `text` as a whole.

    preamble_tokens + sum(block_tokens) + notice_tokens = tokens.
    """

    format: str
    text: str
    preamble_tokens: int
    block_tokens: tuple[int, ...]
    """One number a chunk, in reading order."""
    notice_tokens: int
    tokens: int
    notice: str = ""
    """The closing notice as it was given to the renderer; empty for none."""

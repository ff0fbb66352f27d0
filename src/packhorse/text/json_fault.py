"""What is wrong with a JSON text, in a person's words."""

from __future__ import annotations

import json

__all__ = ["json_fault"]


def json_fault(error: Exception, text: str | None = None) -> str:
    """The reason for an error of `json.loads`, to stand behind `is not JSON: `.

    Args:
        error: what it raised.
        text: what it was given; None where that could not be decoded.
    """
    if text is not None and not text.strip():
        return "it is empty"
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    if text is not None and str(error).startswith("Extra data") and _is_log(text):
        return "it is JSON Lines, with one document a line, and one alone is wanted"
    # Python's own limit on the digits of a number; its advice is for programmers.
    return "a number has too many digits" if "int_max_str_digits" in str(error) else str(error)


def _is_log(text: str) -> bool:
    """Whether each line is a document of its own."""
    try:
        return all(json.loads(line) is not None for line in text.split("\n") if line.strip())
    except (ValueError, RecursionError):
        return False

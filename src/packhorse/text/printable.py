"""Text of documents in a line for people."""

__all__ = ["printable"]


def printable(text: str) -> str:
    """The text with everything that a terminal would act on or hide written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )

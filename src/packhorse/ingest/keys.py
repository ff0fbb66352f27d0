"""Names of a record's keys, and likely misspellings of them."""

from collections.abc import Iterable

__all__ = ["ALIASES", "KNOWN_KEYS", "misspelled"]

KNOWN_KEYS = (
    "chunk_id",
    "source_id",
    "section_id",
    "text",
    "trust_score",
    "timestamp",
    "topic_tags",
    "position_in_source",
    "header",
    "token_count",
    "metadata",
)

ALIASES = {
    "chunk_id": ("id", "_id"),
    "source_id": ("source", "doc_id", "document_id", "url"),
    "text": ("content", "body", "page_content", "passage"),
}
"""What other tools call the required keys: named in the hint, never taken silently."""

LONG_KEY = 8
"""Letters from which a key may hold two slips and still be recognised."""


def misspelled(extra: Iterable[str], present: Iterable[str]) -> tuple[str, str] | None:
    """The first (key, known key) of `extra`, sorted, where the key is likely meant to be the known.

    Likely is: the known key is absent, both begin with the same letter, and they differ in case
    and punctuation alone, or by one edit (two in a long key). So `next` and `reader` are
    keys of their own, and `text` beside `texts` leaves `texts` in peace.
    """
    absent = [key for key in KNOWN_KEYS if key not in set(present)]
    for key in sorted(extra):
        plain = _plain(key)
        for known in absent:
            wanted = _plain(known)
            allowed = 2 if len(wanted) >= LONG_KEY else 1
            if plain[:1] == wanted[0] and _edits_at_most(plain, wanted, allowed):
                return key, known
    return None


def _plain(key: str) -> str:
    return "".join(char for char in key.casefold() if char.isalnum())


def _edits_at_most(left: str, right: str, allowed: int) -> bool:
    """Whether at most `allowed` insertions, deletions, replacements and swaps of neighbours do."""
    if abs(len(left) - len(right)) > allowed:
        return False
    before: list[int] = []
    last = list(range(len(right) + 1))
    for row, char in enumerate(left, start=1):
        current = [row]
        for column, other in enumerate(right, start=1):
            best = min(
                last[column] + 1, current[column - 1] + 1, last[column - 1] + (char != other)
            )
            if row > 1 and column > 1 and char == right[column - 2] and left[row - 2] == other:
                best = min(best, before[column - 2] + 1)
            current.append(best)
        before, last = last, current
    return last[-1] <= allowed

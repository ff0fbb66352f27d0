r"""What keeps a chunk inside its block: delimiters in text are neutralised, metadata is cleaned.

Every neutralisation can be undone: a text that already holds the neutral form gets one more
level of it, so no two texts render alike. Patterns use possessive quantifiers, so that hostile
text costs linear time.
"""

import re

from packhorse.text.wellformed import well_formed

__all__ = [
    "INVISIBLE",
    "LINE_BREAKS",
    "backslash_before",
    "clean_label",
    "escape_attribute",
    "neutralise_tags",
    "shorten_middle",
    "spelled",
]

LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""Everything that `str.splitlines` breaks a line at."""

INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
"""Inside of a character class: characters that show nothing and could hide in a delimiter."""

MAX_LABEL = 40


def spelled(word: str) -> str:
    """A pattern for a lower-case word, full-width letters and invisible characters allowed."""
    return rf"[{INVISIBLE}]*+".join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in word)


_GAP = rf"[\s{INVISIBLE}\x00-\x20/\\\uff0f\u2215\u2044]*+"
_ENTITIES = {"<": "lt", "\uff1c": "#xFF1C", "\ufe64": "#xFE64"}
_TAG = re.compile(
    r"(?:[<\uff1c\ufe64]|&(?:amp;)*+(?P<entity>lt|#xFF1C|#xFE64);)"
    rf"(?={_GAP}{spelled('evidence')})",
    re.IGNORECASE,
)
_SIGNS = ("<", "\uff1c", "\ufe64", "&")
"""What every match of `_TAG` begins with."""

_NOT_SHOWN = re.compile(rf"[{INVISIBLE}]")
_NOT_PRINTED = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_ATTRIBUTE = str.maketrans(
    {
        **{sign: f"&{entity};" for sign, entity in _ENTITIES.items()},
        "&": "&amp;",
        ">": "&gt;",
        '"': "&quot;",
    }
)


def neutralise_tags(text: str) -> str:
    """The text with `<` written `&lt;` wherever it opens or closes something like our own tag.

    "Like our own" is `<`, then spaces and slashes, then `evidence`, in any case; full-width
    letters and invisible characters in between do not help. Everything else stays as it is.
    """
    # Looking for a sign is some thirty times as fast as the pattern, and most texts hold none.
    if not any(sign in text for sign in _SIGNS):
        return text
    return _TAG.sub(_one_level_more, text)


def _one_level_more(match: re.Match[str]) -> str:
    entity = match["entity"]
    if entity is None:
        return f"&{_ENTITIES[match[0]]};"
    return f"&amp;{match[0][1:]}"


def backslash_before(pattern: re.Pattern[str], text: str) -> str:
    r"""The text with a backslash where `pattern` matches, at the end of its group `indent`.

    The pattern has to accept any number of backslashes there, or the change cannot be undone.
    """
    return pattern.sub(lambda match: f"{match['indent']}\\{match[0][len(match['indent']) :]}", text)


def clean_label(label: str) -> str:
    """A source or title as one line of visible characters; spaces of any kind become one space."""
    if label.isascii() and label.isprintable() and "  " not in label:
        return label.strip()
    return _NOT_PRINTED.sub(" ", _NOT_SHOWN.sub("", well_formed(label))).strip()


def shorten_middle(label: str, limit: int = MAX_LABEL) -> str:
    """The label in at most `limit` characters: its beginning, three dots and its end."""
    if len(label) <= limit:
        return label
    tail = (limit - 3 + 1) // 2
    return f"{label[: limit - 3 - tail]}...{label[-tail:]}"


def escape_attribute(label: str) -> str:
    """The label as it stands between the double quotes of an attribute."""
    return label.translate(_ATTRIBUTE)

"""Where links lead: source ids, paths and URLs in one form that can be compared."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

__all__ = ["address", "anchor", "resolved"]

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,20}:", re.IGNORECASE)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_SUFFIX = re.compile(
    r"\.(?:md|mdx|markdown|html|htm|xhtml|rst|txt)(?:\.gz)?$|/(?:index|readme)?$", re.IGNORECASE
)
_NOT_SLUG = re.compile(r"[\W_]+")


def address(source_id: str) -> str:
    """A source id without scheme and suffix, folded: a page and its source are alike.

    `guide/setup.md`, `guide/setup.html`, `guide/setup/` and `Guide/Setup/index.md` are one.
    """
    path = _WEB.sub("", source_id, count=1).casefold()
    for _ in range(3):  # a suffix, then an index, then a slash
        path = _SUFFIX.sub("", path)
    return "" if path in {"index", "readme"} else path


def anchor(place: str) -> str:
    """A heading or a fragment of a URL, folded: letters and digits alone."""
    return _NOT_SLUG.sub("", place.casefold())


def resolved(target: str, source_id: str) -> tuple[str, str] | None:
    """(source id, place in it) that a link leads to from a source; None for mail and the like.

    A path that begins with a slash is taken from the folder that was indexed.
    """
    path, _, place = target.partition("#")
    path = unquote(path.partition("?")[0])
    place = unquote(place)
    if not path:
        return source_id, place
    if _WEB.match(path):
        return path, place
    if _SCHEME.match(path):
        return None
    if path.startswith("/"):
        return posixpath.normpath(path).lstrip("/"), place
    web = _WEB.match(source_id)
    folder = posixpath.dirname(source_id[web.end() :] if web else source_id)
    return posixpath.normpath(posixpath.join(folder, path)), place

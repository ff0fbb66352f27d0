"""Bytes of a file to text, saying what had to be guessed."""

import codecs
import re
import zlib
from dataclasses import dataclass

from packhorse.ingest.newlines import lf_only
from packhorse.text.wellformed import well_formed

__all__ = ["Decoded", "LostTextError", "NotTextError", "decode", "gunzip", "unmarked_encoding"]

HEAD_BYTES = 8192
MAX_CONTROL_SHARE = 0.02
"""Control characters among the first bytes above which a file is not taken for text."""
UNMARKED = (("UTF-32", 4), ("UTF-16", 2))
"""Encodings and the bytes of their units."""
MIN_READABLE_SHARE = 0.95
"""Below this, bytes that might be UTF-16 without a mark are taken for binary data."""
CONTROLS = bytes({*range(8), 11, *range(14, 27), *range(28, 32), 127})
CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
GZIP_WINDOW = 16 + zlib.MAX_WBITS


class NotTextError(ValueError):
    """Why bytes cannot be read as text."""


class LostTextError(NotTextError):
    """Why the text that a file holds, or may hold, cannot be had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Text with LF line ends, no byte order mark and no lone surrogates."""

    text: str
    note: str = ""
    """What was guessed; empty for UTF-8 and for a charset that the file declares."""


def decode(data: bytes, *, html: bool = False) -> Decoded:
    """Reads UTF-8, marked UTF-16 and UTF-32, the charset an HTML page declares, else Windows-1252.

    Raises:
        NotTextError: binary data.
    """
    for mark, name in MARKS:
        if data.startswith(mark):
            return Decoded(
                text=_clean(data.decode(name, "replace")),
                note=f"read as {name.upper()} by its mark",
            )
    if b"\0" in data:
        raise NotTextError("binary file: it holds NUL bytes")
    head = data[:HEAD_BYTES]
    if len(head) - len(head.translate(None, CONTROLS)) > MAX_CONTROL_SHARE * len(head):
        raise NotTextError("binary file: it is full of control characters")
    try:
        return Decoded(text=_clean(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        pass
    declared = _declared(head) if html else ""
    if declared:
        return Decoded(text=_clean(data.decode(declared, "replace")))
    try:
        return Decoded(text=_clean(data.decode("cp1252")), note="not UTF-8: read as Windows-1252")
    except UnicodeDecodeError:
        return Decoded(text=_clean(data.decode("latin-1")), note="not UTF-8: read as Latin-1")


def unmarked_encoding(head: bytes) -> str:
    """UTF-16 or UTF-32 when a file without a byte order mark reads well as such; else empty.

    The first character is taken to be one of ASCII, as a brace or a letter is.
    """
    for name, unit in UNMARKED:
        whole = head[: len(head) // unit * unit]
        if whole[:unit].count(0) != unit - 1:
            continue
        little = whole[0] != 0
        text = whole.decode(f"{name}-{'le' if little else 'be'}", "replace")
        readable = [char.isspace() or (char.isprintable() and char != "\ufffd") for char in text]
        if readable[0] and sum(readable) >= MIN_READABLE_SHARE * len(text):
            return name
    return ""


def _declared(head: bytes) -> str:
    """The charset of a page's meta element, when Python knows it as a text encoding."""
    found = CHARSET.search(head)
    if not found:
        return ""
    try:
        codec = codecs.lookup(found[1].decode("ascii"))
        "".encode(codec.name)  # codecs from bytes to bytes, such as `hex`, refuse here
    except (LookupError, ValueError):
        return ""
    # The page has just failed as UTF-8, whatever it says of itself.
    return "" if codec.name == "utf-8" else codec.name


def _clean(text: str) -> str:
    return well_formed(lf_only(text.removeprefix("\ufeff")))


def _is_text(head: bytes) -> bool:
    try:
        decode(head)
    except NotTextError:
        return False
    return True


def gunzip(data: bytes, max_bytes: int) -> bytes:
    """The unpacked bytes, all members of the file joined.

    Raises:
        LostTextError: damaged, cut short, or unpacks to more than `max_bytes`.
        NotTextError: unpacks to more than that, and is binary.
    """
    parts: list[bytes] = []
    left = max_bytes
    while data:
        unpacker = zlib.decompressobj(GZIP_WINDOW)
        try:
            part = unpacker.decompress(data, left + 1)
        except zlib.error as exc:
            if parts and not data.strip(b"\0"):
                break  # members may be padded with NUL bytes
            raise LostTextError(f"damaged gzip data ({exc})") from exc
        if len(part) > left:
            error = LostTextError if _is_text(part[:HEAD_BYTES]) else NotTextError
            raise error(f"unpacks to more than {max_bytes} bytes")
        if not unpacker.eof:
            raise LostTextError("damaged gzip data (cut short)")
        parts.append(part)
        left -= len(part)
        data = unpacker.unused_data
    return b"".join(parts)

"""Width and height of an image, read from the head of its file and from nothing else.

PNG, JPEG, GIF, WebP, and HEIF (HEIC, AVIF): what the providers take. Nothing is decoded and no
length that a file claims is trusted, so a hostile file costs what its bytes cost to look through.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

__all__ = ["pixel_size"]

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8"
JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of the segments that hold the size; the three others hold tables."""
JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers without a segment behind them."""
HEIF_BRANDS = (b"avif", b"avis", b"heic", b"heix", b"hevc", b"hevx", b"mif1", b"msf1")
HEIF_HEAD = 1 << 20
"""How far into a HEIF file its properties are looked for."""


def pixel_size(content: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; None when the file is of another kind, or damaged."""
    for head, read in READERS.items():
        if content.startswith(head):
            try:
                width, height = read(content)
            except (struct.error, ValueError):
                return None
            return (width, height) if width > 0 and height > 0 else None
    return _heif(content) if content[4:8] == b"ftyp" and content[8:12] in HEIF_BRANDS else None


def _png(content: bytes) -> tuple[int, int]:
    kind, width, height = struct.unpack_from(">4sII", content, 12)
    if kind != b"IHDR":
        raise ValueError(kind)
    return width, height


def _gif(content: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<HH", content, 6)
    return width, height


def _jpeg(content: bytes) -> tuple[int, int]:
    """The size in the first frame; each step goes forward, so that it ends."""
    place = len(JPEG)
    while True:
        place = content.index(b"\xff", place)
        while content[place : place + 1] == b"\xff":
            place += 1
        if place >= len(content):
            raise ValueError(place)
        marker = content[place]
        place += 1
        if marker in JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", content, place + 3)
            return width, height
        if marker not in JPEG_BARE:
            place += max(2, struct.unpack_from(">H", content, place)[0])


def _webp(content: bytes) -> tuple[int, int]:
    kind = content[12:16]
    if content[8:12] != b"WEBP":
        raise ValueError(kind)
    if kind == b"VP8X":
        sizes = content[24:30]
        if len(sizes) < len(b"wwwhhh"):
            raise ValueError(kind)
        return int.from_bytes(sizes[:3], "little") + 1, int.from_bytes(sizes[3:], "little") + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", content, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", content, 26)
        return width & 0x3FFF, height & 0x3FFF
    raise ValueError(kind)


def _heif(content: bytes) -> tuple[int, int] | None:
    """The largest size among the properties: the whole image, where tiles have sizes too."""
    head, found, place = content[:HEIF_HEAD], [], 0
    while (place := head.find(b"ispe", place)) >= 0:
        sizes = head[place + 8 : place + 16]
        if len(sizes) == len(b"wwwwhhhh"):
            found.append(struct.unpack(">II", sizes))
        place += 4
    if not found:
        return None
    width, height = max(found, key=lambda size: size[0] * size[1])
    return (width, height) if width > 0 and height > 0 else None


READERS: Mapping[bytes, Callable[[bytes], tuple[int, int]]] = {
    PNG: _png,
    b"GIF87a": _gif,
    b"GIF89a": _gif,
    JPEG: _jpeg,
    b"RIFF": _webp,
}

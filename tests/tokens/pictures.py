"""Heads of image files of a given size, enough for a size to be read from."""

import base64
import struct

__all__ = ["encoded", "gif", "jpeg", "png", "webp"]


def png(width: int, height: int) -> bytes:
    """Signature and IHDR chunk."""
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\0\0\0"
    )


def gif(width: int, height: int) -> bytes:
    """Header and logical screen."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0" * 16


def jpeg(width: int, height: int) -> bytes:
    """Start marker, an application segment, and a baseline frame."""
    app = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + b"\0" * 9
    frame = b"\xff\xc0" + struct.pack(">HBHH", 17, 8, height, width) + b"\0" * 10
    return b"\xff\xd8" + app + frame + b"\xff\xd9"


def webp(width: int, height: int) -> bytes:
    """Container and extended header."""
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<I", 10) + b"\0" * 4 + sizes
    return b"RIFF" + struct.pack("<I", len(body)) + body


def encoded(content: bytes) -> str:
    """Base64, as requests carry it."""
    return base64.b64encode(content).decode()

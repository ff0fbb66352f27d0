"""The size of an image is read from its head, whatever a hostile file claims."""

import io
import struct
from collections.abc import Callable

import imagesize  # type: ignore[import-untyped]  # the library ships no type information
import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.tokens.requests.image_size import pixel_size
from tests.tokens.pictures import gif, jpeg, png, webp

SIDES = st.integers(1, 16_383)


def webp_lossless(width: int, height: int) -> bytes:
    bits = struct.pack("<I", (width - 1) | (height - 1) << 14)
    return b"RIFF\x20\0\0\0WEBPVP8L\x10\0\0\0\x2f" + bits + b"\0" * 8


def webp_lossy(width: int, height: int) -> bytes:
    frame = b"\x30\x01\0\x9d\x01\x2a" + struct.pack("<HH", width, height)
    return b"RIFF\x20\0\0\0WEBPVP8 \x14\0\0\0" + frame + b"\0" * 10


def heif(width: int, height: int, brand: bytes = b"heic") -> bytes:
    """A file-type box, and the sizes of a tile and of the whole."""
    head = struct.pack(">I4s4sI4s", 20, b"ftyp", brand, 0, b"mif1")
    boxes = [struct.pack(">I4sIII", 20, b"ispe", 0, *size) for size in ((8, 8), (width, height))]
    return head + b"".join(boxes)


@pytest.mark.parametrize("make", [png, gif, jpeg, webp, webp_lossless, webp_lossy])
@given(width=SIDES, height=SIDES)
def test_the_size_is_the_one_that_another_reader_finds(
    make: Callable[[int, int], bytes], width: int, height: int
) -> None:
    content = make(width, height)
    assert pixel_size(content) == (width, height)
    assert imagesize.get(io.BytesIO(content)) == (width, height)


@pytest.mark.parametrize("brand", [b"heic", b"avif"])
def test_a_file_with_tiles_has_the_size_of_the_whole(brand: bytes) -> None:
    assert pixel_size(heif(4_032, 3_024, brand)) == (4_032, 3_024)


@pytest.mark.parametrize("make", [png, gif, jpeg, webp, webp_lossless, webp_lossy, heif])
def test_a_file_cut_anywhere_is_no_crash(make: Callable[[int, int], bytes]) -> None:
    content = make(640, 480)
    sizes = {pixel_size(content[:length]) for length in range(len(content))}
    assert sizes <= {None, (640, 480), (8, 8)}


@given(content=st.binary(max_size=200), head=st.sampled_from([
    b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"\xff\xd8\xff\xe0\0\0", b"GIF89a", b"RIFF\0\0\0\0WEBP",
    b"RIFF\0\0\0\0WEBPVP8X", b"\0\0\0\x14ftypheic", b"<svg xmlns='http://www.w3.org/2000/svg'>",
]))  # fmt: skip
def test_any_bytes_are_a_size_or_none(content: bytes, head: bytes) -> None:
    size = pixel_size(head + content)
    assert size is None or min(size) > 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xd8" + b"\xff" * 1_000_000,  # padding without an end
        b"\xff\xd8" + b"\xff\xe1\0\0" * 250_000,  # segments that claim no length
        b"\xff\xd8" + b"\xff\xd0" * 500_000,  # markers without segments
        b"\xff\xd8" + b"\0" * 1_000_000,
        b"\0\0\0\x14ftypheic" + b"ispe" * 250_000,
        b"<svg width='10' height='10'/>",  # text, which no provider takes as an image
        b"BM" + b"\0" * 60,
        png(0, 10),
        png(10, 0),
        b"\x89PNG\r\n\x1a\n" + b"\0\0\0\x0dJUNK" + b"\0\0\0\x10" * 2,
        b"RIFF\0\0\0\0WAVEfmt " + b"\0" * 40,
        b"RIFF\0\0\0\0WEBPVP8?" + b"\0" * 40,
        b"RIFF\0\0\0\0WEBPVP8X\0",
        heif(0, 0)[:20],
    ],
)
def test_what_is_damaged_or_hostile_has_no_size(content: bytes) -> None:
    size = pixel_size(content)
    assert size is None or content.startswith(b"\0\0\0\x14ftyp")


def test_an_application_segment_may_be_as_long_as_segments_get() -> None:
    segment = b"\xff\xe1" + struct.pack(">H", 65_535) + b"\xff\xc0" * 32_766 + b"\0"
    tail = jpeg(320, 200)[2:]
    assert pixel_size(b"\xff\xd8" + segment + tail) == (320, 200)


def test_a_bomb_is_its_claimed_size() -> None:
    assert pixel_size(png(2**31 - 1, 2**31 - 1)) == (2**31 - 1, 2**31 - 1)

"""What an image in a request costs, by the published rule of its provider."""

from __future__ import annotations

import base64
import binascii
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from packhorse.tokens.models.spec import ImageRule, ModelSpec

__all__ = ["Image", "image_tokens"]

LOW_DETAIL = "low"

# OpenAI scales an image into this square, then its short side down to SHORT_SIDE, then tiles it.
LONG_SIDE = 2048
SHORT_SIDE = 768
TILE = 512

# Google charges one base up to this size, and one for each tile above it.
SMALL_SQUARE = 384
CROPS_A_SIDE = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image as a request carries it, whatever the spelling of its block."""

    data: str | None
    """Base64 of the file; None when the request only names an address."""
    detail: str
    """`low`, `high`, `auto` or empty."""
    where: str
    """Which block of which message, for errors."""


def image_tokens(image: Image, spec: ModelSpec) -> int:
    """Tokens of one image for a model.

    Raises:
        InputError: the model has no known rule, or the image's size cannot be read.
    """
    rule = spec.images
    if rule is None:
        raise InputError(
            f"{image.where}: no image rule is known for {spec.name}",
            hint="Give the model an `images` rule in a model table of your own",
        )
    if rule.kind == "flat" or (rule.kind == "tiles" and image.detail == LOW_DETAIL):
        return rule.base
    return RULES[rule.kind](rule, *_size(image))


def _tiles(rule: ImageRule, width: int, height: int) -> int:
    shrink = min(1.0, LONG_SIDE / max(width, height))
    shrink = min(shrink, SHORT_SIDE / min(width, height))
    tiles = math.ceil(_whole(width * shrink) / TILE) * math.ceil(_whole(height * shrink) / TILE)
    return rule.base + rule.unit * tiles


def _patches(rule: ImageRule, width: int, height: int) -> int:
    patches = math.ceil(width / rule.unit) * math.ceil(height / rule.unit)
    return rule.base + math.ceil(min(patches, rule.cap) * rule.multiplier)


def _squares(rule: ImageRule, width: int, height: int) -> int:
    if max(width, height) <= SMALL_SQUARE:
        return rule.base
    unit = max(1, math.floor(min(width, height) / CROPS_A_SIDE))
    return rule.base * math.ceil(width / unit) * math.ceil(height / unit)


RULES: Mapping[str, Callable[[ImageRule, int, int], int]] = {
    "tiles": _tiles,
    "patches": _patches,
    "squares": _squares,
}


def _whole(pixels: float) -> int:
    """Whole pixels; the rounding keeps 767.9999 from becoming another tile's edge."""
    return max(1, math.ceil(round(pixels, 6)))


def _size(image: Image) -> tuple[int, int]:
    """Width and height in pixels, read from the head of the file."""
    import imagesize  # type: ignore[import-untyped]  # the library ships no type information

    if image.data is None:
        raise InputError(
            f"{image.where}: the size of an image at an address is not known",
            hint="Put the image into the request as base64, or ask for low detail",
        )
    try:
        content = base64.b64decode("".join(image.data.split()), validate=True)
        width, height = imagesize.get(io.BytesIO(content))
    except (binascii.Error, ValueError, OSError, IndexError, ArithmeticError, LookupError) as error:
        raise _unreadable(image) from error
    if width < 1 or height < 1:
        raise _unreadable(image)
    return int(width), int(height)


def _unreadable(image: Image) -> InputError:
    return InputError(
        f"{image.where}: the image's size cannot be read from its data",
        hint="Give a PNG, JPEG, GIF or WebP file as base64",
    )

"""What an image in a request costs, by the published rule of its provider."""

from __future__ import annotations

import base64
import binascii
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.errors import InputError
from packhorse.tokens.requests.image_size import pixel_size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from packhorse.tokens.models.spec import ImageRule, ModelSpec

__all__ = ["Image", "image_tokens", "is_estimated"]

LOW_DETAIL = "low"
ORIGINAL = frozenset({"original", "ultra_high"})
AUTOMATIC = frozenset({"", "auto"})

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
    """Base64 of the file; None when the request only names an address or a stored file."""
    detail: str
    """`low`, `medium`, `high`, `original`, `ultra_high`, `auto` or empty."""
    where: str
    """Which block of which message, for errors."""


def image_tokens(image: Image, spec: ModelSpec) -> int:
    """Tokens of one image for a model.

    An image that the request only names has a size that nobody here knows: it costs the most that
    the rule can charge.

    Raises:
        InputError: the model has no known rule, the image's size cannot be read, or the rule sets
            no limit for an image of unknown size.
    """
    rule = spec.images
    if rule is None:
        raise InputError(
            f"{image.where}: no image rule is known for {spec.name}",
            hint="Give the model an `images` rule in a model table of your own",
        )
    price, most = PRICES[rule.kind], MOST.get(rule.kind)
    if _needs_no_size(rule, image.detail):
        return price(rule, image.detail, 0, 0)
    if image.data is not None:
        return price(rule, image.detail, *_size(image))
    if most is None:
        raise InputError(
            f"{image.where}: the size of an image at an address is not known, and {spec.name} sets"
            " no highest price for one",
            hint="Put the image into the request as base64",
        )
    return most(rule, image.detail)


def is_estimated(image: Image, spec: ModelSpec) -> bool:
    """Whether the image's tokens are an upper estimate.

    So it is where the rule is not published, the size not known, or where rounding and scaling of
    patches decide, which no page states as it is billed.
    """
    rule = spec.images
    if rule is None:
        return False
    if not rule.published:
        return True
    needs_size = not _needs_no_size(rule, image.detail)
    if image.data is None and needs_size:
        return True
    if rule.kind != "patches":
        return False
    patches = _n_patches(rule, image.detail, *(_size(image) if needs_size else (0, 0)))
    is_capped = needs_size and patches >= _patch_limits(rule, image.detail)[0]
    return is_capped or patches * rule.multiplier % 1 != 0


def _needs_no_size(rule: ImageRule, detail: str) -> bool:
    """Whether every image costs the same: always, or in low detail."""
    return rule.kind == "flat" or (
        detail == LOW_DETAIL and (rule.kind == "tiles" or rule.low_cap > 0)
    )


def _tiles(rule: ImageRule, detail: str, width: int, height: int) -> int:
    if detail == LOW_DETAIL:
        return rule.base
    shrink = min(1.0, LONG_SIDE / max(width, height))
    shrink = min(shrink, SHORT_SIDE / min(width, height))
    tiles = math.ceil(_whole(width * shrink) / TILE) * math.ceil(_whole(height * shrink) / TILE)
    return rule.base + rule.unit * tiles


def _most_tiles(rule: ImageRule, _: str) -> int:
    return rule.base + rule.unit * math.ceil(LONG_SIDE / TILE) * math.ceil(SHORT_SIDE / TILE)


def _patches(rule: ImageRule, detail: str, width: int, height: int) -> int:
    return rule.base + _multiplied(rule, _n_patches(rule, detail, width, height))


def _n_patches(rule: ImageRule, detail: str, width: int, height: int) -> int:
    """Patches after scaling to the longest side, at most the cap.

    The page's formula for shrinking to the cap gives fewer patches than were billed (OpenAI forum,
    vision pricing calculator: 4000 x 1474 was billed as the whole cap), so the cap is charged.
    """
    if _needs_no_size(rule, detail):
        return rule.low_cap
    cap, edge = _patch_limits(rule, detail)
    shrink = min(1.0, edge / max(width, height)) if edge else 1.0
    sides = [math.ceil(_whole(side * shrink) / rule.unit) for side in (width, height)]
    return min(math.prod(sides), cap)


def _patch_limits(rule: ImageRule, detail: str) -> tuple[int, int]:
    """Most patches, and the longest side in pixels; 0 is no limit to the side."""
    original = detail in ORIGINAL or (detail in AUTOMATIC and rule.auto_original)
    if original and rule.original_cap:
        return rule.original_cap, rule.original_edge
    return rule.cap, rule.max_edge


def _most_patches(rule: ImageRule, detail: str) -> int:
    return rule.base + _multiplied(rule, _patch_limits(rule, detail)[0])


def _multiplied(rule: ImageRule, patches: int) -> int:
    return math.ceil(round(patches * rule.multiplier, 6))


def _claude(rule: ImageRule, _: str, width: int, height: int) -> int:
    """Patches of the largest size that keeps both limits (Claude docs, Vision).

    The long side is searched for; the short one follows and is rounded half to even. A side is
    measured in whole patches.
    """
    long, short = max(width, height), min(width, height)

    def patches(side: int) -> tuple[int, int]:
        other = max(1, round(side * short / long))
        return math.ceil(side / rule.unit), math.ceil(other / rule.unit)

    def fits(side: int) -> bool:
        along, across = patches(side)
        return along * rule.unit <= _edge(rule) and along * across <= rule.cap

    low, high = 1, min(long, max(_edge(rule), 1))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return rule.base + math.prod(patches(low))


def _edge(rule: ImageRule) -> int:
    """The longest side; without a limit, the side of the longest row of patches."""
    return rule.max_edge or rule.cap * rule.unit


def _most_claude(rule: ImageRule, _: str) -> int:
    return rule.base + rule.cap


def _squares(rule: ImageRule, _: str, width: int, height: int) -> int:
    if max(width, height) <= SMALL_SQUARE:
        return rule.base
    unit = max(1, math.floor(min(width, height) / CROPS_A_SIDE))
    return rule.base * math.ceil(width / unit) * math.ceil(height / unit)


def _flat(rule: ImageRule, detail: str, _width: int, _height: int) -> int:
    if detail == LOW_DETAIL:
        return rule.low_cap or rule.base
    return (detail in ORIGINAL and rule.original_cap) or rule.base


PRICES: Mapping[str, Callable[[ImageRule, str, int, int], int]] = {
    "tiles": _tiles,
    "patches": _patches,
    "claude": _claude,
    "squares": _squares,
    "flat": _flat,
}
"""Kind of rule -> tokens of an image of a size."""

MOST: Mapping[str, Callable[[ImageRule, str], int]] = {
    "tiles": _most_tiles,
    "patches": _most_patches,
    "claude": _most_claude,
}
"""Kind of rule -> the most that an image of any size can cost; a long strip of squares has none."""


def _whole(pixels: float) -> int:
    """Whole pixels; the rounding keeps 767.9999 from becoming another tile's edge."""
    return max(1, math.ceil(round(pixels, 6)))


def _size(image: Image) -> tuple[int, int]:
    """Width and height in pixels, read from the head of the file."""
    data = image.data or ""
    try:
        content = base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise _unreadable(image) from error
    size = pixel_size(content)
    if size is None:
        raise _unreadable(image)
    return size


def _unreadable(image: Image) -> InputError:
    return InputError(
        f"{image.where}: the image's size cannot be read from its data",
        hint="Give a PNG, JPEG, GIF, WebP, HEIC or AVIF file as base64",
    )

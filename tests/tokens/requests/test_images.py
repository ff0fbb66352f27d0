"""Images cost what their provider's rule says, or are refused by name."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.errors import InputError
from packhorse.tokens.models.spec import ImageRule
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.requests.images import Image, image_tokens, is_estimated
from tests.tokens.pictures import encoded, gif, jpeg, png, webp


def cost(model: str, content: bytes, detail: str = "") -> int:
    image = Image(data=encoded(content), detail=detail, where="messages[0].content[0]")
    return image_tokens(image, model_spec(model))


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (1024, 1024, 765),  # published example: 768 x 768, four tiles
        (2048, 4096, 1105),  # published example: 768 x 1536, six tiles
        (512, 512, 255),
        (513, 512, 425),
        (1, 1, 255),
        (100, 20_000, 765),
    ],
)
def test_tiles_after_scaling(width: int, height: int, tokens: int) -> None:
    assert cost("gpt-4o", png(width, height)) == tokens
    assert cost("gpt-4o", png(height, width), "high") == tokens


def test_low_detail_costs_the_base_whatever_the_size() -> None:
    assert cost("gpt-4o", png(9_000, 9_000), "low") == 85
    unread = Image(data=None, detail="low", where="here")
    assert image_tokens(unread, model_spec("gpt-4o")) == 85


@pytest.mark.parametrize("make", [png, gif, jpeg, webp])
def test_the_file_format_does_not_matter(make: Callable[[int, int], bytes]) -> None:
    assert cost("gpt-4o", make(1024, 1024)) == 765


def test_patches_are_multiplied_after_scaling() -> None:
    assert cost("gpt-4.1-mini", png(1024, 1024)) == 1659  # 1,024 patches x 1.62, rounded up
    assert cost("gpt-4.1-mini", png(8_000, 8_000)) == 6636  # 2,048 a side: 4,096 patches


def test_patches_over_the_cap_cost_the_cap() -> None:
    rule = ImageRule(kind="patches", unit=32, cap=1536, multiplier=1.62, source="page of spring")
    spec = replace(model_spec("gpt-4.1-mini"), images=rule)
    # Measured: billed as the whole cap, where the page's shrinking formula gives 1,449 patches.
    image = Image(data=encoded(png(4_000, 1_474)), detail="", where="")
    assert 2488 <= image_tokens(image, spec) <= 2489
    assert is_estimated(image, spec)


def test_low_and_original_detail_have_limits_of_their_own() -> None:
    assert cost("gpt-4.1-mini", png(3_000, 3_000), "low") == 415  # 256 patches x 1.62
    high, original = (cost("gpt-5.4", png(5_000, 5_000), detail) for detail in ("high", "original"))
    assert high == 3000  # 2,500 patches x 1.2
    assert original == 12_000  # 10,000 patches x 1.2


# Sizes and tokens of the pages on vision and on coordinates.
@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        ("claude-sonnet-4-5", 200, 200, 64),
        ("claude-sonnet-4-5", 1_000, 1_000, 1_296),
        ("claude-sonnet-4-5", 1_092, 1_092, 1_521),
        ("claude-sonnet-4-5", 1_075, 1_520, 33 * 47),
        ("claude-sonnet-4-5", 3_840, 2_160, 1_560),
        ("claude-opus-4-7", 1_920, 1_080, 2_691),
        ("claude-opus-4-7", 3_840, 2_160, 4_784),
    ],
)
def test_claude_images_cost_what_the_pages_say(
    model: str, width: int, height: int, tokens: int
) -> None:
    assert cost(model, png(width, height)) == tokens
    assert cost(model, png(height, width)) == tokens


@given(width=st.integers(1, 20_000), height=st.integers(1, 20_000))
def test_claude_scaling_keeps_both_limits_and_finds_the_largest(width: int, height: int) -> None:
    rule = model_spec("claude-sonnet-4-5").images
    assert rule is not None
    tokens = cost("claude-sonnet-4-5", png(width, height))
    assert 1 <= tokens <= rule.cap
    assert tokens == slow_claude(rule, width, height)


def slow_claude(rule: ImageRule, width: int, height: int) -> int:
    """Every size of the long side, largest first, until one keeps both limits."""
    long, short = max(width, height), min(width, height)
    for side in range(min(long, rule.max_edge), 0, -1):
        along, across = -(-side // 28), -(-max(1, round(side * short / long)) // 28)
        if along * 28 <= rule.max_edge and along * across <= rule.cap:
            return along * across
    raise AssertionError


def test_gemini_squares() -> None:
    assert cost("gemini-2.5-pro", png(384, 384)) == 258
    assert cost("gemini-2.5-pro", png(960, 540)) == 6 * 258  # published example


def test_a_flat_price_needs_no_size() -> None:
    image = Image(data=None, detail="", where="here")
    assert image_tokens(image, model_spec("gemini-3.5-flash")) == 1120


def test_a_model_without_a_rule_refuses_the_image() -> None:
    with pytest.raises(InputError, match=r"messages\[0\]\.content\[0\].*gpt-3\.5-turbo"):
        cost("gpt-3.5-turbo", png(10, 10))


@pytest.mark.parametrize(
    "data", ["AAAA", "", "not base64!", encoded(b"\x89PNG\r\n\x1a\n"), encoded(png(0, 0)), "é"]
)
def test_data_that_cannot_be_read_is_refused_with_its_place(data: str) -> None:
    image = Image(data=data, detail="", where="messages[3].content[1]")
    with pytest.raises(InputError, match=r"messages\[3\]\.content\[1\]"):
        image_tokens(image, model_spec("gpt-4o"))


@pytest.mark.parametrize(
    ("model", "most"),
    [("gpt-4o", 85 + 8 * 170), ("claude-sonnet-4-5", 1_568), ("gpt-4.1-mini", 9_954)],
)
@given(width=st.integers(1, 70_000), height=st.integers(1, 70_000))
def test_an_image_of_unknown_size_costs_the_most_that_any_can(
    model: str, most: int, width: int, height: int
) -> None:
    image = Image(data=None, detail="", where="messages[0].content[0]")
    assert image_tokens(image, model_spec(model)) == most
    assert is_estimated(image, model_spec(model))
    assert cost(model, png(width, height)) <= most


def test_an_image_of_unknown_size_is_refused_where_no_rule_sets_a_limit() -> None:
    image = Image(data=None, detail="", where="contents[0].parts[0]")
    with pytest.raises(InputError, match=r"contents\[0\].*address.*gemini-2\.5-pro"):
        image_tokens(image, model_spec("gemini-2.5-pro"))


def test_the_media_resolution_sets_a_flat_price() -> None:
    rule = ImageRule(kind="flat", base=1120, low_cap=280, original_cap=2240, source="page")
    spec = replace(model_spec("gemini-3.5-flash"), images=rule)
    prices = {
        detail: image_tokens(Image(data="", detail=detail, where=""), spec)
        for detail in ("", "low", "medium", "high", "ultra_high")
    }
    assert prices == {"": 1120, "low": 280, "medium": 1120, "high": 1120, "ultra_high": 2240}


def test_what_is_published_to_the_token_is_no_estimate() -> None:
    image = Image(data=encoded(png(512, 512)), detail="high", where="")
    assert not is_estimated(image, model_spec("gpt-4o"))
    assert not is_estimated(replace(image, data=None, detail="low"), model_spec("gpt-4o"))
    assert is_estimated(image, model_spec("gemini-2.5-pro"))
    assert is_estimated(image, model_spec("gpt-4.1-mini"))  # 256 x 1.62: how it is rounded is not
    assert not is_estimated(image, model_spec("gpt-3.5-turbo"))  # it is refused, not estimated


def test_a_rule_of_the_users_own_counts() -> None:
    spec = replace(model_spec("gpt-3.5-turbo"), images=model_spec("gpt-4o").images)
    assert image_tokens(Image(data=encoded(png(512, 512)), detail="", where=""), spec) == 255

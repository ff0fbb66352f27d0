"""Images cost what their provider's rule says, or are refused by name."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from packhorse.errors import InputError
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.requests.images import Image, image_tokens
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


def test_patches_are_capped_before_they_are_multiplied() -> None:
    assert cost("gpt-4.1-mini", png(1024, 1024)) == 1659  # 1,024 patches x 1.62, rounded up
    assert cost("gpt-4.1-mini", png(8_000, 8_000)) == 2489  # 1,536 patches x 1.62, rounded up


@pytest.mark.parametrize(
    ("width", "height", "measured"),
    [(256, 256, 100), (512, 512, 361), (1024, 1024, 1369), (1920, 1080, 1560), (4032, 3024, 1596)],
)
def test_the_claude_rule_is_an_upper_bound_of_measured_costs(
    width: int, height: int, measured: int
) -> None:
    tokens = cost("claude-sonnet-4-5", png(width, height))
    assert measured <= tokens <= measured * 1.05


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


def test_an_image_at_an_address_is_refused() -> None:
    image = Image(data=None, detail="", where="messages[0].content[0]")
    with pytest.raises(InputError, match="address"):
        image_tokens(image, model_spec("gpt-4o"))


def test_a_rule_of_the_users_own_counts() -> None:
    spec = replace(model_spec("gpt-3.5-turbo"), images=model_spec("gpt-4o").images)
    assert image_tokens(Image(data=encoded(png(512, 512)), detail="", where=""), spec) == 255

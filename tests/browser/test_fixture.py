"""The browser fixture itself: what it lets through and what it catches."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import OpenPage

PAGE = "<!doctype html><html lang=en><meta charset=utf-8><title>A page</title><p>here</p>{}</html>"


def test_a_file_is_read_as_it_is(open_page: OpenPage, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGE.format("<script>document.title = 'ran'</script>"), encoding="utf-8")
    assert open_page(file).title() == "ran"
    assert open_page(file, scripts=False).title() == "A page"
    assert open_page(file, width=390).evaluate("innerWidth") == 390


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ("<script>console.error('bad')</script>", "console error: bad"),
        ("<script>throw Error('oops')</script>", "script error: oops"),
        ("<img src='https://example.com/pixel.png' alt=''>", "request: https://example.com"),
    ],
)
def test_what_goes_wrong_in_a_page_is_noted(
    part: str, fault: str, browser: Browser, tmp_path: Path
) -> None:
    from tests.browser.conftest import open_page

    file = tmp_path / "page.html"
    file.write_text(PAGE.format(part), encoding="utf-8")
    steps = open_page.__wrapped__(browser)  # type: ignore[attr-defined]  # pytest keeps the function
    opened: OpenPage = next(steps)
    opened(file).wait_for_load_state("load")
    with pytest.raises(AssertionError, match=fault):
        next(steps, None)

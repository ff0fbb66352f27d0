"""Links of a page and of its source lead to the same place."""

import pytest

from packhorse.text.addresses import address, anchor, resolved


@pytest.mark.parametrize(
    "written",
    [
        "guide/setup.md", "guide/setup.html", "guide/setup/", "guide/setup", "Guide/Setup/index.md",
        "guide/setup/README.md", "guide/setup.md.gz", "guide/setup/index.html",
    ],
)  # fmt: skip
def test_suffix_index_and_case_make_no_difference(written: str) -> None:
    assert address(written) == "guide/setup"


def test_the_scheme_of_a_page_makes_no_difference() -> None:
    assert address("https://example.org/a/") == address("http://example.org/a") == "example.org/a"
    assert address("README.md") == address("index.html") == ""


def test_an_anchor_is_its_letters_and_digits() -> None:
    assert anchor("What's new? (v2)") == anchor("whats-new-v2") == "whatsnewv2"


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("#top", ("docs/a.md", "top")),
        ("b.md", ("docs/b.md", "")),
        ("../b.md?x=1#in%20it", ("b.md", "in it")),
        ("/docs/c.md", ("docs/c.md", "")),
        ("https://example.org/x#y", ("https://example.org/x", "y")),
        ("mailto:a@example.org", None),
        ("javascript:alert(1)", None),
    ],
)
def test_links_are_resolved_from_their_source(target: str, found: tuple[str, str] | None) -> None:
    assert resolved(target, "docs/a.md") == found


def test_links_of_a_page_are_resolved_from_its_url() -> None:
    assert resolved("b", "https://example.org/a/index.html") == ("example.org/a/b", "")

"""The reference is complete and says what the code says."""

import re
from pathlib import Path

import click
import pytest

from packhorse.cli.app import COMMANDS, cli
from packhorse.errors import __all__ as error_names
from packhorse.profiles.policy import _KEYS as POLICY_KEYS
from packhorse.profiles.settings import PROFILE_KEYS
from tools.write_reference import PAGES, REFERENCE, pages

HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def text_of(page: str) -> str:
    return (REFERENCE / page).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """The pages as the code says they should be."""
    return pages()


@pytest.mark.parametrize("page", PAGES)
def test_generated_pages_are_up_to_date(page: str, generated: dict[str, str]) -> None:
    assert text_of(page) == generated[page], "Run: make docs"


def test_every_generated_page_is_listed(generated: dict[str, str]) -> None:
    assert sorted(generated) == sorted(PAGES)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_is_documented(name: str) -> None:
    page = text_of("cli.md")
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert f"## packhorse {name}\n" in page
    options = [option for each in command.params for option in each.opts if option[0] == "-"]
    assert options
    assert [option for option in options if option not in page] == []


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_says_what_it_does(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    silent = [
        each.name
        for each in command.params
        if isinstance(each, click.Option) and not (each.help or "").strip()
    ]
    assert silent == []


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_shows_an_example(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert "Example" in command.get_help(command.make_context(name, [], resilient_parsing=True))


def test_every_setting_is_documented() -> None:
    page = text_of("profile.md")
    keys = [*PROFILE_KEYS, "extends", "keywords", "required_topics"]
    assert [key for key in keys if f"`{key}`" not in page] == []


def test_every_setting_says_what_it_means() -> None:
    rows = [line for line in text_of("profile.md").splitlines() if line.startswith("| `")]
    assert [row for row in rows if row.endswith("|  |")] == []


def test_every_key_of_a_policy_is_documented() -> None:
    page = text_of("kb-yaml.md")
    assert [key for key in POLICY_KEYS if f"`{key}`" not in page] == []


def test_every_error_is_documented() -> None:
    page = text_of("errors.md")
    assert [name for name in error_names if f"`{name}`" not in page] == []


def test_links_between_pages_lead_somewhere(root: Path) -> None:
    sources = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), root / "bench/README.md"]
    broken = []
    for source in sources:
        for target, anchor in LINK.findall(source.read_text(encoding="utf-8")):
            path = (source.parent / target).resolve() if target else source
            if not path.exists():
                broken.append(f"{source.name}: {target}")
            elif anchor and anchor not in anchors(path):
                broken.append(f"{source.name}: {target}#{anchor}")
    assert broken == []


def anchors(path: Path) -> set[str]:
    """Anchors of a page's headings, as Markdown builders make them."""
    titles = HEADING.findall(path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}

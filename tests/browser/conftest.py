"""A real Chromium for tests of what people open: one a session, a fresh profile for each page.

Nothing is fetched: a page that asks for anything but its own file, logs an error or raises one
fails the test that opened it.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    sync_playwright,
)

from tools.browser import find_browser

QUIET = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Keeps Chromium from calling home at every start."""


class OpenPage(Protocol):
    """Opens a file in a page of its own."""

    def __call__(
        self,
        path: Path,
        *,
        scheme: Literal["light", "dark"] = "light",
        width: int = 1280,
        height: int = 900,
        scripts: bool = True,
    ) -> Page: ...


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium; without one, the tests that need it are skipped."""
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium on this machine: run `make browser`, or set PACKHORSE_CHROMIUM")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=[*QUIET, *sandbox])
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens files as a reader does, without a network; in the end nothing may have gone wrong."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def opened(
        path: Path,
        *,
        scheme: Literal["light", "dark"] = "light",
        width: int = 1280,
        height: int = 900,
        scripts: bool = True,
    ) -> Page:
        context = browser.new_context(
            color_scheme=scheme,
            viewport={"width": width, "height": height},
            offline=True,
            java_script_enabled=scripts,
        )
        contexts.append(context)
        page = context.new_page()
        own = path.resolve().as_uri()
        page.on("console", lambda message: _note_console(faults, message))
        page.on("pageerror", lambda error: _note_error(faults, error))
        page.on("request", lambda asked: _note_request(faults, asked.url, own))
        page.goto(own)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def _note_console(faults: list[str], message: ConsoleMessage) -> None:
    if message.type in {"error", "warning"}:
        faults.append(f"console {message.type}: {message.text}")


def _note_error(faults: list[str], error: Error) -> None:
    faults.append(f"script error: {error.message}")


def _note_request(faults: list[str], url: str, own: str) -> None:
    if url.partition("#")[0] != own:
        faults.append(f"request: {url[:200]}")

"""The frame of a report: one file that loads nothing, with a policy that lets nothing be loaded."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from packhorse.report.element import Child, Html, element, joined, verbatim

__all__ = ["SCRIPTS", "STYLES", "asset", "policy", "whole_page"]

STYLES = ("report.css", "whatif.css", "print.css")
SCRIPTS = ("theme.js", "print.js", "data.js", "rows.js", "tables.js", "why_command.js", "find.js")
"""Run in this order, each in an element of its own; what follows data.js waits for the data."""


def asset(name: str) -> str:
    """The text of a file in `report/assets/`."""
    return (files("packhorse.report") / "assets" / name).read_text(encoding="utf-8")


def whole_page(
    *, title: str, body: Sequence[Child], styles: Sequence[str], scripts: Sequence[str]
) -> str:
    """The document.

    Args:
        title: of the window.
        body: what is in the body, scripts aside.
        styles: their code, in order.
        scripts: their code, in order; they run once the body is there.
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        _policy_meta(policy(styles, scripts)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content="Packhorse"),
        element("title", title),
        [verbatim("style", code) for code in styles],
    )
    page = element(
        "html",
        head,
        element("body", body, [verbatim("script", code) for code in scripts]),
        lang="en",
    )
    return joined([Html("<!DOCTYPE html>\n"), page])


def policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """A Content-Security-Policy: these styles and scripts by their hashes, and nothing else."""
    return "; ".join(
        [
            "default-src 'none'",
            _allowed("script-src", scripts),
            _allowed("style-src", styles),
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        ]
    )


def _allowed(directive: str, codes: Sequence[str]) -> str:
    sources = [f"'sha256-{_digest(code)}'" for code in codes] or ["'none'"]
    return " ".join([directive, *sources])


def _digest(code: str) -> str:
    return base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")


def _policy_meta(content: str) -> Html:
    # `http-equiv` is no Python name that `element` would turn into itself.
    return element("meta", **{"http-equiv": "Content-Security-Policy"}, content=content)

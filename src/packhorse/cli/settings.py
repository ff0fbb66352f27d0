"""`--show-config`: the effective settings of a run, and where each was said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

__all__ = ["print_settings"]

SHOWN = 60
"""Characters of a value that the table shows; --json shows all of it."""


def print_settings(flags: dict[str, Any], *, as_json: bool) -> int:
    """Prints every effective setting with its source, and packs nothing."""
    from packhorse.config import Profile
    from packhorse.indexing.policy import policy_of
    from packhorse.profiles.overrides import explain_settings, flag_sources, override
    from packhorse.profiles.profile import load_profile_with_sources

    given = {
        "model": flags["model"],
        "strategy": flags["strategy"],
        "order": flags["order"],
        "format": flags["format_"],
        "mmr_lambda": flags["lambda_"],
        "candidates": flags["candidates"],
        "top_k": flags["top_k"],
        "as_of": flags["as_of"],
        "counting": flags["counting"],
        "reranker": flags["reranker"],
        "closing_notice": flags["closing_notice"],
        "rewrite_query": flags["rewrite_query"],
        "sections": flags["sections"],
        "adaptive": flags["adaptive"],
        "expand": flags["expand"],
        "require_topics": flags["require_topic"],
    }
    path = flags["profile"] or policy_of(Path(flags["kb"])).default_profile
    loaded = load_profile_with_sources(Path(path)) if path else None
    base = loaded.profile if loaded else Profile()
    profile = override(base, **given)
    sources = {**(loaded.sources if loaded else {}), **flag_sources(base, **given)}
    settings = explain_settings(profile, sources)
    if as_json:
        rows = [{"key": s.key, "source": s.source, "value": s.value} for s in settings]
        document = {"schema_version": "1", "settings": rows}
        click.echo(json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False))
        return 0
    width = max(len(setting.key) for setting in settings)
    for setting in settings:
        value = json.dumps(setting.value, ensure_ascii=False)
        shown = value if len(value) <= SHOWN else f"{value[: SHOWN - 3]}..."
        click.echo(f"{setting.key:<{width}}  {shown:<{SHOWN}}  {setting.source}")
    return 0

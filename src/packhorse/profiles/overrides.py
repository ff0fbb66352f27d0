"""Flags over a profile, and the effective settings with where each came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.config import CoverageConfig, Profile, QueryTypeConfig, RerankerConfig
from packhorse.errors import ConfigError
from packhorse.profiles.sections import Sections, read_sections
from packhorse.profiles.settings import SETTINGS, check_complete, flat_settings, read_setting
from packhorse.profiles.values import WrongValueError

if TYPE_CHECKING:
    from packhorse.types.section import Section

__all__ = ["DEFAULT_SOURCE", "EffectiveSetting", "explain_settings", "flag_sources", "override"]

DEFAULT_SOURCE = "default"
"""Source of a setting that no file and no flag says."""

_FLAGS: Mapping[str, str] = {
    "model": "--model",
    "output_reservation": "--output-reservation",
    "candidates": "--candidates",
    "mmr_lambda": "--lambda",
    "top_k": "--top-k",
    "strategy": "--strategy",
    "format": "--format",
    "order": "--order",
    "as_of": "--as-of",
    "counting": "--counting",
    "reranker": "--reranker",
    "closing_notice": "--closing-notice",
    "rewrite_query": "--rewrite-query",
    "sections": "--sections",
    "adaptive": "--adaptive",
    "expand": "--expand",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveSetting:
    """One line of `--show-config`."""

    key: str
    """Dotted, for example `weights.trust`."""
    value: Any
    """As `profile_to_dict` gives it."""
    source: str
    """`file line n`, a flag, or `default`."""


def override(
    profile: Profile,
    *,
    model: str | None = None,
    strategy: str | None = None,
    order: str | None = None,
    format: str | None = None,
    mmr_lambda: float | None = None,
    candidates: int | None = None,
    top_k: int | str | None = None,
    as_of: str | None = None,
    output_reservation: int | None = None,
    counting: str | None = None,
    closing_notice: bool | None = None,
    rewrite_query: bool | None = None,
    adaptive: bool | str | None = None,
    reranker: str | None = None,
    sections: Sections | None = None,
    expand: str | None = None,
    require_topics: Sequence[str] = (),
) -> Profile:
    """The profile with flags over it; None means that the flag was not given.

    Args:
        profile: what the flags go over; it is left as it is.
        model: see `Profile.request`, as the others see the config field of the same name.
        strategy: packing strategy.
        order: reading order.
        format: form of the evidence.
        mmr_lambda: 0..1.
        candidates: 1 or more.
        top_k: 1 or more, or `auto`.
        as_of: ISO date.
        output_reservation: tokens.
        counting: `offline` or `provider`.
        reranker: cross-encoder that judges the best candidates, in the place of the profile's;
            `none` for none. Its other settings stay.
        closing_notice: whether the evidence says what was left out of it.
        rewrite_query: whether the conversation's words are searched with.
        sections: laid over those of the profile, field by field.
        adaptive: whether the question's complexity decides budget and candidates, or a level.
        expand: `none`, `neighbours` or `section`.
        require_topics: added to what every query type requires.

    Raises:
        ConfigError: a value of the wrong kind or out of range, or a reranker without a model.
    """
    given = {
        "model": model,
        "strategy": strategy,
        "order": order,
        "format": format,
        "mmr_lambda": mmr_lambda,
        "candidates": candidates,
        "top_k": top_k,
        "as_of": as_of,
        "output_reservation": output_reservation,
        "counting": counting,
        "closing_notice": closing_notice,
        "rewrite_query": rewrite_query,
        "adaptive": adaptive,
        "expand": expand,
    }
    changes: dict[str, dict[str, Any]] = {}
    for key, value in given.items():
        if value is not None:
            setting = SETTINGS[key]
            changes.setdefault(setting.section, {})[setting.field] = _checked(key, value)
    if require_topics:
        types = _with_topics(profile.coverage, require_topics)
        changes.setdefault("coverage", {})["query_types"] = types
    if reranker is not None:
        changes.setdefault("rerank", {})["reranker"] = _with_reranker(profile, reranker)
    if sections is not None:
        changes.setdefault("", {})["sections"] = _with_sections(profile, read_sections(sections))
    return _with_changes(profile, changes)


def _with_changes(profile: Profile, changes: dict[str, dict[str, Any]]) -> Profile:
    """The profile with new values of fields, by the config that they are in; complete."""
    own = changes.pop("", {})
    configs = {name: replace(getattr(profile, name), **new) for name, new in changes.items()}
    changed = replace(profile, **own, **configs)
    check_complete(changed)
    return changed


def _with_sections(profile: Profile, sections: Sequence[Section]) -> tuple[Section, ...]:
    """Declarations over those of the profile, field by field."""
    under = {each.name: each for each in profile.sections}
    under |= {each.name: each.over(under.get(each.name, each)) for each in sections}
    return tuple(under[name] for name in sorted(under))


def flag_sources(profile: Profile, **flags: Any) -> dict[str, str]:
    """Dotted key -> flag, for the keywords of `override` that were given.

    Merge it over `LoadedProfile.sources` for `explain_settings`.
    """
    sources = {
        key: _FLAGS[key] for key, value in flags.items() if value is not None and key in _FLAGS
    }
    # Of a reranker, the flag says who it is; its other settings are the profile's.
    if flags.get("reranker") not in {None, "none"}:
        sources["reranker.model"] = sources.pop("reranker")
    if flags.get("require_topics"):
        names = {each.name for each in profile.coverage.query_types}
        names.add(profile.coverage.default_query_type)
        sources |= {
            f"query_types.{name}.required_topics": "--require-topic" for name in sorted(names)
        }
    return sources


def explain_settings(profile: Profile, sources: Mapping[str, str]) -> tuple[EffectiveSetting, ...]:
    """Every effective setting with where it came from, in the order of the settings table."""
    lines: list[EffectiveSetting] = []
    for key, value in flat_settings(profile).items():
        for leaf, inner in _leaves(key, value):
            source = sources.get(leaf) or sources.get(key) or DEFAULT_SOURCE
            lines.append(EffectiveSetting(key=leaf, value=inner, source=source))
    return tuple(lines)


def _checked(key: str, value: Any) -> Any:
    try:
        return read_setting(key, value)
    except WrongValueError as exc:
        raise ConfigError(f"{key} is {value!r}", hint=f"{key} takes {exc}") from exc


def _with_reranker(profile: Profile, model: str) -> RerankerConfig | None:
    """The profile's reranker with another model, or one with that model alone."""
    asked = _checked("reranker", model)
    if asked is None:
        return None
    there = profile.rerank.reranker
    if there is None:
        return RerankerConfig(model=asked["model"])
    return replace(there, model=asked["model"])


def _with_topics(coverage: CoverageConfig, topics: Sequence[str]) -> tuple[QueryTypeConfig, ...]:
    """Adds topics to every type, and makes the default type when the profile has none."""
    types = {each.name: each for each in coverage.query_types}
    types.setdefault(coverage.default_query_type, QueryTypeConfig(name=coverage.default_query_type))
    return tuple(
        replace(
            types[name],
            required_topics=tuple(dict.fromkeys((*types[name].required_topics, *topics))),
        )
        for name in sorted(types)
    )


def _leaves(key: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, Mapping) or not value:
        return [(key, value)]
    return [leaf for name, inner in value.items() for leaf in _leaves(f"{key}.{name}", inner)]

"""The flat settings of a profile file, and the config field that each of them sets.

The one place that ties names in files to fields in code: reading, writing, overriding and
explaining all go through `SETTINGS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packhorse.config import (
    CoverageConfig,
    PackConfig,
    Profile,
    QueryTypeConfig,
    RenderConfig,
    RequestConfig,
    RerankConfig,
    RerankerConfig,
    RetrievalConfig,
    TopicConfig,
    VerifyConfig,
    Weights,
)
from packhorse.errors import ConfigError
from packhorse.profiles import values
from packhorse.profiles.sections import (
    SECTION_FIELDS,
    section_mapping,
    sections_as_mapping,
    sections_from,
)
from packhorse.profiles.values import Reader, WrongValueError

__all__ = [
    "PROFILE_KEYS",
    "SETTINGS",
    "TEXT_OR_FILE",
    "Setting",
    "check_complete",
    "flat_settings",
    "profile_of",
    "read_setting",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One flat key: the config it belongs to, the field in it, and how its value is read."""

    section: str
    """Field of `Profile`; empty for the profile itself."""
    field: str
    reader: Reader


_SECTIONS: Mapping[str, type[Any]] = {
    "request": RequestConfig,
    "retrieval": RetrievalConfig,
    "rerank": RerankConfig,
    "pack": PackConfig,
    "render": RenderConfig,
    "coverage": CoverageConfig,
    "verify": VerifyConfig,
}

_WEIGHTS: Mapping[str, Reader] = {
    "relevance": values.non_negative_number,
    "trust": values.non_negative_number,
    "freshness": values.non_negative_number,
    "coverage": values.non_negative_number,
    "deduplication": values.number,
}
_RERANKER: Mapping[str, Reader] = {
    "model": values.word,
    "scale": values.optional(values.word),
    "top": values.whole(1),
    "weight": values.share,
    "timeout_seconds": values.positive_number,
}
_QUERY_TYPE: Mapping[str, Reader] = {
    "keywords": values.text_list,
    "examples": values.text_list,
    "required_topics": values.text_list,
}
_TOPIC: Mapping[str, Reader] = {"terms": values.text_list}

TEXT_OR_FILE = ("system_prompt", "safety_preamble", "evidence_preamble")
"""Settings whose value may be `{file: path}` in a file."""


def _read_weights(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise WrongValueError("a mapping, for example {relevance: 0.5, trust: 0.2}")
    return {name: _read_inner(_WEIGHTS[name], item, name) for name, item in value.items()}


def _read_reranker(value: Any) -> dict[str, Any] | None:
    if value is None or value in ("off", "none") or value is False:
        return None
    if isinstance(value, str):
        return {"model": values.word(value)}
    if not isinstance(value, Mapping):
        raise WrongValueError("a mapping with `model`, for example {model: reranker.onnx, top: 50}")
    return {name: _read_inner(_RERANKER[name], item, name) for name, item in value.items()}


def _read_named(readers: Mapping[str, Reader], what: str, shape: str) -> Reader:
    """A reader of a mapping of names to mappings that have any of the keys of `readers`."""

    def read(value: Any) -> dict[str, dict[str, tuple[str, ...]]]:
        if not isinstance(value, Mapping):
            raise WrongValueError(f"a mapping of {what} to {shape}")
        named: dict[str, dict[str, tuple[str, ...]]] = {}
        for name, item in value.items():
            if not isinstance(item, Mapping):
                raise WrongValueError(f"a mapping {shape}", path=name, value=item)
            named[name] = {
                key: _read_inner(readers[key], inner, f"{name}.{key}")
                for key, inner in item.items()
            }
        return named

    return read


_NAMED: Mapping[str, tuple[type[Any], Mapping[str, Reader]]] = {
    "query_types": (QueryTypeConfig, _QUERY_TYPE),
    "topics": (TopicConfig, _TOPIC),
}
"""Settings that map names to mappings: the config of one, and the keys it has in a file."""


def _read_inner(reader: Reader, value: Any, name: str) -> Any:
    try:
        return reader(value)
    except WrongValueError as exc:
        raise WrongValueError(str(exc), path=name, value=value) from exc


def _in(section: str, **readers: Reader) -> dict[str, Setting]:
    return {
        name: Setting(section=section, field=name, reader=reader)
        for name, reader in readers.items()
    }


SETTINGS: Mapping[str, Setting] = {
    **_in("", name=values.word, as_of=values.optional(values.date_text)),
    **_in(
        "request",
        model=values.word,
        system_prompt=values.text,
        safety_preamble=values.text,
        output_reservation=values.whole(0),
        history_max_tokens=values.optional(values.whole(0)),
        min_evidence_tokens=values.whole(0),
        counting=values.word,
        adaptive=values.level_or_off,
    ),
    **_in(
        "retrieval",
        candidates=values.whole(1),
        lexical_weight=values.non_negative_number,
        dense_weight=values.non_negative_number,
        rewrite_query=values.yes_or_no,
        follow=values.yes_or_no,
        named_weight=values.non_negative_number,
        mention_weight=values.non_negative_number,
        unnamed_share=values.share,
        mention_limit=values.share,
        length_weight=values.non_negative_number,
        alike_weight=values.non_negative_number,
        min_domain_closeness=values.share_or_auto,
        sure_domain_cosine=values.share_or_auto,
        min_domain_share=values.share,
        domain_chunks=values.whole(1),
        expand=values.word,
        neighbours=values.whole(1),
    ),
    **_in(
        "rerank",
        weights=_read_weights,
        mmr_lambda=values.share,
        top_k=values.count_or_auto,
        min_relevance=values.share,
        min_trust=values.share,
        freshness_half_life_days=values.positive_number,
        max_age_days=values.optional(values.positive_number),
        max_per_source=values.optional(values.whole(1)),
        dedup_threshold=values.share_or_off,
        reranker=_read_reranker,
    ),
    **_in("pack", strategy=values.word),
    # The reranker's cap has the plain name, and counts what is ranked; this one what is packed.
    "max_packed_per_source": Setting(
        section="pack", field="max_per_source", reader=values.optional(values.whole(1))
    ),
    **_in("pack", require_each_topic=values.yes_or_no),
    **_in(
        "render",
        format=values.word,
        order=values.word,
        evidence_preamble=values.text,
        show_dates=values.yes_or_no,
        closing_notice=values.yes_or_no,
    ),
    **_in(
        "coverage",
        query_types=_read_named(
            _QUERY_TYPE, "query types", "{keywords: [...], required_topics: [...]}"
        ),
        default_query_type=values.word,
        min_example_similarity=values.share,
        topics=_read_named(_TOPIC, "topics", "{terms: [...]}"),
        full_strength=values.share,
    ),
    "min_coverage_score": Setting(section="coverage", field="min_score", reader=values.share),
    **_in(
        "verify",
        max_source_share=values.share_or_off,
        contradiction_model=values.optional(values.word),
    ),
    **_in("", sections=section_mapping),
}
"""Flat key -> where it goes, in the order in which settings are shown."""

PROFILE_KEYS: Mapping[str, object] = {
    **dict.fromkeys(SETTINGS),
    "weights": dict.fromkeys(_WEIGHTS),
    **{key: {"*": dict.fromkeys(readers)} for key, (_, readers) in _NAMED.items()},
    "reranker": dict.fromkeys(_RERANKER),
    "sections": {"*": dict.fromkeys(SECTION_FIELDS)},
}
"""Valid keys, level by level, in the form `check_keys` takes."""


def read_setting(key: str, value: Any) -> Any:
    """A value as read from a file, checked.

    `weights`, `query_types` and `topics` stay mappings, of what the file says alone.

    Raises:
        WrongValueError: the value is of the wrong kind or out of range.
    """
    return SETTINGS[key].reader(value)


def profile_of(settings: Mapping[str, Any]) -> Profile:
    """A profile from checked flat settings; what is not among them has its default.

    Raises:
        ConfigError: settings contradict each other.
    """
    fields: dict[str, dict[str, Any]] = {"": {}, **{section: {} for section in _SECTIONS}}
    for key, value in settings.items():
        setting = SETTINGS[key]
        fields[setting.section][setting.field] = _to_config(key, value)
    sections = {name: make(**fields[name]) for name, make in _SECTIONS.items()}
    return Profile(**fields[""], **sections)


def flat_settings(profile: Profile) -> dict[str, Any]:
    """Every setting of a profile under its flat key, as plain JSON values.

    Nothing is left out but `sections` where none is declared.
    """
    flat: dict[str, Any] = {}
    for key, setting in SETTINGS.items():
        owner = getattr(profile, setting.section) if setting.section else profile
        value = getattr(owner, setting.field)
        if key != "sections" or value:
            flat[key] = _from_config(key, value)
    return flat


def _to_config(key: str, value: Any) -> Any:
    if key == "weights":
        return Weights(**value)
    if key == "reranker":
        return _to_reranker(value)
    if key in _NAMED:
        make, _ = _NAMED[key]
        return tuple(make(name=name, **value[name]) for name in sorted(value))
    if key == "sections":
        return sections_from(value)
    return value


def _to_reranker(value: Mapping[str, Any] | None) -> RerankerConfig | None:
    """A file may leave the model to the one that it extends, or to a flag: see `check_complete`."""
    return None if value is None else RerankerConfig(**{"model": "", **value})


def _from_reranker(value: RerankerConfig) -> dict[str, Any]:
    """Without the model where a flag is to name it."""
    return {
        name: getattr(value, name) for name in sorted(_RERANKER) if name != "model" or value.model
    }


def check_complete(profile: Profile) -> None:
    """Refuses what only a flag over the profile could have made whole.

    Raises:
        ConfigError: its reranker has no model.
    """
    if profile.rerank.reranker is not None and not profile.rerank.reranker.model:
        raise ConfigError(
            f"reranker of the profile {profile.name!r} has no model",
            hint="Name one: reranker: {model: PATH.onnx}, or pack with --reranker",
        )


def _from_config(key: str, value: Any) -> Any:
    if key == "weights":
        return {name: getattr(value, name) for name in sorted(_WEIGHTS)}
    if key == "reranker":
        return None if value is None else _from_reranker(value)
    if key in _NAMED:
        _, readers = _NAMED[key]
        return {
            each.name: {field: list(getattr(each, field)) for field in sorted(readers)}
            for each in sorted(value, key=lambda each: each.name)
        }
    if key == "sections":
        return sections_as_mapping(value)
    return value

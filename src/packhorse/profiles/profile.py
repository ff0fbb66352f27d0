"""Profile files: read strictly, built on each other with `extends`, written back as one mapping."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.config import Profile
from packhorse.errors import ConfigError
from packhorse.profiles.keys import check_keys
from packhorse.profiles.settings import (
    PROFILE_KEYS,
    TEXT_OR_FILE,
    flat_settings,
    profile_of,
    read_setting,
)
from packhorse.profiles.values import WrongValueError
from packhorse.profiles.yaml_file import YamlFile, read_text_file, read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = [
    "GONE",
    "LoadedProfile",
    "load_profile",
    "load_profile_with_sources",
    "profile_from_dict",
    "profile_of_packet",
    "profile_to_dict",
    "recorded_profile",
    "settings_of_packet",
]

_FLAG = "it is no part of a profile; pass"
_POLICY = "it belongs in kb.yaml"
_ELSEWHERE: Mapping[str, str] = {
    "budget": f"{_FLAG} --budget",
    "pin": f"{_FLAG} --pin",
    "pinned": f"{_FLAG} --pin",
    "attach": f"{_FLAG} --attach",
    "history": f"{_FLAG} --history",
    "query": f"{_FLAG} --query",
    "lambda": "did you mean mmr_lambda?",
    "min_domain_overlap": "min_domain_share took its place, on another scale",
    "min_domain_similarity": "min_domain_closeness took its place, on another scale",
    "required_topics": "it sits under query_types.NAME; for one run pass --require-topic",
    "mandatory": _POLICY,
    "blocked_sources": _POLICY,
    "trust": f"{_POLICY}; its weight is weights.trust",
}
_FILE_KEYS: Mapping[str, object] = {
    **PROFILE_KEYS,
    "extends": None,
    **{key: {"file": None} for key in TEXT_OR_FILE},
}
_BEFORE: Mapping[str, Any] = {
    "follow": False,
    "sure_domain_cosine": 1.0,
    "domain_chunks": 1,
    "named_weight": 0.0,
    "mention_weight": 0.0,
    "length_weight": 0.0,
    "alike_weight": 0.0,
}
"""What held before there was a setting, where its default is another by now."""
GONE = frozenset({"min_domain_overlap", "min_domain_similarity"})
"""Settings of earlier packets that decide nothing any more."""
_MERGED = ("weights", "query_types", "topics", "reranker", "sections")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedProfile:
    """A profile and where each of its settings was said."""

    profile: Profile
    sources: Mapping[str, str]
    """Dotted key -> `file line n`; a key that is not in it has its built-in default. `weights`,
    `query_types` and `topics` have an entry for each key below them."""


@dataclass(slots=True, kw_only=True)
class _Layer:
    """Settings on their way from files to a profile."""

    settings: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def nameless(self) -> _Layer:
        """What is handed on: a profile that extends another one is not that other one."""
        return _Layer(
            settings={key: value for key, value in self.settings.items() if key != "name"},
            sources={key: place for key, place in self.sources.items() if key != "name"},
        )

    def put_over(self, other: _Layer) -> None:
        """Lays these settings over `other`: the mappings key by key, everything else whole."""
        for key, value in self.settings.items():
            other.settings[key] = _merged(other.settings.get(key), value, key in _MERGED)
        other.sources.update(self.sources)


def load_profile(path: str | Path) -> Profile:
    """Reads a profile file; an empty one gives the defaults under the file's name.

    Its `reranker` may have no `model`: `override` names one, and without it nothing is packed.

    Raises:
        UnknownKeyError: keys nobody knows, all of them named.
        ConfigError: the file, one it extends or a text file it names cannot be used.
    """
    return load_profile_with_sources(path).profile


def load_profile_with_sources(path: str | Path) -> LoadedProfile:
    """As `load_profile`, with the place of every setting for `--show-config`."""
    path = Path(path)
    layer = _load(path, (), {})
    if "name" not in layer.settings:
        layer.settings["name"] = path.stem
        layer.sources["name"] = f"{path} (file name)"
    try:
        profile = profile_of(layer.settings)
    except ConfigError as exc:
        raise ConfigError(f"{exc.message}, {path}", hint=exc.hint) from exc
    return LoadedProfile(profile=profile, sources=dict(sorted(layer.sources.items())))


def profile_to_dict(profile: Profile) -> dict[str, Any]:
    """Every setting under the flat key that files use, keys sorted, as plain JSON values.

    `profile_from_dict(profile_to_dict(p)) == p` for numbers of at most six decimals.
    """
    return dict(sorted(flat_settings(profile).items()))


def recorded_profile(profile: Profile) -> Profile:
    """The profile as a packet records it, with numbers of at most six decimals.

    What decides a packet and what the packet says decided it are then the same.
    """
    return profile_from_dict(profile_to_dict(profile))


def profile_from_dict(data: Mapping[str, Any]) -> Profile:
    """The profile of settings as `profile_to_dict` gives them; a missing key has its default.

    Raises:
        UnknownKeyError: keys nobody knows, all of them named.
        ConfigError: a value of the wrong kind or out of range.
    """
    if not isinstance(data, Mapping):
        raise ConfigError("The profile is not a mapping", hint="Give settings as name: value")

    def where(_path: str) -> str:
        return "recorded profile"

    check_keys(data, PROFILE_KEYS, what="profile", where=where, elsewhere=_ELSEWHERE)
    return profile_of({key: _read(key, data[key], where) for key in data})


def profile_of_packet(document: Mapping[str, Any]) -> Profile:
    """The profile that a packet was made with; what it is too old to say was not done then.

    Settings in `GONE` are left out.

    Raises:
        UnknownKeyError: the packet is of a later version, with keys nobody knows.
        ConfigError: a value of the wrong kind or out of range.
    """
    said = {key: value for key, value in document["profile"].items() if key not in GONE}
    return profile_from_dict({**_BEFORE, **said})


def settings_of_packet(document: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting that a packet was made with, unchecked; see `profile_of_packet`."""
    settings = {**flat_settings(Profile()), **_BEFORE, **document["profile"]}
    types = settings["query_types"].items()
    settings["query_types"] = {name: {"examples": [], **fields} for name, fields in types}
    return settings


def _load(path: Path, stack: tuple[Path, ...], done: dict[Path, _Layer]) -> _Layer:
    identity = path.resolve()
    if identity in stack:
        circle = " -> ".join(each.name for each in (*stack[stack.index(identity) :], identity))
        raise ConfigError(
            f"Profiles extend each other in a circle: {circle}, {path}",
            hint="Take one of the `extends` lines out",
        )
    if identity in done:
        return done[identity]
    file = read_yaml(path, "profile")
    check_keys(file.data, _FILE_KEYS, what="profile", where=file.where, elsewhere=_ELSEWHERE)
    layer = _Layer()
    for base in _bases(file):
        _load(_beside(path, base), (*stack, identity), done).nameless().put_over(layer)
    _own(file).put_over(layer)
    done[identity] = layer
    return layer


def _bases(file: YamlFile) -> tuple[str, ...]:
    value = file.data.get("extends")
    if value is None:
        return ()
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(n, str) and n.strip() for n in names):
        raise ConfigError(
            f"extends is {value!r}, expected a path or a list of paths, {file.where('extends')}",
            hint="Name other profile files, relative to this one",
        )
    return tuple(names)


def _own(file: YamlFile) -> _Layer:
    layer = _Layer()
    for key, value in file.data.items():
        if key == "extends":
            continue
        raw = value
        if key in TEXT_OR_FILE and isinstance(value, Mapping):
            raw = _text_of(file, key, value)
        layer.settings[key] = _read(key, raw, file.where)
        for leaf in _leaves(key, layer.settings[key]):
            layer.sources[leaf] = file.where(leaf)
    return layer


def _text_of(file: YamlFile, key: str, value: Mapping[str, Any]) -> str:
    name = value.get("file")
    if not isinstance(name, str) or not name.strip():
        raise ConfigError(
            f"{key} is {dict(value)!r}, expected text or {{file: path}}, {file.where(key)}",
            hint="Give the path of a text file, relative to this one",
        )
    return read_text_file(_beside(file.path, name), f"{key} file").removesuffix("\n")


def _read(key: str, value: Any, where: Callable[[str], str]) -> Any:
    try:
        return read_setting(key, value)
    except WrongValueError as exc:
        path, shown = exc.place(key, value)
        raise ConfigError(f"{path} is {shown}, {where(path)}", hint=f"{path} takes {exc}") from exc


def _beside(path: Path, name: str) -> Path:
    """`name` relative to the file that says it, without `..` in the middle."""
    return Path(os.path.normpath(path.parent / name))


def _merged(old: Any, new: Any, deep: bool) -> Any:  # noqa: FBT001 - private, called once
    if not (deep and isinstance(old, Mapping) and isinstance(new, Mapping)):
        return new
    return {
        **old,
        **{key: _merged(old.get(key), value, deep) for key, value in new.items()},
    }


def _leaves(key: str, value: Any) -> list[str]:
    if not isinstance(value, Mapping) or not value:
        return [key]
    return [leaf for name, inner in value.items() for leaf in _leaves(f"{key}.{name}", inner)]

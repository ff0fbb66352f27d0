"""Declarations of sections, as files and callers write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from packhorse.errors import ConfigError
from packhorse.profiles.keys import check_keys
from packhorse.profiles.values import WrongValueError
from packhorse.profiles.yaml_file import read_yaml
from packhorse.types.section import Section

__all__ = [
    "SECTION_FIELDS",
    "Sections",
    "read_sections",
    "section_mapping",
    "sections_as_mapping",
    "sections_from",
]

Sections = str | Path | Mapping[str, Mapping[str, Any]] | Sequence[Section]
"""A YAML file, what such a file holds, or declarations."""

SECTION_FIELDS = tuple(field.name for field in fields(Section) if field.name != "name")
_WHAT = "a mapping of section names to {priority, floor, cap, growth, rule, text}"


def section_mapping(value: Any) -> dict[str, dict[str, Any]]:
    """Reads the value of the setting `sections`; what each field may be, `Section` says."""
    if not isinstance(value, Mapping):
        raise WrongValueError(_WHAT)
    for name, declared in value.items():
        if not isinstance(name, str):
            raise WrongValueError(_WHAT, path=str(name), value=declared)
        if not isinstance(declared, Mapping):
            raise WrongValueError(_WHAT, path=str(name), value=declared)
        for field, given in declared.items():
            wants_text = field in ("rule", "text")
            if not isinstance(given, str if wants_text else (int, str)):
                said = "text" if wants_text else "a whole number, or a share such as 25%"
                raise WrongValueError(said, path=f"{name}.{field}", value=given)
    return {name: dict(declared) for name, declared in value.items()}


def sections_from(mapping: Mapping[str, Mapping[str, Any]]) -> tuple[Section, ...]:
    """Declarations, sorted by name.

    Raises:
        ConfigError: a name, or the value of a field, cannot be used.
    """
    return tuple(Section(name=name, **mapping[name]) for name in sorted(mapping))


def sections_as_mapping(sections: Sequence[Section]) -> dict[str, dict[str, Any]]:
    """What a file would say; fields that are left open are left out."""
    return {
        each.name: {
            field: value for field in SECTION_FIELDS if (value := getattr(each, field)) is not None
        }
        for each in sorted(sections, key=lambda each: each.name)
    }


def read_sections(given: Sections | None) -> tuple[Section, ...]:
    """Declarations from a file, a mapping or a list, sorted by name; None is none.

    Raises:
        UnknownKeyError: a field nobody knows.
        ConfigError: a name, or the value of a field, cannot be used, or a name comes twice.
    """
    if given is None:
        return ()
    if isinstance(given, (str, Path)):
        file = read_yaml(Path(given), "sections file")
        return _read(file.data, file.where)
    if isinstance(given, Mapping):
        return _read(given, lambda _path: "sections")
    if not hasattr(given, "__len__"):
        raise ConfigError(
            f"sections is {given!r}, neither a file nor declarations",
            hint=f"Give the path of a YAML file, {_WHAT}, or a list of packhorse.Section",
        )
    for each in given:
        if not isinstance(each, Section):
            raise ConfigError(f"sections holds {each!r}", hint="Give packhorse.Section values")
    names = [each.name for each in given]
    if len(set(names)) != len(names):
        raise ConfigError("sections names a section twice", hint="Declare each section once")
    return tuple(sorted(given, key=lambda each: each.name))


def _read(data: Mapping[str, Any], where: Any) -> tuple[Section, ...]:
    known = {"*": dict.fromkeys(SECTION_FIELDS)}
    check_keys(data, known, what="sections", where=where, elsewhere={})
    try:
        mapping = section_mapping(data)
    except WrongValueError as error:
        path, shown = error.place("sections", data)
        raise ConfigError(f"{path} is {shown}, {where(path)}", hint=f"It takes {error}") from error
    try:
        return sections_from(mapping)
    except ConfigError as error:
        place = where("sections")
        raise ConfigError(f"{error.message}, {place}", hint=error.hint) from error

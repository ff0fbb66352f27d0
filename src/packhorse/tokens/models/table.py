"""The model table: dated, sourced, and open to a user's own rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

from packhorse.errors import ConfigError, InputError, UnknownKeyError, UnknownModelError
from packhorse.tokens.models.spec import ChatFraming, ImageRule, ModelSpec, ToolRule

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ModelSpec", "ModelTable", "built_in_models", "load_models", "model_spec"]

Row = dict[str, Any]

RULES: Mapping[str, type] = {"framings": ChatFraming, "tools": ToolRule, "images": ImageRule}
"""Sections of a table file that hold named rules, and what each rule is."""

REFERENCES = {"framing": "framings", "tools": "tools", "images": "images"}
"""Fields of a model row that name a rule, and the section the rule is in."""

NEAR_NAMES = 3
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class ModelTable:
    """Models by name; an alias finds the same row, and no name finds two."""

    models: tuple[ModelSpec, ...]
    """Sorted by provider, then name."""
    names: Mapping[str, ModelSpec]
    """Every name and alias."""
    sections: Mapping[str, Mapping[str, Row]]
    """The plain rows that the table was made of, for merging."""

    def spec(self, model: str) -> ModelSpec:
        """The row of a model.

        Raises:
            UnknownModelError: no row has this name or alias; carries the nearest names.
        """
        spec = self.names.get(model)
        if spec is None:
            raise UnknownModelError(model, get_close_matches(model, self.names, n=NEAR_NAMES))
        return spec

    def __iter__(self) -> Iterator[ModelSpec]:
        return iter(self.models)


def model_spec(model: str) -> ModelSpec:
    """The row of a model in the built-in table.

    Raises:
        UnknownModelError: the table does not hold the model; carries the nearest names.
    """
    return built_in_models().spec(model)


@cache
def built_in_models() -> ModelTable:
    """The table that ships with the package."""
    import json

    data = resources.files("packhorse.tokens.models").joinpath("data/models.json")
    sections = json.loads(data.read_text("utf-8"))
    return _table(_checked_sections(sections, "models.json"), "models.json")


def load_models(path: Path) -> ModelTable:
    """The built-in table with a user's YAML file laid over it.

    The file has the sections `models`, `framings`, `tools` and `images`, each a mapping of name
    to fields. A known name changes only the fields it gives; a new name needs all of them.

    Raises:
        InputError: the file cannot be read.
        UnknownKeyError: a section or field that nobody knows.
        ConfigError: a value of the wrong type, a reference to nothing, an ambiguous alias.
    """
    import yaml

    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    # YAML raises ValueError for an impossible date, RecursionError for deep nesting.
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise InputError(
            f"Cannot read the model table {path}: {' '.join(str(error).split())}",
            hint="Give a readable YAML file in UTF-8",
        ) from error
    given = _checked_sections(data if data is not None else {}, str(path))
    merged = {
        section: {
            name: {**rows.get(name, {}), **given.get(section, {}).get(name, {})}
            for name in [*rows, *(new for new in given.get(section, {}) if new not in rows)]
        }
        for section, rows in built_in_models().sections.items()
    }
    return _table(merged, str(path))


def _checked_sections(data: Any, where: str) -> Mapping[str, Mapping[str, Row]]:
    """The sections of a table file, once every key in it is known."""
    known = {
        "models": _names_of(ModelSpec),
        **{key: _names_of(rule) for key, rule in RULES.items()},
    }
    unknown = [str(key) for key in _mapping(data, where) if key not in known]
    for section, allowed in known.items():
        for name, row in _mapping(data.get(section) or {}, f"{where}: {section}").items():
            place = f"{section}.{name}"
            unknown += [
                f"{place}.{key}" for key in _mapping(row, f"{where}: {place}") if key not in allowed
            ]
    if unknown:
        every = sorted({*known, *(key for allowed in known.values() for key in allowed)})
        near = get_close_matches(unknown[0].rpartition(".")[2], every, n=1)
        raise UnknownKeyError(
            f"Unknown key in {where}: {', '.join(sorted(unknown))}",
            keys=sorted(unknown),
            hint=f"Did you mean {near[0]!r}?" if near else f"Known keys: {', '.join(every)}",
        )
    return cast("Mapping[str, Mapping[str, Row]]", data)


def _names_of(rule: type) -> frozenset[str]:
    """Fields that a row may give; its name is the key it stands under."""
    return frozenset(field.name for field in fields(rule)) - {"name"}


def _mapping(value: Any, where: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(
            f"{where} is {type(value).__name__}, not a mapping", hint="Write it as `name: value`"
        )
    return value


def _table(sections: Mapping[str, Mapping[str, Row]], where: str) -> ModelTable:
    """The values behind plain rows, with every reference resolved and every alias unique."""
    rules = {
        section: {
            name: _value(kind, row, f"{where}: {section}.{name}")
            for name, row in sections[section].items()
        }
        for section, kind in RULES.items()
    }
    specs = [
        _model(name, row, rules, f"{where}: models.{name}")
        for name, row in sections["models"].items()
    ]
    specs.sort(key=lambda spec: (spec.provider, spec.name))
    return ModelTable(models=tuple(specs), names=_unambiguous(specs, where), sections=sections)


def _value(kind: type, row: Row, where: str) -> Any:
    """A rule or a model made of plain fields, each of the right type."""
    import msgspec

    try:
        return msgspec.convert(row, kind, strict=True)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{where}: {error}", hint="Compare with `packhorse models --json`"
        ) from error


def _model(name: str, row: Row, rules: Mapping[str, Mapping[str, Any]], where: str) -> ModelSpec:
    resolved: Row = {**row, "name": name}
    for field, section in REFERENCES.items():
        reference = row.get(field)
        if reference is None:
            continue
        if not isinstance(reference, str) or reference not in rules[section]:
            raise ConfigError(
                f"{where}.{field} names {reference!r}, which is not under `{section}`",
                hint=f"Known: {', '.join(sorted(rules[section]))}",
            )
        resolved[field] = rules[section][reference]
    spec: ModelSpec = _value(ModelSpec, resolved, where)
    _check_figures(spec, where)
    return spec


def _check_figures(spec: ModelSpec, where: str) -> None:
    problems = {
        f"window is {spec.window}": spec.window < 1,
        f"max_output {spec.max_output} is not between 1 and the window {spec.window}": not (
            1 <= spec.max_output <= spec.window
        ),
        f"max_input {spec.max_input} is not between 1 and the window {spec.window}": (
            spec.max_input is not None and not 1 <= spec.max_input <= spec.window
        ),
        f"margin {spec.margin} is outside 0..1": not 0.0 <= spec.margin <= 1.0,
        f"margin {spec.margin} of an exact count": spec.exact and spec.margin != 0.0,
        f"as_of {spec.as_of!r} is not a date": ISO_DATE.fullmatch(spec.as_of) is None,
    }
    for problem, found in problems.items():
        if found:
            raise ConfigError(f"{where}: {problem}", hint="Correct the figure in the model table")


def _unambiguous(specs: Sequence[ModelSpec], where: str) -> Mapping[str, ModelSpec]:
    names: dict[str, ModelSpec] = {}
    for spec in specs:
        for name in (spec.name, *spec.aliases):
            if name in names:
                raise ConfigError(
                    f"{where}: {name!r} names both {names[name].name} and {spec.name}",
                    hint="Take the alias off one of the two",
                )
            names[name] = spec
    return names

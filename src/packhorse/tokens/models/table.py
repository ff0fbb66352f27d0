"""The model table: dated, sourced, and open to a user's own rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, cast

from packhorse.errors import ConfigError, InputError, UnknownKeyError, UnknownModelError
from packhorse.tokens.calibration import check_calibration, read_calibration
from packhorse.tokens.models.names import near_names, spellings
from packhorse.tokens.models.spec import (
    ChatFraming,
    ImageRule,
    ModelSpec,
    ReasoningRule,
    ToolRule,
)
from packhorse.tokens.requests.values import kind_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ModelSpec", "ModelTable", "built_in_models", "load_models", "model_spec"]

Row = dict[str, Any]

RULES: Mapping[str, type] = {
    "framings": ChatFraming,
    "tools": ToolRule,
    "images": ImageRule,
    "reasoning": ReasoningRule,
}
"""Sections of a table file that hold named rules, and what each rule is."""

REFERENCES = {
    "framing": "framings",
    "tools": "tools",
    "images": "images",
    "reasoning": "reasoning",
}
"""Fields of a model row that name a rule, and the section the rule is in."""

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
TOKENIZER_FILES = (".json", ".model", ".gguf", ".tiktoken")
NOT_A_FILE = "mistral-common"
"""Start of a `template` that names a library's own format."""


@dataclass(frozen=True, slots=True)
class ModelTable:
    """Models by name; an alias finds the same row, and no name finds two.

    Capitals do not matter, and the prefixes of known gateways and clouds are understood
    (`anthropic/...`, `us.anthropic....-v1:0`, `meta-llama/...`): they find the maker's row.
    """

    models: tuple[ModelSpec, ...]
    """Sorted by provider, then name."""
    names: Mapping[str, ModelSpec]
    """Every name and alias, without capitals."""
    sections: Mapping[str, Mapping[str, Row]]
    """The plain rows that the table was made of, for merging."""

    def spec(self, model: str) -> ModelSpec:
        """The row of a model.

        Raises:
            UnknownModelError: no row has this name or alias; carries the nearest names.
        """
        for name, provider in spellings(model):
            spec = self.names.get(name)
            if spec is not None and provider in {None, spec.provider}:
                return spec
        written = [name for spec in self.models for name in (spec.name, *spec.aliases)]
        raise UnknownModelError(model, near_names(model, written))

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


def model_table(models: str | Path | Sequence[str | Path] = ()) -> ModelTable:
    """The table that a caller's `models` asks for: one file, several, or none; see `load_models`.

    Raises:
        InputError: a file cannot be read.
        ConfigError: something in it cannot be used.
    """
    from pathlib import Path

    paths = (models,) if isinstance(models, (str, Path)) else models
    return load_models(*map(Path, paths))


def load_models(*paths: Path) -> ModelTable:
    """The built-in table with users' YAML files laid over it, a later file over an earlier one.

    A file has the sections `models`, `framings`, `tools`, `images` and `reasoning`, each a mapping
    of name to fields. A known name changes only the fields it gives; a new name needs all of them.
    `template`, and a `tokenizer` that is a path, are relative to the file.

    Raises:
        InputError: a file cannot be read.
        UnknownKeyError: a section or field that nobody knows.
        ConfigError: a value of the wrong type, a reference to nothing, an ambiguous alias, a
            calibration that was made with other rules.
    """
    if not paths:
        return built_in_models()
    return _laid_over(tuple((path, _written(path)) for path in paths))


@lru_cache(maxsize=8)
def _laid_over(files: tuple[tuple[Path, str], ...]) -> ModelTable:
    """The built-in table with files laid over it, made once for what is written in them."""
    merged = built_in_models().sections
    for path, text in files:
        given = _given(path, text)
        merged = {
            section: {
                name: {**rows.get(name, {}), **given.get(section, {}).get(name, {})}
                for name in [*rows, *(new for new in given.get(section, {}) if new not in rows)]
            }
            for section, rows in merged.items()
        }
    return _table(merged, ", ".join(str(path) for path, _ in files))


def _written(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(
        f"Cannot read the model table {path}: {' '.join(str(error).split())}",
        hint="Give a readable YAML file in UTF-8",
    )


def _given(path: Path, text: str) -> Mapping[str, Mapping[str, Row]]:
    """The sections of one YAML file."""
    import yaml

    try:
        data = yaml.safe_load(text)
    # YAML raises ValueError for an impossible date, RecursionError for deep nesting.
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise _unreadable(path, error) from error
    given = _checked_sections(data if data is not None else {}, str(path))
    models = {name: _located(row, path.parent) for name, row in (given.get("models") or {}).items()}
    return {**given, "models": models}


def _located(row: Row, folder: Path) -> Row:
    """The row with its files found from the folder that the table is in."""
    files = {
        field: str(folder / value)
        for field, value in row.items()
        if isinstance(value, str)
        and (
            (field == "template" and not value.startswith(NOT_A_FILE))
            or (field == "tokenizer" and _is_path(value))
        )
    }
    return {**row, **files}


def _is_path(tokenizer: str) -> bool:
    return "/" in tokenizer or tokenizer.endswith(TOKENIZER_FILES)


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
            f"{where} is {kind_of(value)}, not a mapping", hint="Write it as `name: value`"
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

    # YAML makes a day of `2026-06-01` without quotes.
    plain = {
        key: value.isoformat() if isinstance(value, date) else value for key, value in row.items()
    }
    try:
        return msgspec.convert(plain, kind, strict=True)
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
    if row.get("calibration") is not None:
        resolved["calibration"] = read_calibration(row["calibration"], f"{where}.calibration")
    spec: ModelSpec = _value(ModelSpec, resolved, where)
    _check_figures(spec, where)
    check_calibration(spec, where)
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
        f"retired {spec.retired!r} is not a date": (
            spec.retired is not None and ISO_DATE.fullmatch(spec.retired) is None
        ),
        "min_budget of its reasoning is above max_budget": (
            spec.reasoning is not None
            and spec.reasoning.max_budget is not None
            and (spec.reasoning.min_budget or 0) > spec.reasoning.max_budget
        ),
    }
    for problem, found in problems.items():
        if found:
            raise ConfigError(f"{where}: {problem}", hint="Correct the figure in the model table")


def _unambiguous(specs: Sequence[ModelSpec], where: str) -> Mapping[str, ModelSpec]:
    names: dict[str, ModelSpec] = {}
    for spec in specs:
        for name in (spec.name, *spec.aliases):
            other = names.setdefault(name.casefold(), spec)
            if other is not spec:
                raise ConfigError(
                    f"{where}: {name!r} names both {other.name} and {spec.name}",
                    hint="Take the alias off one of the two",
                )
    return names

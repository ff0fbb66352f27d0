"""The models that a caller may use, with their quality tiers and prices: YAML or plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from packhorse.errors import ConfigError, UnknownKeyError, UnknownStrategyError
from packhorse.profiles.yaml_file import read_yaml

__all__ = ["BUILT_IN_LIST", "DEFAULT_TIERS", "Listed", "RouteList", "read_route_list"]

DEFAULT_TIERS: Mapping[str, float] = {"basic": 0.0, "standard": 0.5, "strong": 0.8}
"""Tier -> the complexity from which a question needs it: the bounds of the three levels."""

KEYS = ("tiers", "models")
ROW_KEYS = ("name", "tier", "price")
SIDES = ("input", "output")
HINT = "A list is `models:` with a row `- {name: gpt-4o-mini, tier: basic}` for each model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One model of the caller's list."""

    name: str
    tier: str
    price: tuple[float, float] | None = None
    """US dollars for a million tokens, in and out; None: the price list's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteList:
    """What may be chosen from, and what the tiers mean."""

    models: tuple[Listed, ...]
    tiers: Mapping[str, float] = field(default_factory=lambda: DEFAULT_TIERS)
    """Tier -> the complexity from which it is needed; a higher figure is a better tier."""
    name: str = "list"
    """What messages call it: the file, or `list`."""

    def needed(self, score: float) -> str:
        """The tier that a question of this complexity needs."""
        return max((start, name) for name, start in self.tiers.items() if start <= score)[1]

    def check_tier(self, tier: str) -> str:
        """The tier, if there is one of that name.

        Raises:
            UnknownStrategyError: there is none.
        """
        if tier not in self.tiers:
            raise UnknownStrategyError("tier", tier, list(self.tiers))
        return tier


BUILT_IN_LIST = RouteList(
    name="the built-in list",
    models=(
        Listed(name="gpt-5.4-nano", tier="basic"),
        Listed(name="gpt-5.4-mini", tier="standard"),
        Listed(name="gpt-5.4", tier="strong"),
    ),
)
"""Where the caller has no list: three sizes of one series, ranked as their maker ranks them."""


def read_route_list(
    given: str | Path | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None,
) -> RouteList:
    """The list in a YAML file, or the same as plain data; a sequence is its `models` alone.

    Raises:
        ConfigError: the file cannot be read, or a value cannot be used.
        UnknownKeyError: a key that nobody knows.
    """
    if given is None:
        return BUILT_IN_LIST
    if isinstance(given, (str, Path)):
        data: Any = read_yaml(Path(given), "list of models").data
        name = str(given)
    else:
        data = given if isinstance(given, Mapping) else {"models": given}
        name = "list"
    _check_keys(data, KEYS, name)
    tiers = _tiers(data.get("tiers"), name)
    rows = data.get("models")
    if not isinstance(rows, (list, tuple)) or not rows:
        raise ConfigError(f"{name} lists no models", hint=HINT)
    models = [_row(row, tiers, f"{name}: models[{at}]") for at, row in enumerate(rows)]
    names = [model.name for model in models]
    for model in names:
        if names.count(model) > 1:
            raise ConfigError(f"{name} lists {model!r} twice", hint="Leave one of the rows out")
    return RouteList(models=tuple(models), tiers=tiers, name=name)


def _tiers(given: Any, name: str) -> Mapping[str, float]:
    if given is None:
        return DEFAULT_TIERS
    where = f"{name}: tiers"
    if not isinstance(given, Mapping) or not given:
        raise ConfigError(f"{where} is no mapping", hint="Write `tiers: {small: 0, large: 0.5}`")
    tiers = {
        str(tier): _number(start, f"{where}.{tier}", most=1.0) for tier, start in given.items()
    }
    if min(tiers.values()) > 0:
        raise ConfigError(
            f"{where}: no tier is for the simplest questions", hint="Let one of them start at 0"
        )
    if len(set(tiers.values())) < len(tiers):
        raise ConfigError(
            f"{where}: two tiers start at the same complexity", hint="Give each its own start"
        )
    return tiers


def _row(row: Any, tiers: Mapping[str, float], where: str) -> Listed:
    if not isinstance(row, Mapping):
        raise ConfigError(f"{where} is no mapping", hint=HINT)
    _check_keys(row, ROW_KEYS, where)
    name, tier = (row.get(key) for key in ("name", "tier"))
    if not isinstance(name, str) or not name.strip():
        raise ConfigError(f"{where} has no name", hint=HINT)
    if not isinstance(tier, str) or tier not in tiers:
        said = "has no tier" if tier is None else f"has the tier {tier!r}"
        raise ConfigError(f"{where} ({name}) {said}", hint=f"Known tiers: {', '.join(tiers)}")
    price = row.get("price")
    return Listed(name=name, tier=tier, price=None if price is None else _price(price, where))


def _price(price: Any, where: str) -> tuple[float, float]:
    place = f"{where}.price"
    if not isinstance(price, Mapping):
        raise ConfigError(
            f"{place} is no mapping",
            hint="Write dollars a million tokens: `price: {input: 0.15, output: 0.6}`",
        )
    _check_keys(price, SIDES, place)
    read, written = (_number(price.get(side), f"{place}.{side}") for side in SIDES)
    return read, written


def _number(value: Any, where: str, most: float = math.inf) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and math.isfinite(value) and 0 <= value <= most:
        return float(value)
    limit = "of 0 or more" if most == math.inf else f"from 0 to {most:g}"
    raise ConfigError(f"{where} is {value!r}", hint=f"Give a number {limit}")


def _check_keys(data: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    unknown = sorted(str(key) for key in data if key not in known)
    if unknown:
        near = get_close_matches(unknown[0], known, n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise UnknownKeyError(
            f"Unknown key in {where}: {', '.join(unknown)}",
            keys=unknown,
            hint=f"{hint}Known keys: {', '.join(known)}. Limits and tokenizers of your own models"
            " go into a file of their own, see --models-file",
        )

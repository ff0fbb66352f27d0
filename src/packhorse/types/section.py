"""A named part of the window, as an operator declares it."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from packhorse.errors import ConfigError

__all__ = ["RULES", "STANDARD_SECTIONS", "Amount", "Section", "amount_in"]

Amount = int | str
"""Tokens, or a share of the room such as `25%`."""

RULES = ("never", "whole", "window", "summarise")
"""What may be done to a section that gets less than it asks: nothing, whole pieces left out, the
oldest left out, the oldest summed up."""

STANDARD_SECTIONS = {
    "instructions": ("never",),
    "tools": ("never", "whole"),
    "examples": ("whole", "never"),
    "memory": ("whole", "never"),
    "history": ("window", "summarise", "never"),
    "evidence": ("whole",),
    "query": ("never",),
    "output": ("never",),
}
"""Name -> the rules that it can be fitted by."""

OWN_RULES = ("never", "whole")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,2})?) ?%")
_TAKEN = frozenset({"note", "section"})
MAX_GROWTH = 1000
_FEW_PARTS = 10_000
"""A percent in hundredths, so that shares are whole numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What is declared about one section; None leaves a field as the default policy has it."""

    name: str
    """One of `STANDARD_SECTIONS`, or a name of your own."""
    priority: int | None = None
    """Lower is served first; ties by name."""
    floor: Amount | None = None
    """What it gets before anything that can be cut gets more, as far as it asks for that much; not
    more than the cap."""
    cap: Amount | None = None
    """What it gets at most; `100%` is no limit."""
    growth: int | None = None
    """Its weight in what is left over once the others are served, 0..1000. A section with a
    weight above 0 waits for that beyond its floor; one without is served in its turn."""
    rule: str | None = None
    """`never` (nothing is left out), `whole` (whole pieces are), `window` (the oldest turns are) or
    `summarise` (one message sums them up), as far as the section can be fitted so."""
    text: str | None = None
    """For a section of your own: what it says. Paragraphs are the pieces of the rule `whole`."""

    def __post_init__(self) -> None:
        self._check_name()
        for field in ("floor", "cap"):
            value = getattr(self, field)
            if value is not None:
                amount_in(value, 0, f"sections.{self.name}.{field}")
        if _is_above(self.floor, self.cap):
            raise ConfigError(
                f"sections.{self.name}.floor is {self.floor}, above the cap of {self.cap}",
                hint="Raise the cap, or lower the floor",
            )
        _check_whole(self.priority, f"sections.{self.name}.priority", 0, MAX_GROWTH)
        _check_whole(self.growth, f"sections.{self.name}.growth", 0, MAX_GROWTH)
        if self.rule is not None and self.rule not in self.rules:
            raise ConfigError(
                f"sections.{self.name}.rule is {self.rule!r}",
                hint=f"{self.name} can be fitted by: {', '.join(self.rules)}",
            )

    @property
    def is_own(self) -> bool:
        """Whether it is a section of the operator's own, with a text."""
        return self.name not in STANDARD_SECTIONS

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules that it can be fitted by, the usual one first."""
        return STANDARD_SECTIONS.get(self.name, OWN_RULES)

    def over(self, default: Section) -> Section:
        """This declaration, with the fields that it leaves open as `default` has them.

        A cap that is declared without a floor lowers the default floor to itself.

        Raises:
            ConfigError: the floor that is declared is above the default cap.
        """
        said = {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) is not None
        }
        base = {field.name: getattr(default, field.name) for field in fields(default)}
        if self.floor is None and _is_above(default.floor, self.cap):
            base["floor"] = self.cap
        return Section(**{**base, **said})

    def _check_name(self) -> None:
        known = ", ".join(STANDARD_SECTIONS)
        if not _NAME.fullmatch(self.name):
            raise ConfigError(
                f"The section name {self.name!r} is none",
                hint=f"Use small letters, digits, - and _, or one of: {known}",
            )
        if self.name in _TAKEN:
            raise ConfigError(
                f"A section cannot be called {self.name}", hint="The name is used inside of others"
            )
        if self.is_own and not (isinstance(self.text, str) and self.text.strip()):
            raise ConfigError(
                f"The section {self.name} is none of the known ones and has no text",
                hint=f"Give it a text, or name one of: {known}",
            )
        if not self.is_own and self.text is not None:
            raise ConfigError(
                f"The section {self.name} has a text of its own",
                hint="Only a section under a name of your own takes a text",
            )


def amount_in(amount: Amount, room: int, what: str = "The amount") -> int:
    """An amount in tokens, shares rounded down.

    Args:
        amount: tokens, or a share of `room`.
        room: tokens that a share is taken of.
        what: how an error calls it.

    Raises:
        ConfigError: neither a whole number of 0 or more nor a share from 0% to 100%.
    """
    if isinstance(amount, int) and not isinstance(amount, bool) and amount >= 0:
        return amount
    found = _SHARE.fullmatch(amount) if isinstance(amount, str) else None
    parts = round(float(found.group(1)) * 100) if found else _FEW_PARTS + 1
    if parts > _FEW_PARTS:
        raise ConfigError(
            f"{what} is {amount!r}", hint="Give tokens, or a share of the room such as 25%"
        )
    return max(0, room) * parts // _FEW_PARTS


def _is_above(floor: Amount | None, cap: Amount | None) -> bool:
    """Whether one is more than the other in any room: both are tokens, or both shares."""
    if floor is None or cap is None or isinstance(floor, int) != isinstance(cap, int):
        return False
    whole = 100 * _FEW_PARTS
    return amount_in(floor, whole) > amount_in(cap, whole)


def _check_whole(value: int | None, what: str, least: int, most: int) -> None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and not (is_whole and least <= value <= most):
        raise ConfigError(f"{what} is {value!r}", hint=f"Give a whole number, {least} to {most}")

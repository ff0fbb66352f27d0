"""Settings of a fitted conversation, checked before anything is read or written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError, InputError
from packhorse.ingest.timestamps import parse_timestamp
from packhorse.ledger.plan import check_budget
from packhorse.window.few_shot.pool import ExampleSettings
from packhorse.window.policies.registry import history_policy
from packhorse.window.tool_choice.capped import known_pins
from packhorse.window.tool_choice.definitions import definitions

if TYPE_CHECKING:
    from datetime import datetime

    from packhorse.window.requested import FitOptions

__all__ = ["check_options", "day_of", "indexes_in", "names_in"]


def check_options(options: FitOptions, body: Mapping[str, Any]) -> None:
    """Refuses a setting that cannot be used, also where nothing in the request would ask for it.

    A cap of tools is no error where there are none: the request may have been fitted before.

    Raises:
        ConfigError: a value that no request could be fitted with.
        InputError: a day that is none, an index that is none, or a pinned tool that the request
            does not define.
        InvalidBudgetError: a number of tokens or tools that is not a whole number of 0 or more.
    """
    history_policy(options.policy)
    indexes_in(options.pin)
    day_of(options.as_of)
    for name in ("summary_tokens", "examples_tokens", "max_tools", "tool_tokens"):
        check_budget(getattr(options, name), name)
    ExampleSettings(form=options.examples_form, order=options.examples_order)
    names_in(options.previous_tools, "previous_tools")
    pinned = names_in(options.pin_tools, "pin_tools")
    if options.offload is not None and not isinstance(options.offload, (str, Path)):
        raise ConfigError(
            f"offload is {options.offload!r}, not a path", hint="Give the path of a directory"
        )
    tools = body.get("tools")
    if pinned:
        known_pins(pinned, [each.name for each in definitions(tools or ())])


def day_of(given: datetime | str | None) -> datetime | None:
    """The day that the age of notes is measured from.

    Raises:
        InputError: it is no date.
    """
    if given is None:
        return None
    try:
        return parse_timestamp(given)
    except ValueError as error:
        raise InputError(
            f"as_of {given!r} is not a date: {error}", hint="Write it as 2026-01-15"
        ) from error


def indexes_in(given: Any) -> tuple[int, ...]:
    """Indexes of messages to pin; None is none.

    Raises:
        InputError: no list, or something in it is not a whole number.
    """
    hint = "Give indexes of messages as whole numbers, for example pin=[0]"
    if given is None:
        return ()
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InputError(f"pin is {given!r}, not a list of indexes", hint=hint)
    found = []
    for each in given:
        try:
            # True and False are whole numbers to `index`, and never meant as a place.
            found.append(index("" if isinstance(each, bool) else each))  # type: ignore[arg-type]
        except TypeError as error:
            raise InputError(f"pin holds {each!r}, not an index", hint=hint) from error
    return tuple(found)


def names_in(given: Any, what: str) -> tuple[str, ...]:
    """Names of tools; None is none.

    Raises:
        ConfigError: no list of names; a text alone would be one name a letter.
    """
    hint = f'Give names as a list, for example {what}=["search"]'
    if given is None:
        return ()
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise ConfigError(f"{what} is {given!r}, not a list of names", hint=hint)
    names = tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise ConfigError(f"{what} holds {name!r}, not a name", hint=hint)
    return names

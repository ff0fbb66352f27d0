"""Policies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from packhorse.errors import ConfigError, UnknownStrategyError
from packhorse.window.policies.blocks import BlockTrimming
from packhorse.window.policies.relevant import RelevantPieces
from packhorse.window.policies.sliding import SlidingWindow
from packhorse.window.policies.summarised import SummarisedWindow

if TYPE_CHECKING:
    from packhorse.window.policies.policy import HistoryPolicy

__all__ = ["POLICIES", "history_policy"]

POLICIES: Mapping[str, Callable[[], HistoryPolicy]] = {
    "sliding": SlidingWindow,
    "blocks": BlockTrimming,
    "relevant": RelevantPieces,
    "summary": SummarisedWindow,
}


def history_policy(given: str | HistoryPolicy) -> HistoryPolicy:
    """The policy of that name, or the caller's own as it is.

    Raises:
        UnknownStrategyError: there is none; lists those that exist.
        ConfigError: neither a name nor a policy.
    """
    if not isinstance(given, str):
        if isinstance(getattr(given, "name", None), str) and callable(
            getattr(given, "leave_out", None)
        ):
            return given
        raise ConfigError(
            f"policy is {given!r}, neither a name nor a policy",
            hint=f"Name one of {', '.join(sorted(POLICIES))}, or give an object with `name` and"
            " `leave_out`",
        )
    name = given
    make = POLICIES.get(name)
    if make is None:
        raise UnknownStrategyError("history policy", name, tuple(POLICIES))
    return make()

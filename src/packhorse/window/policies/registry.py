"""Policies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from packhorse.errors import UnknownStrategyError
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


def history_policy(name: str) -> HistoryPolicy:
    """The policy of that name.

    Raises:
        UnknownStrategyError: there is none; lists those that exist.
    """
    make = POLICIES.get(name)
    if make is None:
        raise UnknownStrategyError("history policy", name, tuple(POLICIES))
    return make()

"""Why each section got what it got, in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packhorse.window.sections.allocate import Allocation, Granted

__all__ = ["explained", "squeezed_by"]

SAID = {"needs": "must be in", "floor": "floor", "demand": "priority {priority}"}


def explained(allocation: Allocation, granted: Granted) -> str:
    """The steps behind a section's tokens, and what kept it from more, with the numbers."""
    demand = granted.demand
    parts = []
    for grant in granted.grants:
        if grant.step == "growth":
            weights = sum(each.demand.growth for each in allocation.sections)
            share = round(100 * demand.growth / weights)
            said = f"growth {share} % of {allocation.shared:,} left over"
        else:
            said = SAID[grant.step].format(priority=demand.priority)
        parts.append(f"{said}: {grant.tokens:,}")
    if granted.missing > 0:
        parts.append(_limit(allocation, granted))
    return "; ".join(parts) or "asked for nothing"


def squeezed_by(allocation: Allocation, granted: Granted) -> str:
    """The section that took most of what this one did not get; empty where none did.

    Looked at are sections that can be cut and were served before it, or beside it by growth; where
    there are none, what must be in. Ties by priority, then by name.
    """
    others = [each for each in allocation.sections if each is not granted and each.got]
    served = [each for each in others if each.got > each.demand.needs]
    if not served:
        served = others
    most = max(served, key=lambda each: each.got, default=None)
    return "" if most is None else most.name


def _limit(allocation: Allocation, granted: Granted) -> str:
    demand = granted.demand
    if demand.cap is not None and granted.got >= demand.cap:
        return f"cap {demand.cap:,} of {demand.asked:,} asked"
    by = squeezed_by(allocation, granted)
    named = f"squeezed by {by} ({allocation.of(by):,})" if by else "no room"
    return f"{named}: {granted.missing:,} of {demand.asked:,} asked are missing"

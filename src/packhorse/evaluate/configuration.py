"""What is compared: profiles, and the floors under their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.config import Profile, RetrievalConfig
from packhorse.errors import ConfigError
from packhorse.evaluate.floors import FLOORS
from packhorse.profiles.profile import load_profile, profile_to_dict, recorded_profile

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["BUILT_IN", "Configuration", "read_configurations"]

BUILT_IN = "built-in"
"""Name of the profile that holds when nobody gives one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """One way of answering all questions."""

    name: str
    profile: Profile
    floor: str | None = None
    """The plain ranking that stands in for retrieval and ranking; None is the profile's own."""

    def as_document(self) -> dict[str, Any]:
        """Everything that decides what it packs, as plain JSON values."""
        return {"floor": self.floor, "profile": profile_to_dict(self.profile)}


def read_configurations(names: Sequence[str]) -> tuple[Configuration, ...]:
    """The configurations named, in order; the first is what the others are compared with.

    Args:
        names: `built-in`, the name of a floor, or the path of a profile file. None at all is the
            built-in profile.

    Raises:
        ConfigError: a file cannot be used, or two configurations have one name.
    """
    found = tuple(_read(name) for name in names or (BUILT_IN,))
    name, count = Counter(each.name for each in found).most_common(1)[0]
    if count > 1:
        raise ConfigError(
            f"{count} configurations are called {name!r}",
            hint="Give each profile file a `name` of its own",
        )
    return found


def _read(name: str) -> Configuration:
    if name in FLOORS:
        # A floor is what the last question finds by itself.
        plain = Profile(retrieval=RetrievalConfig(rewrite_query=False))
        return Configuration(name=name, profile=plain, floor=name)
    if name == BUILT_IN:
        return Configuration(name=name, profile=Profile())
    path = Path(name)
    if not path.exists():
        known = ", ".join((BUILT_IN, *FLOORS))
        raise ConfigError(
            f"No configuration {name}", hint=f"Give the path of a profile file, or one of: {known}"
        )
    profile = recorded_profile(load_profile(path))
    if profile.request.adaptive is not None:
        raise ConfigError(
            f"{name} sets `adaptive`, and a measurement has budgets of its own",
            hint="Leave `adaptive` out; the budgets show what a share of one would pack",
        )
    return Configuration(name=profile.name, profile=profile)

"""The default policy, and declarations laid over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.types.section import Section, amount_in
from packhorse.window.sections.allocate import Demand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DEFAULT_SECTIONS", "WITHOUT_EVIDENCE", "SectionPolicy", "section_policy"]

HISTORY_SHARE = "50%"
"""Of what fixed sections leave: what a conversation may take when nothing else is declared."""
MEMORY_TOKENS = 2000
"""What notes may take when nothing else is declared: not every note has to do with a question."""
EXAMPLES_TOKENS = 2000

DEFAULT_SECTIONS: Mapping[str, Section] = {
    section.name: section
    for section in (
        Section(name="instructions", priority=0, floor=0, growth=0, rule="never"),
        Section(name="output", priority=0, floor=0, growth=0, rule="never"),
        Section(name="query", priority=0, floor=0, growth=0, rule="never"),
        Section(name="tools", priority=1, floor=0, growth=0, rule="never"),
        Section(name="history", priority=2, floor=0, cap=HISTORY_SHARE, growth=0, rule="window"),
        Section(name="evidence", priority=3, floor=0, growth=0, rule="whole"),
        Section(name="examples", priority=4, floor=0, cap=EXAMPLES_TOKENS, growth=0, rule="whole"),
        Section(name="memory", priority=5, floor=0, cap=MEMORY_TOKENS, growth=0, rule="whole"),
    )
}
"""Instructions, then recent turns, then evidence by relevance, then older memory."""

WITHOUT_EVIDENCE: Sequence[Section] = (
    Section(name="history", cap="100%"),
    Section(name="examples", floor="25%"),
    Section(name="memory", floor="10%"),
)
"""Over the default policy where a request has no evidence: a long conversation would take all the
room there is, so examples and notes have a floor."""

_OWN = {"priority": 3, "floor": 0, "growth": 0}


class SectionPolicy:
    """Every section with all its fields.

    Args:
        sections: by name, complete.
    """

    def __init__(self, sections: Mapping[str, Section]) -> None:
        self.sections = dict(sections)

    def __getitem__(self, name: str) -> Section:
        return self.sections[name]

    @property
    def own(self) -> tuple[Section, ...]:
        """Sections of the operator's own, in the order in which they are served."""
        found = (each for each in self.sections.values() if each.is_own)
        return tuple(sorted(found, key=lambda each: (each.priority, each.name)))

    def demand(self, name: str, room: int, *, asked: int, needs: int = 0) -> Demand:
        """What a section asks for, its floor and cap in tokens.

        Args:
            name: of the section.
            room: what shares are taken of: the room that sections leave which are never cut.
            asked: tokens of all of it.
            needs: of those: what must be in. All of it where the rule is `never`.
        """
        section = self.sections[name]
        where = f"sections.{name}"
        # All of a room that is too small for it is no limit either.
        is_free = section.cap is None or (section.rule == "never" and section.cap == "100%")
        return Demand(
            name=name,
            priority=section.priority or 0,
            asked=asked,
            needs=asked if section.rule == "never" else needs,
            floor=amount_in(section.floor or 0, room, f"{where}.floor"),
            cap=None if is_free else amount_in(section.cap or 0, room, f"{where}.cap"),
            growth=section.growth or 0,
        )


def section_policy(*layers: Sequence[Section]) -> SectionPolicy:
    """The default policy with declarations over it, later ones over earlier ones."""
    sections = dict(DEFAULT_SECTIONS)
    for layer in layers:
        for declared in layer:
            rule = declared.rules[0] if declared.is_own else None
            base = sections.get(declared.name)
            if base is None:
                base = Section(name=declared.name, text=declared.text, rule=rule, **_OWN)
            sections[declared.name] = declared.over(base)
    return SectionPolicy(sections)

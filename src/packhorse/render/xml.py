"""Blocks as elements: `<evidence n="3" source="irs_pub_587.md" date="2024-01-15">`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packhorse.render.escaping import clean_label, escape_attribute, neutralise_tags
from packhorse.render.section import SectionRenderer, shown_source
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    from packhorse.types.chunk import Chunk

__all__ = ["XmlRenderer"]


class XmlRenderer(SectionRenderer):
    """The default format. In a text, only what looks like our own tag is changed."""

    name = "xml"

    def block(self, number: int, chunk: Chunk) -> str:
        """`<evidence ...>`, the text, `</evidence>`, each ending its line."""
        title = clean_label(chunk.header)
        attributes = f' source="{escape_attribute(shown_source(chunk))}"'
        if title:
            attributes += f' title="{escape_attribute(title)}"'
        date = self.shown_date(chunk)
        if date:
            attributes += f' date="{date}"'
        text = neutralise_tags(well_formed(chunk.text))
        end = "" if text.endswith("\n") else "\n"
        return f'<evidence n="{number}"{attributes}>\n{text}{end}</evidence>\n'

    def closing(self, notice: str) -> str:
        """The notice as a line of its own, outside of every element."""
        return f"{neutralise_tags(notice)}\n" if notice else ""

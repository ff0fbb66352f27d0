"""Format name -> renderer."""

from collections.abc import Callable, Mapping

from packhorse.errors import UnknownStrategyError
from packhorse.render.markdown import MarkdownRenderer
from packhorse.render.plain import PlainRenderer
from packhorse.render.section import SectionRenderer
from packhorse.render.xml import XmlRenderer

__all__ = ["RENDERERS", "renderer"]

RENDERERS: Mapping[str, Callable[..., SectionRenderer]] = {
    "markdown": MarkdownRenderer,
    "plain": PlainRenderer,
    "xml": XmlRenderer,
}


def renderer(name: str, *, show_dates: bool = True) -> SectionRenderer:
    """The renderer of a format, with or without the day of each chunk in its block.

    Raises:
        UnknownStrategyError: no such format is registered.
    """
    factory = RENDERERS.get(name)
    if factory is None:
        raise UnknownStrategyError("format", name, tuple(RENDERERS))
    return factory(show_dates=show_dates)

"""Reading orders by name. An order is one file and one line here."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from packhorse.errors import UnknownStrategyError
from packhorse.order.by_score import RelevanceOrderer, ReverseOrderer
from packhorse.order.by_source import SourceOrderer
from packhorse.order.chronological import ChronologicalOrderer
from packhorse.order.edges import EdgesOrderer
from packhorse.order.sandwich import SandwichOrderer
from packhorse.protocols import Orderer

__all__ = ["ORDERERS", "orderer"]

ORDERERS: Mapping[str, Callable[[], Orderer]] = MappingProxyType(
    {
        "sandwich": SandwichOrderer,
        "edges": EdgesOrderer,
        "relevance": RelevanceOrderer,
        "reverse": ReverseOrderer,
        "chronological": ChronologicalOrderer,
        "source": SourceOrderer,
    }
)
"""Name -> factory."""


def orderer(name: str) -> Orderer:
    """The orderer called `name`.

    Raises:
        UnknownStrategyError: lists the known names.
    """
    if name not in ORDERERS:
        raise UnknownStrategyError("order", name, tuple(ORDERERS))
    return ORDERERS[name]()

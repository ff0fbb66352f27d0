"""How often a promise of the product is tried, and how often any other property."""

from hypothesis import settings

__all__ = ["CI_EXAMPLES", "promised"]

CI_EXAMPLES = 300
"""Examples of an ordinary property in CI."""

PROMISED_EXAMPLES = 2_000
"""Examples of a promise in CI."""

_EXAMPLES = settings().max_examples

promised = settings(max_examples=PROMISED_EXAMPLES if _EXAMPLES == CI_EXAMPLES else _EXAMPLES)
"""For what users rely on: never over budget, lines that add up, no candidate lost, no break-out."""

"""How often a promise of the product is tried. Import it in tests only.

The profile is loaded by `conftest.py`, and settings made before that would not know of it.
"""

from hypothesis import settings

from tests.examples import CI_EXAMPLES, PROMISED_EXAMPLES

__all__ = ["promised"]

_EXAMPLES = settings().max_examples

promised = settings(max_examples=PROMISED_EXAMPLES if _EXAMPLES == CI_EXAMPLES else _EXAMPLES)
"""For what users rely on: never over budget, lines that add up, no candidate lost, no break-out."""

"""How often a promise of the product is tried. Import it in tests only.

The profile is loaded by `conftest.py`, and settings made before that would not know of it.
"""

from hypothesis import settings

from tests.examples import CI_EXAMPLES, PROMISED_EXAMPLES

__all__ = ["grown", "promised", "seldom"]

_EXAMPLES = settings().max_examples

promised = settings(max_examples=PROMISED_EXAMPLES if _EXAMPLES == CI_EXAMPLES else _EXAMPLES)
"""For what users rely on: never over budget, lines that add up, no candidate lost, no break-out."""

seldom = settings(max_examples=min(_EXAMPLES, 25) if _EXAMPLES <= CI_EXAMPLES else _EXAMPLES)
"""For what is tried in every shape of a request, on conversations that take long to count."""

grown = settings(max_examples=seldom.max_examples if _EXAMPLES <= CI_EXAMPLES else _EXAMPLES // 5)
"""For what is tried after each message of a conversation."""

"""How many examples a property gets in CI."""

__all__ = ["CI_EXAMPLES", "PROMISED_EXAMPLES"]

CI_EXAMPLES = 200
"""Of an ordinary property."""

PROMISED_EXAMPLES = 2_000
"""Of what users rely on; see `tests/promises.py`."""

"""The number of examples is what it says it is."""

from hypothesis import settings

from tests.examples import CI_EXAMPLES, PROMISED_EXAMPLES
from tests.promises import promised


def test_promises_get_their_examples_and_no_deadline() -> None:
    loaded = settings()
    expected = PROMISED_EXAMPLES if loaded.max_examples == CI_EXAMPLES else loaded.max_examples
    assert promised.max_examples == expected
    assert promised.deadline is None

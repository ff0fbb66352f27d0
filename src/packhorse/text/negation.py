"""Words that deny what they stand with, as search terms."""

from packhorse.text.analysis import terms

__all__ = ["NEGATIONS"]

_NEGATIONS = (
    "not no never neither nor cannot without none nobody nothing can't don't doesn't didn't isn't"
    " aren't wasn't weren't won't wouldn't shouldn't couldn't hasn't haven't hadn't mustn't"
)

NEGATIONS = frozenset(term for word in _NEGATIONS.split() for term in terms(word))
"""Terms that deny what they stand with."""

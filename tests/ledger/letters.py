"""A counter and a model for exercises that give numbers instead of texts."""

from collections.abc import Sequence
from dataclasses import replace

from packhorse.tokens.models.spec import ChatFraming, ModelSpec
from packhorse.tokens.models.table import model_spec

__all__ = ["LetterCounter", "bare_model", "worth"]


class LetterCounter:
    """A token is a letter `w`; everything else is free."""

    name = "letters"
    library = "test"
    exact = True
    margin = 0.0

    def count(self, text: str) -> int:
        """How many `w` there are."""
        return text.count("w")

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """How many `w` there are in each."""
        return [text.count("w") for text in texts]


def worth(tokens: int) -> str:
    """A text of that many tokens."""
    return "w" * tokens


def bare_model(
    window: int, max_output: int | None = None, max_input: int | None = None
) -> ModelSpec:
    """A model without framing, for sums in which messages cost their contents alone."""
    return replace(
        model_spec("gpt-4o"),
        name="bare",
        window=window,
        max_output=window if max_output is None else max_output,
        max_input=max_input,
        framing=ChatFraming(per_message=0, role=False, source="test"),
    )

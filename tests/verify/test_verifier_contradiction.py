"""A contradiction model judges what the rules leave open; without an answer the classifier does."""

from collections.abc import Sequence

import numpy as np
import pytest

from packhorse.config import CoverageConfig, VerifyConfig
from packhorse.errors import VerificationError
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query
from packhorse.types.verdict import Status, Verdict
from packhorse.verify.consistency.conflicts import MAX_ASKED
from packhorse.verify.verifier import EvidenceVerifier
from tests.strategies import AS_OF

RULED = ("The fee is $5 a month.", "The fee is $6 a month.")
OPEN = (
    "Big Girl is a Canadian short film, directed by R. Jeyapalan and released in 2005.",
    "Big Girl is a Canadian documentary, directed by R. Jeyapalan and released in 2005.",
)


WANTED = "A contradiction model gives one number from 0 to 1 for each pair"


class Model:
    """Gives fixed probabilities, or fails."""

    name = "fixed"

    def __init__(self, *values: float, error: str = "") -> None:
        self.values = values
        self.error = error
        self.asked: list[tuple[str, str]] = []

    def contradictions(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        self.asked += pairs
        if self.error:
            raise VerificationError(self.error, hint="start it")
        return self.values or (0.9,) * len(pairs)


def verify(model: Model, texts: Sequence[str]) -> Verdict:
    chunks = [Chunk(chunk_id=f"c{n:03}", source_id=f"s{n}", text=t) for n, t in enumerate(texts)]
    pool = CandidatePool(chunks=tuple(chunks), relevance=np.ones(len(chunks)))
    query = Query(text="q", as_of=AS_OF)
    return EvidenceVerifier(CoverageConfig(), VerifyConfig(), model).verify(query, pool, chunks)


def test_the_model_is_asked_in_both_directions_and_only_what_is_open() -> None:
    model = Model(0.9, 0.2)
    verdict = verify(model, [*RULED, *OPEN])
    assert model.asked == [OPEN, OPEN[::-1]]
    assert [each.kind for each in verdict.conflicts] == ["money", "description"]


def test_the_model_can_say_no_to_what_is_open_but_not_to_a_rule() -> None:
    verdict = verify(Model(0.9, 0.0), [*RULED, *OPEN])
    assert [each.kind for each in verdict.conflicts] == ["money"]


def test_nothing_open_asks_nothing() -> None:
    model = Model(error="must not be asked")
    assert len(verify(model, RULED).conflicts) == 1
    assert not model.asked


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Model(error="it is down"), "it is down (start it)"),
        (Model(0.5), f"fixed gave 1 usable probabilities for 2 pairs ({WANTED})"),
        (Model(0.5, float("nan")), f"fixed gave 2 usable probabilities for 2 pairs ({WANTED})"),
    ],
)
def test_without_an_answer_the_classifier_judges_and_a_check_says_so(
    model: Model, reason: str
) -> None:
    verdict = verify(model, OPEN)
    assert [each.kind for each in verdict.conflicts] == ["description"]
    (check,) = (each for each in verdict.checks if each.name == "contradiction_model")
    assert check.status is Status.WARN
    assert check.detail == f"{reason}; the built-in classifier judged instead"


def test_the_number_of_questions_is_bounded() -> None:
    model = Model()
    kinds = "comedy drama opera poem novel sculpture painting musical documentary game song album"
    texts = [
        f"Big Girl is a Canadian {kind}, directed by R. Jeyapalan and released in 2005."
        for kind in kinds.split(" ")
    ]
    verdict = verify(model, texts)
    assert len(model.asked) == 2 * MAX_ASKED
    assert len(verdict.conflicts) == MAX_ASKED

"""A usable answer becomes probabilities; any other one a reason, and never an exception."""

import math
from collections.abc import Sequence

import pytest

from packhorse.errors import ConfigError, RerankError
from packhorse.rerank.cross_encoder.judge import ModelJudge
from packhorse.types.chunk import Chunk

CHUNKS = [Chunk(chunk_id=name, source_id="s", text=name, header="Title") for name in "ab"]


class Fixed:
    """Gives fixed numbers, or fails."""

    name = "fixed"

    def __init__(self, *values: float, error: str = "") -> None:
        self.values = values
        self.error = error
        self.asked: list[tuple[str, Sequence[str]]] = []

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append((query, texts))
        if self.error:
            raise RerankError(self.error, hint="start it")
        return self.values


def judge(model: Fixed, scale: str = "probabilities") -> ModelJudge:
    return ModelJudge(model, scale=scale, top=2)


def test_probabilities_stay_and_logits_go_through_the_sigmoid() -> None:
    assert judge(Fixed(0.25, 1.0)).judge("q", CHUNKS).scores == (0.25, 1.0)
    scores = judge(Fixed(0.0, 2.0), "logits").judge("q", CHUNKS).scores
    assert scores == (0.5, round(1 / (1 + math.exp(-2)), 6))


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Fixed(error="it is down"), "it is down (start it)"),
        (Fixed(0.5), "fixed gave 1 usable scores for 2 passages"),
        (Fixed(0.5, 0.5, 0.5), "fixed gave 3 usable scores for 2 passages"),
        (Fixed(0.5, math.nan), "fixed gave 1 usable scores for 2 passages"),
        (Fixed(0.5, -math.inf), "fixed gave 1 usable scores for 2 passages"),
        (Fixed(0.5, 7.5), "fixed gave 7.5, which is no probability (reranker.scale: logits?)"),
    ],
)
def test_an_answer_that_is_none_is_a_reason(model: Fixed, reason: str) -> None:
    judged = judge(model).judge("q", CHUNKS)
    assert (judged.scores, judged.fallback) == ((), reason)


class Broken:
    """A model of the caller's own that fails, or forgets to answer."""

    name = "broken"

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:  # noqa: ARG002 - it fails
        if self.error:
            raise self.error
        return None  # type: ignore[return-value]  # as a function without a return statement does


@pytest.mark.parametrize(
    ("error", "told"), [(RuntimeError("no memory"), "RuntimeError: no memory"), (None, "TypeError")]
)
def test_a_model_of_ones_own_that_fails_is_a_reason(error: Exception | None, told: str) -> None:
    judged = ModelJudge(Broken(error), scale="probabilities", top=2).judge("q", CHUNKS)
    assert judged.scores == ()
    assert judged.fallback.startswith(f"broken raised {told}")


def test_what_is_not_installed_or_set_is_an_error() -> None:
    wanting = ConfigError("No key may go there", hint="Use https")
    with pytest.raises(ConfigError, match="No key may go there"):
        ModelJudge(Broken(wanting), scale="probabilities", top=2).judge("q", CHUNKS)


def test_a_model_that_tells_nothing_apart_is_a_reason() -> None:
    three = [*CHUNKS, Chunk(chunk_id="c", source_id="s", text="c")]
    judged = ModelJudge(Fixed(0.5, 0.5, 0.5), scale="probabilities", top=3).judge("q", three)
    assert (judged.scores, judged.fallback) == ((), "fixed gave 0.5 to all 3 passages")
    assert judge(Fixed(0.5, 0.5)).judge("q", CHUNKS).scores == (0.5, 0.5)
    against = ModelJudge(Fixed(-16.0, -17.0, -18.0), scale="logits", top=3).judge("q", three)
    assert (against.scores, against.fallback) == ((0.0, 0.0, 0.0), "")


def test_the_same_question_is_asked_once_with_headers() -> None:
    model = Fixed(0.5, 0.5)
    asking = judge(model)
    assert asking.judge("q", CHUNKS) is asking.judge("q", CHUNKS)
    assert model.asked == [("q", ("Title\na", "Title\nb"))]
    asking.judge("other", CHUNKS)
    assert len(model.asked) == 2


def test_nobody_is_asked_about_nothing() -> None:
    model = Fixed()
    assert judge(model).judge("q", []).scores == ()
    assert model.asked == []

"""Chooses examples for a room: alike the question, unlike each other, no label in excess."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packhorse.errors import ConfigError
from packhorse.window.few_shot.similarity import is_twin
from packhorse.window.policies.policy import LeftOut

if TYPE_CHECKING:
    from packhorse.window.few_shot.examples import Example
    from packhorse.window.few_shot.similarity import Likeness

__all__ = ["ORDERS", "ChosenExamples", "ExamplePool"]

ORDERS = ("similar_last", "similar_first", "given")
LAMBDA = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenExamples:
    """The examples that are in, and why the others are not."""

    kept: tuple[str, ...]
    """Ids in reading order."""
    left_out: Mapping[str, LeftOut]
    """Id -> code and numbers: `twin_of_the_question`, `duplicate`, `exceeded_remaining_budget` or
    `over_the_number_asked_for`."""
    tokens: int
    """Of all that is in, framing included."""
    max_tokens: int
    examples: tuple[Example, ...]
    """Those that are in, in reading order."""
    costs: Mapping[str, int]
    """Id -> tokens of the example as it is rendered, for every example."""
    because: Mapping[str, LeftOut] = field(default_factory=dict)
    """Id of an example that is in -> why."""
    form: str = "turns"
    """`turns` of a conversation, or a `block` in the system text."""
    order: str = ORDERS[0]
    text: str = ""
    """The block; empty for turns."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Id -> SHA-256 of what the example says, for every example."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExamplePool:
    """Examples that compete for a question."""

    examples: tuple[Example, ...]
    question: str
    likeness: Likeness
    costs: tuple[int, ...]
    """Tokens of each as it is rendered, with its framing."""
    whole: Callable[[Sequence[Example]], int]
    """Exact tokens of what examples make together."""
    frame: int = 0
    """Tokens around all of them, paid once."""
    lambda_: float = LAMBDA
    """1.0 is likeness to the question alone, 0.0 unlikeness to what was chosen alone."""
    balances: bool = True
    """Whether labels take turns."""
    order: str = ORDERS[0]
    form: str = "turns"

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ConfigError(
                f"The order of examples is {self.order!r}", hint=f"Known: {', '.join(ORDERS)}"
            )
        if not 0 <= self.lambda_ <= 1:
            raise ConfigError(f"lambda_ is {self.lambda_}", hint="Give a number from 0 to 1")

    @property
    def asked(self) -> int:
        """Tokens of all examples that may be in."""
        twins = {at for at, each in enumerate(self.examples) if is_twin(each.input, self.question)}
        allowed = [each for at, each in enumerate(self.examples) if at not in twins]
        return self.whole(allowed) if allowed else 0

    def choose(self, room: int, most: int | None = None) -> ChosenExamples:
        """The examples for a room; one that does not fit is passed over.

        Step by step the example with the best `lambda_ * likeness to the question - (1 - lambda_) *
        largest likeness to one that is in` (MMR, Carbonell and Goldstein 1998), of a label of which
        fewest are in. Ties go to the earlier example. The whole is counted; where it is over, the
        last choice goes.

        Args:
            room: tokens.
            most: how many may be in; None is no limit.
        """
        picked, out, why = self._walk(room, most)
        while picked and self.whole([self.examples[at] for at in picked]) > room:
            at = picked.pop()
            out[at] = LeftOut("exceeded_remaining_budget", f"needed {self.costs[at]}, had less")
            del why[at]
        reading = self._reading(picked)
        examples = tuple(self.examples[at] for at in reading)
        ids = [each.example_id for each in self.examples]
        return ChosenExamples(
            kept=tuple(ids[at] for at in reading),
            left_out={ids[at]: out[at] for at in sorted(out)},
            tokens=self.whole(examples) if examples else 0,
            max_tokens=room,
            examples=examples,
            costs=dict(zip(ids, self.costs, strict=True)),
            because={ids[at]: why[at] for at in reading},
            form=self.form,
            order=self.order,
            digests={each.example_id: each.digest for each in self.examples},
        )

    def _walk(
        self, room: int, most: int | None
    ) -> tuple[list[int], dict[int, LeftOut], dict[int, LeftOut]]:
        """Places in the order of choice, and the reasons."""
        out: dict[int, LeftOut] = {}
        why: dict[int, LeftOut] = {}
        picked: list[int] = []
        for at, each in enumerate(self.examples):
            if is_twin(each.input, self.question):
                likeness = self.likeness.to_question(at)
                out[at] = LeftOut("twin_of_the_question", f"likeness {likeness:.3f}")
        left = room - self.frame
        open_ = [at for at in range(len(self.examples)) if at not in out]
        nearest = dict.fromkeys(open_, 0.0)
        counts: Counter[str | None] = Counter()
        while open_:
            at = self._best(open_, nearest, counts)
            open_.remove(at)
            told = self._told(at, nearest[at])
            if most is not None and len(picked) >= most:
                out[at] = LeftOut("over_the_number_asked_for", f"{most} are in; {told}")
                continue
            twin = next((x for x in picked if self._is_copy(x, at)), None)
            if twin is not None:
                out[at] = LeftOut("duplicate", f"of {self.examples[twin].example_id}; {told}")
                continue
            if self.costs[at] > left:
                needed = f"needed {self.costs[at]}, had {max(0, left)}; {told}"
                out[at] = LeftOut("exceeded_remaining_budget", needed)
                continue
            left -= self.costs[at]
            picked.append(at)
            label = self.examples[at].label
            counts[label] += 1
            kind = f", label {label} for the {counts[label]}. time" if label else ""
            why[at] = LeftOut("chosen", f"choice {len(picked)}: {told}{kind}")
            for other in open_:
                nearest[other] = max(nearest[other], self.likeness.between(other, at))
        return picked, out, why

    def _best(
        self, open_: Sequence[int], nearest: Mapping[int, float], counts: Counter[str | None]
    ) -> int:
        fewest = min(counts[self.examples[at].label] for at in open_)
        may = [at for at in open_ if not self.balances or counts[self.examples[at].label] == fewest]
        return min(may, key=lambda at: (-self._score(at, nearest[at]), at))

    def _score(self, at: int, nearest: float) -> float:
        likeness = self.likeness.to_question(at)
        return round(self.lambda_ * likeness - (1 - self.lambda_) * nearest, 6)

    def _told(self, at: int, nearest: float) -> str:
        return (
            f"score {self._score(at, nearest):.3f} from likeness"
            f" {self.likeness.to_question(at):.3f} to the question and {nearest:.3f} to the others"
        )

    def _is_copy(self, one: int, other: int) -> bool:
        first, second = self.examples[one], self.examples[other]
        return is_twin(first.input, second.input) and is_twin(first.output, second.output)

    def _reading(self, picked: Sequence[int]) -> list[int]:
        if self.order == "given":
            return sorted(picked)
        ranked = sorted(picked, key=lambda at: (-self.likeness.to_question(at), at))
        return ranked[::-1] if self.order == "similar_last" else ranked

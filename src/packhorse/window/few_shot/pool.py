"""Examples counted for a model, as turns of a conversation or as a block of the system text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError, InputError
from packhorse.ledger.plan import check_budget
from packhorse.tokens.framed import recount
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.turns import read_request
from packhorse.window.costs import Costs
from packhorse.window.few_shot.block import CLOSING, OPENING, example_element, examples_block
from packhorse.window.few_shot.choose import LAMBDA, ORDERS, ChosenExamples, ExamplePool
from packhorse.window.few_shot.examples import Example, Examples, read_examples
from packhorse.window.few_shot.similarity import by_vectors, by_words
from packhorse.window.shapes.registry import SHAPES

if TYPE_CHECKING:
    from packhorse.protocols import Embedder
    from packhorse.window.shapes.shape import Shape

__all__ = [
    "FORMS",
    "ExampleSettings",
    "choose_examples",
    "cost_of_turns",
    "example_pool",
    "turns_of",
]

FORMS = ("turns", "block")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleSettings:
    """How examples are chosen and shown."""

    form: str = FORMS[0]
    order: str = ORDERS[0]
    lambda_: float = LAMBDA
    balances: bool = True
    embedder: Embedder | None = None

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ConfigError(
                f"The form of examples is {self.form!r}", hint=f"Known: {', '.join(FORMS)}"
            )
        if self.order not in ORDERS:
            raise ConfigError(
                f"The order of examples is {self.order!r}", hint=f"Known: {', '.join(ORDERS)}"
            )


def choose_examples(
    examples: Examples,
    question: str,
    max_tokens: int,
    *,
    model: str = "gpt-4o",
    form: str = "turns",
    order: str = "similar_last",
    lambda_: float = LAMBDA,
    balance: bool = True,
    max_examples: int | None = None,
    embedder: Embedder | None = None,
) -> ChosenExamples:
    """The examples to show before a question, within a number of tokens, each with its reason.

    What is chosen is like the question and unlike what was chosen before; labels take turns, so
    that none outnumbers the others by more than one while it has examples that fit. The question
    itself and its near-twins are never among them. An example that does not fit is passed over.

    Args:
        examples: a file with one JSON object a line (`input`, `output`, `label`?, `id`?), or such
            objects.
        question: what will be asked.
        max_tokens: for all examples as they are rendered, framing included.
        model: whose tokenizer and framing count.
        form: `turns` of user and assistant, or one `block` for the system text.
        order: `similar_last` (the most like the question next to it), `similar_first` or `given`.
        lambda_: 1.0 likeness to the question alone, to 0.0 unlikeness to each other alone.
        balance: whether labels take turns.
        max_examples: how many at most; None is no limit.
        embedder: whose vectors say what is alike; by default words do.

    Raises:
        InputError: an example that cannot be used, by its place.
        InvalidBudgetError: `max_tokens` is not a whole number of 0 or more.
        ConfigError: another setting cannot be used.

    Example:
        >>> pool = [
        ...     {"input": "2 + 3", "output": "5"},
        ...     {"input": "Capital of Peru", "output": "Lima"},
        ... ]
        >>> choose_examples(pool, "What is the capital of Chile?", 20).kept
        ('example-2',)
    """
    limit = check_budget(max_tokens, "max_tokens")
    if limit is None:
        raise InputError("max_tokens is missing", hint="Give a whole number of tokens")
    spec = model_spec(model)
    settings = ExampleSettings(
        form=form, order=order, lambda_=lambda_, balances=balance, embedder=embedder
    )
    costs = Costs(spec=spec, counter=counter_for(model))
    pool = example_pool(read_examples(examples), question, costs, SHAPES[spec.shape], settings)
    chosen = pool.choose(limit, check_budget(max_examples, "max_examples"))
    return replace(chosen, text=examples_block(chosen.examples) if form == "block" else "")


def example_pool(
    examples: Sequence[Example],
    question: str,
    costs: Costs,
    shape: Shape,
    settings: ExampleSettings,
) -> ExamplePool:
    """Examples that compete for a question, counted as they would be shown."""
    texts = [each.input for each in examples]
    alike = (
        by_words(texts, question)
        if settings.embedder is None
        else by_vectors(texts, question, settings.embedder)
    )
    one_by_one = _block_costs if settings.form == "block" else _turn_costs
    frame, sizes = one_by_one(costs, shape, examples)
    return ExamplePool(
        examples=tuple(examples),
        question=question,
        likeness=alike,
        costs=tuple(sizes),
        frame=frame,
        whole=lambda some: _whole(costs, shape, some, settings.form),
        lambda_=settings.lambda_,
        balances=settings.balances,
        order=settings.order,
        form=settings.form,
    )


def turns_of(shape: Shape, examples: Sequence[Example]) -> list[Any]:
    """Messages of a user who asks and an assistant who answers, example by example."""
    return [
        shape.message(role, text)
        for each in examples
        for role, text in (("user", each.input), ("assistant", each.output))
    ]


def _turn_costs(costs: Costs, shape: Shape, examples: Sequence[Example]) -> tuple[int, list[int]]:
    turns = read_request({shape.field: turns_of(shape, examples)}).turns
    each = [cost.total for cost in costs.message_costs(turns)]
    return 0, [sum(each[at : at + 2]) for at in range(0, len(each), 2)]


def _block_costs(costs: Costs, shape: Shape, examples: Sequence[Example]) -> tuple[int, list[int]]:
    del shape
    frame = sum(costs.counter.count_batch([OPENING, CLOSING]))
    return frame, costs.counter.count_batch([example_element(each) for each in examples])


def _whole(costs: Costs, shape: Shape, examples: Sequence[Example], form: str) -> int:
    """Exact tokens of what examples make together."""
    if form == "block":
        return recount(costs.counter, examples_block(examples))
    return cost_of_turns(costs, shape, examples)


def cost_of_turns(costs: Costs, shape: Shape, examples: Sequence[Example]) -> int:
    """Tokens of examples as turns, framing included."""
    return sum(_turn_costs(costs, shape, examples)[1]) if examples else 0

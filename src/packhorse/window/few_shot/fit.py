"""Puts examples into a request, and charges them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from packhorse.types.section import Amount, amount_in
from packhorse.window.elision import elide
from packhorse.window.few_shot.block import examples_block
from packhorse.window.few_shot.pool import ExampleSettings, example_pool, turns_of
from packhorse.window.few_shot.system_text import is_block, with_block
from packhorse.window.fit import Fitted, required_units, user_opens
from packhorse.window.inserted import Inserted
from packhorse.window.policies.policy import LeftOut

if TYPE_CHECKING:
    from packhorse.window.conversation import Conversation
    from packhorse.window.costs import Costs
    from packhorse.window.few_shot.choose import ChosenExamples, ExamplePool
    from packhorse.window.few_shot.examples import Example

__all__ = ["ExampleOptions", "fit_with_examples", "pool_beside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleOptions:
    """Examples to choose from, and how."""

    examples: tuple[Example, ...]
    max_tokens: Amount
    """For all of them, framing included; a share is of what is left beside what must stay."""
    share: Amount = "100%"
    """What they may take at most of that."""
    pin: tuple[int, ...] = ()
    """Places of messages that stay."""
    elides: bool = True
    """Whether results of the latest call that are too large are elided."""
    settings: ExampleSettings = field(default_factory=ExampleSettings)

    @property
    def most(self) -> tuple[Amount, Amount]:
        """Both limits."""
        return self.max_tokens, self.share


Fit = Callable[["Conversation", tuple[Inserted, ...]], Fitted]
ExampleRoom = Callable[["Conversation", int, int | None], int]
"""The conversation without examples, tokens that examples ask for, and tokens that turns took (None
for all that they ask for) -> tokens that examples get."""


def fit_with_examples(
    conversation: Conversation,
    costs: Costs,
    limit: int,
    options: ExampleOptions,
    fit: Fit,
    *,
    room: ExampleRoom | None = None,
) -> tuple[Fitted, ChosenExamples]:
    """The conversation as `fit` fits it, with examples behind its instructions.

    They are chosen for the user's last word, and take what they may of the room that is left beside
    what must stay. Examples of the pool that already stand there are chosen anew, so that fitting
    again changes nothing. Their line of the ledger is `few_shot`: what the request costs less
    without them.

    Args:
        conversation: what was said.
        costs: counts for the model.
        limit: tokens of the whole request.
        options: the examples, and how they are chosen.
        fit: fits the conversation with some examples.
        room: gives examples their room among the sections, and again when turns left some of
            theirs; None: they get what `options` say.

    Raises:
        BudgetExceededError: what must stay is over the limit.
        InputError: a message that cannot be counted.
    """
    base, pool, end = pool_beside(conversation, costs, options)
    free = max(0, _free(base, costs, limit, options))
    cap = min(amount_in(each, free, "sections.examples.cap") for each in options.most)
    asked = cap if room is None else min(cap, room(base, pool.asked, None))
    while True:
        chosen, shown, inserted = _charged(base, pool, costs, asked, end - 1)
        fitted = fit(shown, inserted)
        again = asked if room is None else min(cap, room(base, pool.asked, _turns(fitted)))
        if again <= asked:
            break
        asked = again
    if options.settings.form == "block":
        chosen = replace(chosen, text=examples_block(chosen.examples))
    lines = _lines(fitted, costs, inserted, chosen)
    fitted = replace(fitted, count=replace(fitted.count, lines=lines))
    return _told(fitted, chosen), chosen


def pool_beside(
    conversation: Conversation, costs: Costs, options: ExampleOptions
) -> tuple[Conversation, ExamplePool, int]:
    """The conversation without examples of the pool, the pool, and where examples end."""
    start, end = _shown_before(conversation, options)
    base = conversation.unsaid(start, end) if end > start else conversation
    if options.settings.form == "block":
        base, _ = with_block(base, "")
    pool = example_pool(
        options.examples, _question(base), costs, conversation.shape, options.settings
    )
    return base, pool, end


def _charged(
    base: Conversation, pool: ExamplePool, costs: Costs, asked: int, place: int
) -> tuple[ChosenExamples, Conversation, tuple[Inserted, ...]]:
    """Examples that make the request larger by at most so many tokens."""
    room, least = asked, _least(base, costs)
    while True:
        chosen = pool.choose(room)
        shown, inserted = _with(base, chosen, place)
        charged = _least(shown, costs, inserted) - least
        if charged <= asked or not chosen.kept:
            return replace(chosen, max_tokens=asked), shown, inserted
        room = max(0, room - (charged - asked))


def _turns(fitted: Fitted) -> int:
    """Tokens of turns that are in without having to be, and of a summary of the others."""
    kept = [at for at in fitted.kept if at not in fitted.required]
    taken = sum(fitted.costs[at] for at in kept)
    summary = fitted.summary
    if summary is None or any(fitted.conversation.text(at) == summary.text for at in kept):
        return taken
    return taken + summary.tokens


def _question(conversation: Conversation) -> str:
    asked = conversation.asked
    return "" if asked is None else conversation.text(asked)


def _shown_before(conversation: Conversation, options: ExampleOptions) -> tuple[int, int]:
    """From which place to before which examples of the pool stand; where they would, for none.

    That is behind the instructions that come first, a question and its answer in turn. The user's
    last word stays his own, even where he asks what an example asks.
    """
    entries = conversation.entries
    if options.settings.form == "block":
        return 0, int(is_block(conversation))
    known = {(each.input, each.output) for each in options.examples}
    start = next((at for at, each in enumerate(entries) if not each.is_instruction), len(entries))
    asked = conversation.last_word
    end = start
    while end + 1 < len(entries) and asked is not None and end < asked:
        first, second = entries[end], entries[end + 1]
        is_pair = (first.role, second.role) == ("user", "assistant") and not second.calls
        if not is_pair or (first.text, second.text) not in known:
            break
        end += 2
    return start, end


def _with(
    conversation: Conversation, chosen: ChosenExamples, place: int
) -> tuple[Conversation, tuple[Inserted, ...]]:
    if chosen.form == "block":
        return with_block(conversation, examples_block(chosen.examples))
    messages = turns_of(conversation.shape, chosen.examples)
    return conversation, tuple(Inserted(place, message) for message in messages)


def _free(conversation: Conversation, costs: Costs, limit: int, options: ExampleOptions) -> int:
    """Tokens beside what must stay, and beside the latest call: no example pushes that out."""
    pinned = conversation.units_at(options.pin)
    least = _least(conversation, costs, pinned=pinned)
    unit_costs = costs.of_units(conversation)
    required = _required(conversation, costs, pinned)
    if options.elides:
        shorter, elision = elide(
            conversation, unit_costs, limit - least, required, costs, pinned=pinned
        )
        if elision.results:
            conversation, unit_costs = shorter, costs.of_units(shorter)
            least = _least(conversation, costs, pinned=pinned)
    free = limit - least
    units = conversation.units
    whole = [at for at, unit in enumerate(units) if not unit.is_broken]
    latest = whole[-1] if whole else None
    if latest is None or latest in required or not units[latest].is_call:
        return free
    return free - unit_costs[latest] if unit_costs[latest] <= free else free


def _required(conversation: Conversation, costs: Costs, pinned: frozenset[int]) -> frozenset[int]:
    opens = user_opens(conversation, costs.spec)
    return required_units(conversation, pinned, opens_with_user=opens)


def _least(
    conversation: Conversation,
    costs: Costs,
    inserted: tuple[Inserted, ...] = (),
    pinned: frozenset[int] = frozenset(),
) -> int:
    """Tokens of what must stay."""
    required = _required(conversation, costs, pinned)
    items = conversation.items_of(sorted(required), inserted)
    return costs.whole(conversation.body_with(items)).total_tokens


def _lines(
    fitted: Fitted, costs: Costs, inserted: Sequence[Inserted], chosen: ChosenExamples
) -> dict[str, int]:
    """The ledger of the request with its examples on their own line."""
    own = {id(each.item) for each in inserted}
    items: list[Any] = [item for item in fitted.items if id(item) not in own]
    shape = fitted.conversation.shape
    plain = replace(
        fitted.conversation, body=fitted.body, items=tuple(items), entries=shape.entries(items)
    )
    if chosen.form == "block" and not inserted:
        plain, _ = with_block(plain, "")
    whole, without = costs.whole(fitted.body), costs.whole(plain.body_with(plain.items))
    lines = {
        name: tokens + without.lines[name] - whole.lines[name]
        for name, tokens in fitted.count.lines.items()
    }
    lines["few_shot"] += whole.total_tokens - without.total_tokens
    return lines


def _told(fitted: Fitted, chosen: ChosenExamples) -> Fitted:
    """With what became of examples that stood there before."""
    conversation = fitted.conversation
    units, entries = conversation.units, conversation.entries
    left_out, kept, why = dict(fitted.left_out), set(fitted.kept), dict(fitted.chosen)
    shown = {text for each in chosen.examples for text in (each.input, each.output)}
    shown |= {examples_block(chosen.examples)}
    for at, unit in enumerate(units):
        if not unit.is_shown:
            continue
        if entries[unit.places[0]].text in shown:
            del left_out[at]
            kept.add(at)
            why[at] = LeftOut("example", "chosen again")
        else:
            left_out[at] = LeftOut("example_not_chosen", "others are nearer to the question")
    return replace(fitted, kept=tuple(sorted(kept)), left_out=left_out, chosen=why)

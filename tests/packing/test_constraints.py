"""Constraints: how a walk keeps them, what the packing says, and where they come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import PackConfig
from packhorse.errors import InputError
from packhorse.packing.constraints import ConstraintRules
from packhorse.packing.density import DensityPacker
from packhorse.packing.ranked import RankedPacker
from packhorse.packing.units import linked_groups
from packhorse.protocols import Packer
from packhorse.testing.packer import ranking_of
from packhorse.types.candidate import CandidatePool
from packhorse.types.chunk import Chunk
from packhorse.types.constraints import NO_CONSTRAINTS, Constraints
from packhorse.types.decision import ExclusionCode, InclusionCode
from packhorse.types.packing import Packing
from packhorse.types.query import Query
from packhorse.types.ranking import Ranking
from tests.packing.instances import (
    Instance,
    allowed_sets,
    best_worth,
    counts,
    drawn_in,
    groups_of,
    instance,
    is_allowed,
    kept_rows,
    topics_covered,
    value_of,
)
from tests.promises import promised
from tests.strategies import AS_OF

FORMS = (("forms", 0.9),)
UNAFFORDABLE = (
    "forms: offered by 1 candidates, and the best, c1, is out:"
    " exceeded_remaining_budget (needed 200, had 40)"
)
CAPPED = "c0 is required; c2, linked with it, is out: source_cap (s has 2 packed chunks, at most 1)"


def packed(case: Instance, packer: Packer | None = None) -> Packing:
    chosen = RankedPacker() if packer is None else packer
    return chosen.pack(case.ranking, counts(case), case.budget, case.constraints)


def made(
    tokens: tuple[int, ...], budget: int, constraints: Constraints, **ranking: object
) -> Instance:
    scores = [0.9 - row / 100 for row in range(len(tokens))]
    return Instance(
        ranking=ranking_of(scores, **ranking),  # type: ignore[arg-type]  # passed on
        tokens=tokens,
        budget=budget,
        constraints=constraints,
    )


def slow_walk(case: Instance) -> frozenset[int]:
    """The rule of the ranked walk under constraints, written out on groups of rows."""
    order = case.ranking.order
    taken, lost = drawn_in(case)
    rows = case.required | taken
    groups = [
        group & set(order)
        for group in groups_of(case)
        if group & set(order) and not group & (taken | lost)
    ]
    groups.sort(key=lambda group: min(order.index(row) for row in group))
    whole = [group for group in groups if group in groups_of(case)]
    for first in (True, False):
        for group in whole:
            brings = topics_covered(case, rows | group) > topics_covered(case, rows)
            is_new = not group & rows
            if is_new and (brings or not first) and is_allowed(case, rows | group, group):
                rows |= group
    return rows


@promised
@given(seed=st.integers(0, 2**32))
def test_the_ranked_walk_is_that_of_the_rule_written_out(seed: int) -> None:
    case = instance(seed)
    assert kept_rows(packed(case)) == slow_walk(case)


@promised
@given(seed=st.integers(0, 2**32))
def test_walks_keep_every_rule_and_their_bound_is_above_the_best_set(seed: int) -> None:
    case = instance(seed, max_rows=10)
    best = best_worth(case)[1]
    for packer in (RankedPacker(), DensityPacker(floor_tokens=8)):
        packing = packed(case, packer)
        assert kept_rows(packing) in allowed_sets(case)
        assert round(packing.quality.value * 1e6) == value_of(case, kept_rows(packing))
        assert round(packing.quality.upper_bound * 1e6) >= best


@promised
@given(seed=st.integers(0, 2**32), linked_alone=st.booleans())
def test_budgets_that_would_fit_are_the_smallest_that_do(seed: int, linked_alone: bool) -> None:
    case = instance(seed, max_rows=9, free=linked_alone)
    budgets = range(case.budget, sum(case.tokens) + 1)
    for packer in (RankedPacker(), DensityPacker(floor_tokens=8)):
        kept: dict[int, frozenset[int]] = {}  # each budget is packed once for all rows
        for row, needed in packed(case, packer).would_fit_at.items():
            for budget in budgets:
                if budget not in kept:
                    again = packer.pack(case.ranking, counts(case), budget, case.constraints)
                    kept[budget] = kept_rows(again)
                if row in kept[budget]:
                    break
            assert budget == needed
            assert row in kept[budget]


@promised
@given(seed=st.integers(0, 2**32))
def test_rules_that_bind_nothing_change_nothing(seed: int) -> None:
    case = instance(seed)
    idle = Constraints(max_per_source=len(case.tokens), linked=((0,),))
    for packer in (RankedPacker(), DensityPacker(floor_tokens=8)):
        free = packer.pack(case.ranking, counts(case), case.budget)
        same = packer.pack(case.ranking, counts(case), case.budget, idle)
        assert (same.kept, same.excluded, same.quality) == (free.kept, free.excluded, free.quality)


def test_a_linked_group_competes_at_the_place_of_its_best_member() -> None:
    case = made((40, 40, 30, 30), 100, Constraints(linked=((0, 3),)))
    packing = packed(case)
    assert kept_rows(packing) == {0, 3, 2}
    reasons = {row: why.reason for row, why in packing.kept}
    assert reasons[3] == "rank 4 of what competed (composite score 0.870000, linked with c0)"


def test_a_linked_group_that_does_not_fit_is_out_whole_and_says_so() -> None:
    packing = packed(made((40, 30, 70), 100, Constraints(linked=((0, 2),))))
    assert kept_rows(packing) == {1}
    assert packing.excluded[0].code is ExclusionCode.LINKED_CHUNK_OUT
    assert packing.excluded[0].reason == (
        "linked_chunk_out (linked with c2, together 110, had 100)"
    )
    assert packing.skipped_for_size == ()


def test_a_group_with_a_member_that_was_taken_out_is_out() -> None:
    packing = packed(
        made(
            (40, 30, 20),
            100,
            Constraints(linked=((0, 2),)),
            excluded={2: packed(made((1,), 0, NO_CONSTRAINTS)).excluded[0]},
        )
    )
    assert packing.excluded[0].reason == (
        "linked_chunk_out (linked with c2, which is out:"
        " exceeded_remaining_budget (needed 1, had 0))"
    )


def test_of_an_exclusive_pair_the_better_one_is_in() -> None:
    packing = packed(made((10, 10, 10), 100, Constraints(exclusive=((2, 0),))))
    assert kept_rows(packing) == {0, 1}
    assert packing.excluded[2].reason == "exclusive_pair (never packed beside c0, which is in)"


def test_the_worse_one_is_in_where_the_better_one_does_not_fit() -> None:
    assert kept_rows(packed(made((200, 10), 100, Constraints(exclusive=((0, 1),))))) == {1}


def test_the_cap_counts_what_is_packed_and_not_what_was_ranked() -> None:
    case = made((200, 10, 10, 10), 100, Constraints(max_per_source=2))
    packing = packed(case)
    assert kept_rows(packing) == {1, 2}
    assert packing.excluded[3].reason == "source_cap (s has 2 packed chunks, at most 2)"
    assert packing.excluded[0].code is ExclusionCode.EXCEEDED_BUDGET


def test_a_topic_takes_its_best_affordable_row_first() -> None:
    case = made(
        (60, 30, 90, 50, 40),
        100,
        Constraints(topics=("forms",)),
        topic_tags=[(), (), FORMS, FORMS, FORMS],
    )
    packing = packed(case)
    assert kept_rows(packing) == {2}
    assert packing.unmet == ()
    assert kept_rows(packed(made(
        (60, 30, 190, 50, 40), 100, case.constraints, topic_tags=[(), (), FORMS, FORMS, FORMS]
    ))) == {3, 1}  # fmt: skip


def test_a_topic_is_known_by_its_words_however_it_is_written() -> None:
    rules = Constraints(topics=("Tax Forms", "tax-forms"))
    tags = [(), (), (("tax_forms", 0.9),)]
    packing = packed(made((60, 30, 90), 100, rules, topic_tags=tags))
    assert kept_rows(packing) == {2}
    assert packing.unmet == ()


def test_a_topic_that_nothing_affordable_offers_is_unmet_with_the_reason() -> None:
    rules = Constraints(topics=("forms", "limits"))
    packing = packed(made((60, 200), 100, rules, topic_tags=[(), FORMS]))
    assert [(each.kind, each.detail) for each in packing.unmet] == [
        (
            "topic",
            UNAFFORDABLE,
        )
    ]


def test_rules_that_required_rows_break_are_unmet() -> None:
    rules = Constraints(max_per_source=1, exclusive=((0, 1),), linked=((0, 2),))
    required = {0: InclusionCode.PINNED, 1: InclusionCode.PINNED}
    packing = packed(made((10, 10, 10), 100, rules, reserved=required))
    assert kept_rows(packing) == {0, 1}
    assert [(each.kind, each.detail) for each in packing.unmet] == [
        ("max_per_source", "2 required chunks of s, at most 1"),
        ("exclusive", "c0 and c1 are both required"),
        (
            "linked",
            CAPPED,
        ),
    ]


def test_a_constraint_on_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="names row 7 of 2 candidates"):
        packed(made((1, 1), 10, Constraints(exclusive=((0, 7),))))


def test_groups_that_share_a_row_are_one() -> None:
    assert linked_groups([(5, 1), (2, 3), (3, 5), (8, 9)]) == [(1, 2, 3, 5), (8, 9)]


def of_chunks(*chunks: Chunk) -> Ranking:
    ranking = ranking_of([0.5] * len(chunks))
    return Ranking(
        pool=CandidatePool(chunks=chunks, relevance=ranking.pool.relevance),
        signals=ranking.signals,
        reserved=(),
        order=ranking.order,
        excluded={},
    )


def chunk(chunk_id: str, **metadata: object) -> Chunk:
    return Chunk(chunk_id=chunk_id, source_id="s", text=chunk_id, metadata=metadata)


def test_metadata_names_linked_and_exclusive_chunks() -> None:
    ranking = of_chunks(
        chunk("table", linked_with=["caption", "elsewhere", 7, "table"]),
        chunk("old", exclusive_with="new"),
        chunk("caption", linked_with="table"),
        chunk("new", exclusive_with={"no": "list"}),
    )
    rules = ConstraintRules(PackConfig(), 0.8)(Query(text="q", as_of=AS_OF), ranking)
    assert rules == Constraints(linked=((0, 2),), exclusive=((1, 3),))


def test_settings_ask_for_a_cap_and_for_topics() -> None:
    query = Query(text="q", as_of=AS_OF, required_topics=("forms",))
    ranking = of_chunks(chunk("a"))
    config = PackConfig(max_per_source=2, require_each_topic=True)
    rules = ConstraintRules(config, 0.6)(query, ranking)
    assert rules == Constraints(max_per_source=2, topics=("forms",), topic_strength=0.6)
    assert ConstraintRules(PackConfig(), 0.6)(query, ranking) is NO_CONSTRAINTS
    assert not NO_CONSTRAINTS

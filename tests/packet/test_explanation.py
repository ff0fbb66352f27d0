"""The decision about one candidate, with the sum behind its score."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from packhorse.config import Weights
from packhorse.packet.packet import Packet
from packhorse.types.decision import Exclusion, ExclusionCode, InclusionCode
from packhorse.types.ranking import Signals
from tests.packet.assemblies import assembly, chunk, with_parts
from tests.strategies import unit_floats


@given(st.lists(unit_floats(), min_size=5, max_size=5), unit_floats())
def test_shares_add_up_to_the_score(values: list[float], weight: float) -> None:
    weights = Weights(relevance=weight, trust=0.333333)
    made = assembly([chunk("a")])
    names = ("relevance", "trust", "freshness", "coverage", "deduplication")
    total = sum(getattr(weights, name) * v for name, v in zip(names, values, strict=True))
    signals = Signals(
        **{name: np.array([v]) for name, v in zip(names, values, strict=True)},
        score=np.array([round(total, 6)]),
    )
    made = replace(made, weights=weights, ranking=replace(made.ranking, signals=signals))
    explanation = Packet.of(made).explain("a")
    assert explanation.score == round(sum(share.share for share in explanation.signals), 6)
    for share in explanation.signals:
        assert math.isclose(share.share, share.weight * share.value, abs_tol=6e-6)


def test_an_excluded_chunk_says_what_budget_would_keep_it() -> None:
    text = str(Packet.of(assembly()).explain("c8"))
    assert text.splitlines()[:14] == [
        "c8: excluded, exceeded_remaining_budget (needed 31, had 3)",
        "  relevance           0.5 x 0.280000 =  0.140000",
        "  trust               0.2 x 0.500000 =  0.100000",
        "  freshness          0.15 x 0.500000 =  0.075000",
        "  coverage            0.1 x 0.000000 =  0.000000",
        "  deduplication     -0.05 x 0.000000 =  0.000000",
        "  score                             =  0.315000",
        "  rank 9 of 10, 31 tokens",
        "    lexical   9  (1.960000)",
        "    dense     not found",
        "    fused     9 of 10  (0.280000)",
        "    reranked  9 of 10  (0.315000)",
        "    mmr       9 of 10  (0.315000)",
        "  would be in at a budget of 184 tokens",
    ]


def test_the_length_of_the_ranked_list_counts_required_chunks_and_no_filtered_ones() -> None:
    packet = Packet.of(assembly(blocked=[3], reserved=[(9, InclusionCode.MANDATORY)], budget=90))
    assert "rank 9 of 9" in str(packet.explain("c9"))
    assert "not ranked" in str(packet.explain("c3"))


def test_a_packed_chunk_says_how_it_is_cited() -> None:
    explanation = Packet.of(assembly()).explain("c1")
    assert (explanation.decision, explanation.reason_code) == ("included", "ranked")
    assert f"cited as [{explanation.position}]" in str(explanation)
    assert explanation.would_fit_at_budget is None


def test_an_unscored_candidate_has_no_sum() -> None:
    packet = Packet.of(assembly([chunk("a"), chunk("b")], scores=[0.5, math.nan]))
    explanation = packet.explain("b")
    assert (explanation.signals, explanation.score, explanation.rank) == ((), None, None)
    assert "  not ranked, 9 tokens" in str(explanation).splitlines()


def test_a_duplicate_names_what_was_kept_instead() -> None:
    made = assembly(blocked=[3])
    gone = Exclusion(code=ExclusionCode.DUPLICATE, reason="duplicate (0.91)", duplicate_of="c1")
    made = replace(made, packing=replace(made.packing, excluded={**made.packing.excluded, 3: gone}))
    explanation = Packet.of(made).explain("c3")
    assert explanation.duplicate_of == "c1"
    assert "duplicate of c1, which was kept" in str(explanation)
    assert "    dense     not found" in str(explanation).splitlines()


def test_what_relevance_is_made_of_is_told_in_words() -> None:
    made = with_parts(
        assembly([chunk("a"), chunk("b")]), named="Ada\x1b[2J", mention=("a", "The Silver Heron")
    )
    named, mentioned = (Packet.of(made).explain(name) for name in ("a", "b"))
    assert named.relevance_parts is not None
    assert round(sum(named.relevance_parts.values()), 6) == 1.0
    told = str(named).splitlines()
    assert (
        "  relevance is words 0.700000, meaning 0.200000, named +0.200000, cut to 0..1 -0.100000"
        in told
    )
    assert "  named by the question, as 'Ada\\x1b[2J'" in told
    told = str(mentioned).splitlines()
    at = next(at for at, line in enumerate(told) if line.startswith("  relevance is words"))
    assert told[at].endswith("meaning 0.150000, mention +0.200000, length +0.100000, alike")
    assert told[at + 1] == "    -0.050000"
    assert Packet.of(made).to_dict()["packed_chunks"][0]["relevance_parts"].keys() & {
        "alike",
        "clipped",
    } == {"clipped"}
    assert "  mentioned by a, as 'The Silver Heron'" in told
    assert "relevance is" not in str(Packet.of(assembly()).explain("c8"))

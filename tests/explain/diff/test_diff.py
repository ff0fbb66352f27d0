"""What `diff` says: every difference found, counted or not, and told to people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from packhorse.api import pack
from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import InputError, MissingExtraError
from packhorse.explain.diff.changed_inputs import changed_inputs
from packhorse.explain.diff.compared import compared_chunks, compared_lines
from packhorse.explain.diff.diff import diffed
from packhorse.explain.diff.difference import SECTIONS
from packhorse.explain.diff.text import shown_change
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.canonical import identify
from packhorse.packet.explanation import WIDTH
from packhorse.packet.packet import Packet
from tests.explain.random_packs import random_packets
from tests.explain.test_selection import big_packet
from tests.explain.test_why import AS_OF, QUERY, made
from tests.properties.hashed_embedder import HashedEmbedder

GOLDEN = Path(__file__).parent / "diff.txt"
HOSTILE = "a\n[PASS] b\x1b[2J"
RENT = "The home office deduction has a limit of five dollars per square foot"


def knowledge_base(*, later: bool) -> MemoryKnowledgeBase:
    """A few notes; later, one says more, one is trusted less, one is new and one is gone."""
    chunks = [
        made("rule", f"{RENT}{' of the office, and no more' if later else ''}.", "law", 0.9, 30),
        made("short", "A home office limit: three hundred square feet.", "guide", 0.8, 70),
        made("undated", "Deduction of office rent at home, without a limit.", "wiki", None, None),
        made(
            "doubtful", "My home office deduction limit trick.", "forum", 0.2 if later else 0.7, 3
        ),
        made("last", "A limit.", "misc", 0.4, 2_000),
        made("third", "Another home office note.", "guide", 0.3, 10),
        made(HOSTILE, "A home office of one's own.", "wiki", 0.6, 20),
        made("news", "The deduction limit of a home office has news.", "press", 0.9, 1)
        if later
        else made("old", "The home office deduction limit of long ago.", "archive", 0.9, 90),
    ]
    policy = KnowledgeBasePolicy(name="notes", min_trust=0.1 if later else None)
    return MemoryKnowledgeBase(chunks, policy=policy, embedder=HashedEmbedder())


def packets() -> tuple[Packet, Packet]:
    """Two packets that differ in something of every kind."""
    profile = {"mmr_lambda": 0.7, "evidence_preamble": "Cite by number.", "candidates": 7}
    after = {
        **profile,
        "mmr_lambda": 0.4,
        "order": "relevance",
        "min_relevance": 0.05,
        "system_prompt": "Answer shortly.",
    }
    return (
        pack(QUERY, knowledge_base(later=False), budget=120, profile=profile, as_of=AS_OF),
        pack(
            QUERY,
            knowledge_base(later=True),
            budget=150,
            profile=after,
            as_of=AS_OF.replace(month=7),
            pin=["last"],
        ),
    )


def test_what_is_said_for_people(rewrite_golden: bool) -> None:
    a, b = packets()
    told = [a.diff(b), a.diff(b, only=["conflicts"]), a.diff(a)]
    text = "\n\n".join(str(each) for each in told) + "\n"
    if rewrite_golden:
        GOLDEN.write_bytes(text.encode("utf-8"))
    assert text == GOLDEN.read_bytes().decode("utf-8")
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "\x1b" not in text
    assert not any(line.startswith("[PASS] b") for line in text.splitlines())


def test_every_kind_of_input_of_the_sample_is_named() -> None:
    a, b = packets()
    assert {each.key for each in a.diff(b).inputs} >= {
        *("as_of", "budget", "mmr_lambda", "order", "min_relevance", "system_prompt", "pinned"),
        *("policy.min_trust", "snapshot", "chunks[rule].text", "chunks[doubtful].trust"),
    }


def test_the_same_packet_is_the_same_at_once() -> None:
    a, _ = packets()
    found = a.diff(Packet.from_json(a.to_json()))
    assert (found.same, found.identical, found.differs, found.chunks) == (True, True, (), ())


def test_both_directions_mirror_each_other() -> None:
    a, b = packets()
    there, back = a.diff(b), b.diff(a)
    assert [each.chunk_id for each in there.entered] == [each.chunk_id for each in back.left]
    assert there.differs == back.differs
    assert {(e.key, repr(e.was)) for e in there.inputs} == {
        (e.key, repr(e.now)) for e in back.inputs
    }


# ------------------------------------------------------------------------- nothing is missed


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all values in a packet that are no containers."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from leaves(each, (*path, place))
    else:
        yield path


def test_no_value_of_a_packet_can_change_without_a_difference() -> None:
    """Every leaf in turn says something else; only the hashes are made of the rest."""
    a, _ = packets()
    original, document = a.to_dict(), a.to_dict()
    missed = []
    for path in list(leaves(original)):
        if path[0] in {"trace_id", "packet_hash", "schema_version"}:
            continue
        holder: Any = document
        for key in path[:-1]:
            holder = holder[key]
        value = holder[path[-1]]
        holder[path[-1]] = something_else(value)
        pair = (original, document)
        # A list of differences ends at an instant that is none: no packet can hold it.
        with suppress(ValueError):
            found = (changed_inputs(*pair), compared_chunks(*pair), compared_lines(*pair))
            if not any(found):
                missed.append(".".join(map(str, path)))
        holder[path[-1]] = value
    assert missed == []


def something_else(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return f"{value or ''}x"
    return not value if isinstance(value, bool) else value + 1


def test_random_pairs_differ_in_something_that_is_named() -> None:
    found = [packet for _, _, packet in islice(random_packets(41), 4)]
    for a, b in pairwise(found):
        told = a.diff(b)
        assert not told.same
        assert told.inputs
        assert "inputs" in told.differs
        assert {*told.differs} <= {*SECTIONS}
        assert max(map(len, str(told).splitlines())) <= WIDTH
        json.dumps(told.to_dict())


# ------------------------------------------------------------------------------ what counts


def test_an_ignored_input_does_not_count_and_is_named() -> None:
    a, _ = packets()
    document = a.to_dict()
    document["made_with"]["packhorse"] = "0.0.0"
    for name in ("trace_id", "packet_hash"):
        document.pop(name)
    identify(document)
    other = replace(a, document=document)
    assert a.diff(other).differs == ("inputs",)
    for name in ("made_with", "made_with.packhorse", "version", "inputs"):
        assert a.diff(other, ignore=[name]).same
    assert not a.diff(other, ignore=["as_of"]).same
    assert "no part in selecting" in str(a.diff(other))
    assert str(a.diff(other)).splitlines()[0] == (
        "[WARN] Different: the same 4 chunks in the same order; inputs"
    )


def test_only_what_is_asked_for_counts() -> None:
    a, b = packets()
    assert a.diff(b, only=["conflicts"]).same
    assert a.diff(b, only=["selection", "conflicts"]).differs == ("selection",)
    assert a.diff(b, only=["selection"], ignore=["selection"]).same


@pytest.mark.parametrize(
    ("names", "message", "hint"),
    [
        ({"only": ["selecton"]}, "No section 'selecton'", "Did you mean selection?"),
        ({"only": ["as_of"]}, "No section 'as_of'", ""),
        ({"ignore": ["mmr_lamda"]}, "'mmr_lamda'", "Did you mean mmr_lambda?"),
        ({"ignore": ["qqqqqqqqqq"]}, "'qqqqqqqqqq'", "Sections are"),
    ],
)
def test_a_name_that_nobody_knows_is_refused(
    names: dict[str, list[str]], message: str, hint: str
) -> None:
    a, b = packets()
    with pytest.raises(InputError, match=message) as caught:
        a.diff(b, **names)  # type: ignore[arg-type]  # lists of names
    assert hint in caught.value.hint


# ------------------------------------------------------------------------- what is not known


def test_a_packet_of_other_code_is_compared_and_not_attributed() -> None:
    a, b = packets()
    document = b.to_dict()
    document["packed_chunks"][0]["score"] += 0.1
    found = diffed(a.document, document)
    assert found.note.startswith("Not attributed: selecting B again gives another packet")
    assert found.entered
    assert all(each.because is None for each in found.chunks)
    assert "alone:" not in str(found)


def test_a_strategy_that_is_not_installed_is_why_nothing_is_attributed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(_: str) -> Any:
        raise MissingExtraError("highspy", "optimal", "Strategy optimal")

    a, b = packets()
    monkeypatch.setattr("packhorse.explain.diff.mixture.packer", missing)
    found = a.diff(b)
    assert found.note.startswith("Not attributed: selecting A again fails: Strategy optimal")
    assert found.entered


def test_many_candidates_need_the_knowledge_base_for_causes() -> None:
    kb, packet = big_packet()
    profile = {"candidates": 290, "mmr_lambda": 0.9}
    other = pack("deduct w1 w2", kb, budget=900, profile=profile, as_of="2026-01-15")
    without = packet.diff(other)
    assert without.note.startswith("Not attributed: The packet does not hold the similarities")
    assert "--kb" in without.note
    found = packet.diff(other, kb)
    assert found.note == ""
    assert found.selection is not None
    assert "mmr_lambda" in str(found.selection)


@pytest.mark.parametrize(
    ("was", "now", "shown"),
    [
        (0.7, 0.5, "0.7 -> 0.5"),
        (None, 3, "none -> 3"),
        (True, False, "yes -> no"),
        ("", "x", '"" -> x'),
        (["a", "b"], ["b", "c"], "+c, -a"),
        (["a", "b"], ["b", "a"], "another order"),
        ({"irs_*": 0.9, "x": 1}, {"irs_*": 0.5, "x": 1}, "irs_* 0.9 -> 0.5"),
        (
            "same " * 12 + "one",
            "same " * 12 + "two",
            "...ame same same one -> ...ame same same two",
        ),
    ],
)
def test_a_change_is_shown_in_few_words(was: Any, now: Any, shown: str) -> None:
    assert shown_change(was, now) == shown

"""What `why` says of a packed chunk that stands beside its near copy."""

import packhorse
from packhorse.config import KnowledgeBasePolicy
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.types.chunk import Chunk

TEXT = (
    "Employees are reimbursed for meals at a flat rate of 24 euros a day. Hotels are booked by the"
    " travel desk and must not be paid in cash."
)


def causes(*texts: str) -> list[str]:
    chunks = [Chunk(chunk_id=f"c{n}", source_id=f"s{n}", text=text) for n, text in enumerate(texts)]
    kb = MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name="kb"))
    packet = packhorse.pack("How are hotels paid?", kb, budget=2000)
    assert len(packet.packed_chunks) == len(texts)
    found = [packet.explain(f"c{n}").cause for n in range(len(texts))]
    return ["" if cause is None else cause.detail for cause in found]


def test_what_either_near_copy_says_is_told() -> None:
    one, other = causes(TEXT, TEXT.replace("must not", "may"))
    assert one.endswith(
        'stand in c1 as well: no duplicate, as it says "must not" where that one says "may"'
    )
    assert other.endswith('says "may" where that one says "must not"')


def test_what_only_one_says_is_told_and_long_runs_are_cut() -> None:
    one, other = causes(TEXT, TEXT.replace("Hotels", "Only hotels"))
    assert one.endswith('that one says more: "only"')
    assert other.endswith('it says more: "only"')
    proviso = "Two heads of hotels may agree in writing to cash up to a sum of ten."
    short, long = causes(TEXT, f"{TEXT} {proviso}")
    assert short == ""
    assert long.endswith('"two heads of hotels may agree in writing to cash up to ..."')


def test_nothing_is_told_of_texts_that_are_not_alike() -> None:
    assert causes(TEXT, "Other hotels ask for a card.") == ["", ""]

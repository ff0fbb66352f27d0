"""Nothing is tokenised twice in a pack, but for the certificate, which counts the whole again."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import packhorse
from packhorse import assemble
from packhorse.packet.packet import Packet
from packhorse.tokens.cached import CachedCounter
from packhorse.tokens.registry import counter_named

LONG = 64
"""Shorter texts are openers, closers and last words of blocks, and names of roles."""

HISTORY = [
    {"role": "system", "content": "You are a careful tax assistant and cite what you say."},
    *(
        {
            "role": ("user", "assistant")[at % 2],
            "content": f"Message {at} is about the home office, and it is long enough to be noticed"
            f" when somebody counts it a second time for no reason.",
        }
        for at in range(40)
    ),
]


class Spy:
    """Counts as gpt-4o does and remembers every text that was tokenised."""

    name, library, exact, margin = "o200k_base", "spy", True, 0.0
    cuts_at_words = True

    def __init__(self) -> None:
        self.tokenised: list[str] = []

    def count(self, text: str) -> int:
        return self.count_batch([text])[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        self.tokenised += texts
        return counter_named(self.name).count_batch(texts)


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    """What counts in this test's packs."""
    found = Spy()
    counter = CachedCounter(found)
    monkeypatch.setattr(assemble, "cached_counter", lambda _spec: counter)
    return found


def long_texts(spy: Spy, packet: Packet) -> list[str]:
    """What was tokenised, less short pieces, and less the one certificate."""
    assert spy.tokenised.count(packet.text) == 1
    return [text for text in spy.tokenised if len(text) >= LONG and text != packet.text]


def assert_once(spy: Spy, packet: Packet) -> None:
    twice = [text for text, times in Counter(spy.tokenised).items() if times > 1]
    assert twice == []
    asked = long_texts(spy, packet)
    inside = [(a, b) for a in asked for b in asked if a is not b and a in b]
    assert inside == []
    # Inside out too: what is asked for in pieces would not be found as a whole.
    bodies = [text[LONG:-LONG] for text in asked if len(text) > 3 * LONG]
    again = [body for body in bodies if sum(body in text for text in asked) > 1]
    assert again == []


CASES: dict[str, dict[str, Any]] = {
    "tax": {"query": "Can I deduct home office expenses?", "kb": "tax_kb", "budget": 2800},
    "tax, everything fits": {"query": "Which expenses are deductible?", "kb": "tax_kb"},
    "medical": {"query": "What is the dose for adults?", "kb": "medical_kb", "budget": 3000},
    "history": {
        "query": "And what about the home office?",
        "kb": "tax_kb",
        "budget": 2000,
        "history": HISTORY,
    },
}
FORMATS = ("xml", "markdown", "plain")


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_no_text_is_tokenised_twice_in_a_pack(root: Path, spy: Spy, case: str, style: str) -> None:
    asked = {**CASES[case], "kb": root / "fixtures" / CASES[case]["kb"]}
    packet = packhorse.pack(**asked, format=style)
    assert packet.packed_chunks
    assert_once(spy, packet)


def test_a_second_question_tokenises_only_what_is_new(root: Path, spy: Spy) -> None:
    kb = root / "fixtures" / "tax_kb"
    first = packhorse.pack("Can I deduct home office expenses?", kb, budget=2800)
    seen = set(spy.tokenised) - {first.text}
    spy.tokenised.clear()
    second = packhorse.pack("Can I deduct expenses of a home office?", kb, budget=2800)
    assert not seen.intersection(spy.tokenised)
    known = [chunk.text for chunk in first.packed_chunks]
    assert not [text for text in long_texts(spy, second) for each in known if each in text]

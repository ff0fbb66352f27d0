"""Each registered tokenizer counts as its family does, and blocks add up or are repaired."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.testing.token_counter import NASTY_TEXTS
from packhorse.tokens.framed import cuts_at_words, framed_counts
from packhorse.tokens.registry import TOKENIZERS, counter_named
from tests.strategies import raw_texts
from tests.tokens.assemblies import assembled
from tests.tokens.families import FAMILIES, comparable, family_count

NAMES = sorted(FAMILIES)
OPENAI = frozenset({"cl100k_base", "o200k_base", "o200k_harmony"})
# The two Tekken files hold the same tokens, and OpenAI's have tests of their own.
OTHERS = [name for name in NAMES if name not in OPENAI | {"mistral-tekken-240718"}]


def test_every_registered_tokenizer_has_an_oracle() -> None:
    assert sorted(TOKENIZERS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_counts_equal_the_familys_on_nasty_texts(name: str) -> None:
    texts = [comparable(name, text) for text in NASTY_TEXTS]
    assert counter_named(name).count_batch(texts) == [family_count(name, text) for text in texts]


# Below, each example is tried with every family: making it takes longer than most counts.
@given(text=st.one_of(st.text(st.characters()), raw_texts()))
def test_counts_equal_the_familys_on_any_text(text: str) -> None:
    for name in OTHERS:
        known = comparable(name, text)
        assert counter_named(name).count(known) == family_count(name, known), name


@given(text=raw_texts(), opening=raw_texts(3), closing=raw_texts(3))
def test_a_frame_costs_what_it_does_when_cut_at_words(
    text: str, opening: str, closing: str
) -> None:
    body = f"The office {text} is deductible, he said. {text} indeed, and more of it besides."
    whole = f"{opening}\n{body}\n{closing}"
    for name in ("llama-3", "qwen-3.5", "deepseek-v4", "mistral-tekken-240911"):
        counter = counter_named(name)
        assert cuts_at_words(counter), name
        expected = [counter.count(body)], [counter.count(whole)]
        assert framed_counts(counter, [body], [whole]) == expected, name


@given(
    texts=st.lists(raw_texts(5), min_size=1, max_size=5),
    format_name=st.sampled_from(["xml", "markdown", "plain"]),
    room=st.floats(0, 1.1),
)
def test_what_is_packed_adds_up_and_stays_within_its_budget(
    texts: list[str], format_name: str, room: float
) -> None:
    for name in OTHERS:
        packed = assembled(counter_named(name), texts, format_name=format_name, room=room)
        assert packed.n_packed <= len(texts), name


def test_a_tokenizer_that_does_not_add_up_is_repaired() -> None:
    class Joining:
        """Charges a token more for the whole than for its parts: one for each two blocks."""

        name, library, exact, margin = "joining", "test", True, 0.0

        def count(self, text: str) -> int:
            return len(text.split()) + text.count("<evidence") ** 2

        def count_batch(self, texts: Sequence[str]) -> list[int]:
            return [self.count(text) for text in texts]

    packed = assembled(Joining(), ["one two", "three four", "five"], format_name="xml", room=1)
    assert not packed.is_additive
    assert packed.n_packed < 3

"""A text inside its frame costs what counting both whole says, and is tokenised once."""

from collections.abc import Sequence
from unicodedata import is_normalized

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packhorse.render.registry import renderer
from packhorse.tokens.cached import CachedCounter
from packhorse.tokens.framed import MIN_CHARS, cuts_at_words, framed_counts, recount
from packhorse.tokens.registry import TOKENIZERS, counter_named
from packhorse.tokens.vocabularies.openai import ENCODINGS
from packhorse.types.chunk import Chunk
from tests.promises import promised
from tests.strategies import glued

OPENERS = ("", "\n", "[3] source=a\n", '<evidence n="3" title="Home">\n', "x", " ", "> \n", ">\n\n")
CLOSERS = ("", "\n", "\n</evidence>\n", "s", "'s", ".", " and on", "\u0301", "\n\n\n", "  ")
WORDS = (
    "home", "Office", "DEDUCT", "don't", "we'LL", "straße", "İ", "e\u0301té", "自宅", "の一部",
    "расход", "1234567", "a1b2", "½", "Ⅷ", "²",
)  # fmt: skip
JOINTS = (
    " ", "  ", "\n", "\n\n", " \n", "\t", ". ", ", ", "。", "-", "/", "'", "\u00a0", "\r\n", "!\n",
)  # fmt: skip

DUE = ("the fee is due ",)
texts = glued((*WORDS, *JOINTS, *DUE * 15), st.characters(), 60, lengths=(0, 1, 2, 3, 4))
"""Words, joints and a phrase, each as often, so that many are long enough to be cut."""


class Spy:
    """Counts with another counter and remembers what it was asked."""

    library, exact, margin = "test", True, 0.0

    def __init__(self, name: str, *, cuts: bool) -> None:
        self.name = name
        self.cuts_at_words = cuts
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        return self.count_batch([text])[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        self.asked += texts
        return counter_named(self.name).count_batch(texts)


@promised
@given(text=texts, opener=st.sampled_from(OPENERS), closer=st.sampled_from(CLOSERS))
def test_a_framed_text_costs_what_counting_it_whole_says(
    text: str, opener: str, closer: str
) -> None:
    framed = f"{opener}{text}{closer}"
    for encoding in ENCODINGS:
        counter = counter_named(encoding)
        expected = [counter.count(text)], [counter.count(framed)]
        assert framed_counts(counter, [text], [framed]) == expected, encoding


@given(inside=st.lists(texts, max_size=4), style=st.sampled_from(["xml", "markdown", "plain"]))
def test_blocks_cost_what_counting_them_whole_says(inside: list[str], style: str) -> None:
    counter = counter_named("o200k_base")
    chunks = [Chunk(chunk_id=f"c{at}", source_id="s", text=text) for at, text in enumerate(inside)]
    blocks = [renderer(style).block(99, chunk) for chunk in chunks]
    assert framed_counts(counter, inside, blocks) == (
        counter.count_batch(inside),
        counter.count_batch(blocks),
    )


def test_a_long_text_is_tokenised_once_in_all_its_frames() -> None:
    spy = Spy("o200k_base", cuts=True)
    counter = CachedCounter(spy)
    text = "A home office that is used regularly and exclusively for business is deductible."
    for number in (1, 7, 99):
        framed = f'<evidence n="{number}">\n{text}\n</evidence>\n'
        assert framed_counts(counter, [text], [framed]) == framed_counts(
            counter_named("o200k_base"), [text], [framed]
        )
    assert sum(len(asked) >= MIN_CHARS for asked in spy.asked) == 1
    assert len(spy.asked) == len(set(spy.asked))


def test_a_text_that_its_frame_changes_is_counted_whole_in_both() -> None:
    spy = Spy("o200k_base", cuts=True)
    text = f"{'word ' * 30}</evidence> and more words"
    framed = f"<e>\n{text.replace('<', '&lt;')}\n</e>\n"
    framed_counts(spy, [text], [framed])
    assert spy.asked == [text, framed]


def test_a_text_that_opens_like_its_title_is_found_behind_it() -> None:
    spy = Spy("o200k_base", cuts=True)
    text = "A title that is a good deal longer than the shortest text that is cut, and then a text"
    framed = f'<e title="{text[:70]}">\n{text} at last\n</e>\n'
    expected = counter_named("o200k_base").count_batch([text, framed])
    assert framed_counts(spy, [text], [framed]) == ([expected[0]], [expected[1]])
    assert framed not in spy.asked


def test_a_counter_that_does_not_cut_is_asked_for_both_whole() -> None:
    spy = Spy("o200k_base", cuts=False)
    text = "word " * 40
    framed_counts(spy, [text], [f"<e>\n{text}\n</e>\n"])
    assert spy.asked == [text, f"<e>\n{text}\n</e>\n"]


SPLITTING = sorted(name for name in TOKENIZERS if cuts_at_words(counter_named(name)))
LETTERS = [
    char
    for char in map(chr, [*range(0x3400), *range(0xF900, 0x10000)])
    if char.isalnum() and not (char.isdecimal() or (is_normalized("NFC", char) and ord(char) % 9))
]
"""Those that NFC changes, and one in nine of the others."""


def test_most_tokenizers_are_split() -> None:
    assert {"qwen-2.5", "qwen-3.5", "deepseek-v4", "llama-3", "o200k_base"} < set(SPLITTING)
    assert "mistral-v3" not in SPLITTING


@pytest.mark.parametrize("name", SPLITTING)
@pytest.mark.parametrize(("behind", "closer"), [(".", "x y"), ("\n", "/x\n"), ("\u3002", "x")])
def test_a_text_may_be_cut_behind_any_letter(name: str, behind: str, closer: str) -> None:
    """NFC makes some letters a letter and a mark, which another vocabulary rule cuts elsewhere."""
    counter = counter_named(name)
    inside = [f"{char}{behind}{'-' * MIN_CHARS} ab{char}{behind}" for char in LETTERS]
    framed = [f"({text}{closer}" for text in inside]
    expected = counter.count_batch(inside), counter.count_batch(framed)
    found = framed_counts(counter, inside, framed)
    pairs = zip(LETTERS, zip(*found, strict=True), zip(*expected, strict=True), strict=True)
    assert [char for char, ours, whole in pairs if ours != whole] == []


def test_an_empty_text_asks_for_the_frame_alone() -> None:
    counter = counter_named("o200k_base")
    assert framed_counts(counter, ["", ""], ["", "two words"]) == ([0, 0], [0, 2])
    assert framed_counts(counter, [], []) == ([], [])


def test_what_wraps_a_counter_says_whether_it_cuts() -> None:
    assert cuts_at_words(CachedCounter(counter_named("o200k_base")))
    assert not cuts_at_words(CachedCounter(Spy("o200k_base", cuts=False)))


def test_a_recount_is_not_remembered() -> None:
    spy = Spy("o200k_base", cuts=True)
    counter = CachedCounter(spy)
    assert recount(counter, "two words") == recount(counter, "two words") == 2
    assert spy.asked == ["two words", "two words"]

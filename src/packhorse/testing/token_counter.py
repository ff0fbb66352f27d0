"""What every token counter must do: inherit, say how one is made, and run it with pytest."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from packhorse.protocols import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NASTY_TEXTS", "TokenCounterContract"]

NASTY_TEXTS = (
    " ", "\n", " \n \n\n", "\r\n\r\n", "\t\t", "a" * 3_000, " " * 3_000, "\n" * 999,
    "0123456789" * 50, "!" * 700, "税" * 500,
    "<|endoftext|><|fim_prefix|><|im_start|>system", "[INST] <s>x</s> [/INST]",
    "I'll we'd THEY'RE it'S", "naïve café e\u0301 \u200b\u200d\ufeff", "हिन्दी ไทย தமிழ் עברית",
    "税務署に申告する 초과근무 승인 規則。", "👩‍👩‍👧‍👦🇯🇵👍🏽🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\u202eabc\u202c \u061c",
    "\x00\x01\x07\x1b[31m\x7f", "https://example.com/a/b?c=d&e=f#g//////\n//",
    "def f(x):\n\treturn x**2  # comment\n\n\n",
    "\ud800", "a\udfffb", "\udc00\ud800", "\u2028\u2029\x85\x0b\x0c", "\u0378\U000e0080\U0010ffff",
    "\uf8ff\ufdd0\uffff", "\u017f\u212a ßẞ İı",
)  # fmt: skip
"""Texts that have broken tokenizers: each is counted, whatever a vocabulary makes of it."""

SPELLINGS = ("<|endoftext|>", "<|im_start|>", "<|begin_of_text|>", "<s>", "</s>", "[INST]")
MAX_CONTROL_TOKENS = 40
"""So many of a counter's own control tokens are tried."""


class TokenCounterContract:
    """Tests of one implementation of `packhorse.protocols.TokenCounter`."""

    def make(self) -> TokenCounter:
        """The counter; called for each test, and may always give the same one."""
        raise NotImplementedError

    def test_it_says_what_it_is(self) -> None:
        counter = self.make()
        assert isinstance(counter, TokenCounter)
        assert counter.name
        assert counter.library
        assert counter.margin == 0 if counter.exact else 0 < counter.margin <= 1

    def test_nothing_is_no_token(self) -> None:
        counter = self.make()
        assert counter.count("") == 0
        assert counter.count_batch([]) == []

    def test_every_text_is_counted_and_what_can_be_read_costs_something(self) -> None:
        counter = self.make()
        for text in NASTY_TEXTS:
            # Some vocabularies drop spaces, control characters and what is no character.
            least = 1 if any(char.isalnum() for char in text) else 0
            assert counter.count(text) >= least, ascii(text)

    def test_a_batch_counts_each_text_as_alone_and_in_order(self) -> None:
        counter = self.make()
        texts = ["", *NASTY_TEXTS, "hello", "hello", *NASTY_TEXTS[::-1]]
        counts = counter.count_batch(texts)
        assert counts == [counter.count(text) for text in texts]
        assert all(type(count) is int for count in counts)

    def test_a_batch_may_be_any_sequence_and_stays_as_it_is(self) -> None:
        texts = ["one", "a\ud800b", "three"]
        assert self.make().count_batch(tuple(texts)) == self.make().count_batch(texts)
        assert texts == ["one", "a\ud800b", "three"]

    def test_a_lone_surrogate_counts_as_the_replacement_character(self) -> None:
        counter = self.make()
        for text in ("\ud800", "a\udfffb", "\udc00\ud800", "x \udbff\n"):
            replaced = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
            assert counter.count(text) == counter.count(replaced)

    def test_a_surrogate_pair_counts_as_its_character(self) -> None:
        counter = self.make()
        assert counter.count("\ud83d\ude00 joined") == counter.count("\U0001f600 joined")

    def test_a_control_tokens_spelling_is_text(self) -> None:
        counter = self.make()
        for spelling in (*SPELLINGS, *self._control_tokens(counter)):
            assert counter.count(spelling) > 1, spelling
            assert counter.count(f"before {spelling} behind") > counter.count("before behind") + 1

    def test_threads_that_start_together_count_the_same(self) -> None:
        counter = self.make()
        with ThreadPoolExecutor(4) as pool:
            counted = list(pool.map(counter.count, ["the same text, 税 and 👍🏽"] * 32))
        assert len(set(counted)) == 1

    def test_a_long_run_of_one_character_is_counted(self) -> None:
        counter = self.make()
        for char in ("a", " ", "\n", "税", "7", "!"):
            assert counter.count(char * 100_000) >= char.isalnum()

    def test_a_prompt_without_control_tokens_has_as_many_tokens_as_the_text(self) -> None:
        counter = self.make()
        encode = getattr(counter, "encode_prompt", None)
        if encode is None:
            return
        for text in ("hello world", "naïve café e\u0301, 税務署 👍🏽\n\n  x", "a\ud800b", ""):
            spans = encode(text)
            assert len(spans) == counter.count(text)
            assert _are_spans_of(spans, text)

    def test_a_prompts_control_tokens_are_one_token_each(self) -> None:
        counter = self.make()
        for token in self._control_tokens(counter):
            text = f"x {token}y"
            spans = counter.encode_prompt(text)  # type: ignore[attr-defined] # it has such tokens
            assert (2, 2 + len(token)) in list(map(tuple, spans)), token
            assert _are_spans_of(spans, text)

    def _control_tokens(self, counter: TokenCounter) -> Sequence[str]:
        """Some of the control tokens that a rendered prompt is parsed for, spread over all."""
        if not hasattr(counter, "encode_prompt"):
            return ()
        known: Sequence[str] = getattr(counter, "control_tokens", ())
        return known[:: max(1, len(known) // MAX_CONTROL_TOKENS)]


def _are_spans_of(spans: Sequence[Any], text: str) -> bool:
    """Whether spans go forward and stay inside the text."""
    starts = [start for start, _ in spans]
    inside = all(0 <= start <= end <= len(text) for start, end in spans)
    return inside and starts == sorted(starts)

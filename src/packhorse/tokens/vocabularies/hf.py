"""Any Hugging Face `tokenizer.json`, counted with the library that defines the format.

**Text is data.** `tokenizers` takes the spelling of an added token out of a text before anything
else, and has a switch that spares the ones marked `special`. Many files leave control tokens
unmarked (`<think>`, and DeepSeek's turns of user and assistant), so the switch is not enough. Here
the control tokens are taken out of the file before it is loaded for counting; a second tokenizer of
the whole file, loaded on first use, reads rendered prompts.

**Which added tokens are control tokens.** Those marked special, and those spelled like markup: with
a bracket or bar and a letter or digit, unless the spelling is an HTML tag. The others are parts of
ordinary text (runs of spaces, words, Gemma's HTML tags), and the model never sees such text in any
other way, so they stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.text.wellformed import well_formed
from packhorse.tokens.threads import SLOW

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["HFCounter", "TokenizersCounter", "is_control"]

MARKUP = re.compile(r"[<>\[\]|\uff5c]")
"""Brackets and bars, the wide bar of DeepSeek's tokens among them."""

HTML_TAG = re.compile(
    r"</?(?:a|abbr|address|article|aside|audio|b|blockquote|body|br|button|caption|cite|code|col|"
    r"colgroup|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|footer|form|h[1-6]|head|header|hr|"
    r"html|i|iframe|img|input|ins|kbd|label|li|link|main|mark|meta|nav|ol|option|p|pre|q|s|samp|"
    r"script|section|select|small|span|strong|style|sub|summary|sup|table|tbody|td|template|"
    r"textarea|tfoot|th|thead|time|title|tr|u|ul|var|video) ?/?>"
)

RENAMED = "\ufdd0control {}\ufdd1"
"""What a control token is called in a vocabulary that text must not reach: characters that Unicode
keeps for a program's own use."""

MUCH_CHARS = 2 * SLOW

PROBES = ("", "a", "\u0378", "\U0010ffff", "\x00", "税 務", "\ufffd")
"""Texts that a vocabulary must be able to count before it is taken."""


class TokenizersCounter:
    """Counts with a loaded `tokenizers.Tokenizer`."""

    library = "tokenizers"
    exact = True
    margin = 0.0

    def __init__(self, name: str, tokenizer: Tokenizer) -> None:
        """Wraps a tokenizer that knows no control token.

        Args:
            name: of the vocabulary.
            tokenizer: counts one text as one text, whatever is in it.
        """
        self.name = name
        self._tokenizer = tokenizer

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return self.count_batch((text,))[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order.

        Much text is left to the library, which takes every core, or as many as its own environment
        variables say, and lets other threads run meanwhile. Little text starts no thread: a thread
        that was ever started can hold up a process that forks afterwards.
        """
        formed = [well_formed(text) for text in texts]
        with translated(self.name):
            return [len(encoding) for encoding in self._encoded(formed)]

    def _encoded(self, texts: Sequence[str]) -> list[Any]:
        if sum(map(len, texts)) >= MUCH_CHARS:
            # The fast variant leaves out offsets.
            return self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        encode = self._tokenizer.encode
        return [encode(text, add_special_tokens=False) for text in texts]


class HFCounter(TokenizersCounter):
    """Counts as a `tokenizer.json` says; a control token's spelling counts as characters.

    Padding, truncation and the tokens that a post-processor adds are left out. Loading takes from
    0.1 s (30,000 tokens) to 1.5 s (250,000 tokens with merges).
    """

    def __init__(
        self,
        name: str,
        data: bytes,
        *,
        where: str,
        cuts_at_words: bool = False,
    ) -> None:
        """Loads the file.

        Args:
            name: of the vocabulary.
            data: the JSON.
            where: what it is called in an error.
            cuts_at_words: whether its tokens are known never to span the edge of a word, see
                `packhorse.tokens.framed`.

        Raises:
            InputError: it is no whole tokenizer, or one that cannot count every text.
        """
        self.cuts_at_words = cuts_at_words
        description = _parsed(data, where)
        description.update(padding=None, truncation=None, post_processor=None)
        self._whole = json.dumps(description)
        self.control_tokens = tuple(
            sorted(
                (token["content"] for token in description["added_tokens"] if is_control(token)),
                key=lambda content: (-len(content), content),
            )
        )
        """Spellings that a rendered prompt's control tokens have, longest first."""
        tokenizer = _loaded(json.dumps(_without_control_tokens(description)), where)
        super().__init__(name, tokenizer)
        for probe in PROBES:
            with translated(where, "cannot count every text"):
                tokenizer.encode(probe, add_special_tokens=False)

    @cached_property
    def _prompt_tokenizer(self) -> Tokenizer:
        return _loaded(self._whole, self.name)

    def encode_prompt(self, text: str) -> list[tuple[int, int]]:
        """Characters (start, end) of each token, added tokens parsed and no other added.

        A token that holds a part of a character spans the whole of it.
        """
        with translated(self.name):
            encoding = self._prompt_tokenizer.encode(well_formed(text), add_special_tokens=False)
        spans: list[tuple[int, int]] = encoding.offsets
        return spans


def is_control(token: Mapping[str, Any]) -> bool:
    """Whether an added token steers the model, rather than standing for ordinary text."""
    content = token["content"]
    if token.get("special") or not content:
        return True
    has_name = any(char.isalnum() for char in content)
    return has_name and bool(MARKUP.search(content)) and not HTML_TAG.fullmatch(content)


@contextmanager
def translated(where: str, problem: str = "cannot be used") -> Iterator[None]:
    """Turns what `tokenizers` raises into an InputError, a panic of its Rust code included."""
    try:
        yield
    except InputError:
        raise
    # The library raises bare `Exception`; a panic derives from BaseException and has no public
    # name. An interrupt from the keyboard passes.
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        reason = " ".join(str(error).split())
        raise InputError(
            f"{where} {problem}: {reason}", hint="Check that the file is whole and of this model"
        ) from error


def _parsed(data: bytes, where: str) -> dict[str, Any]:
    """The JSON of a tokenizer, its form checked as far as this module reads it."""
    try:
        description = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{where} is not JSON: {error}", hint="Copy the file again from where it comes from"
        ) from error
    if not isinstance(description, dict) or not isinstance(description.get("model"), dict):
        raise InputError(
            f"{where} is JSON, and not a tokenizer: it has no `model`",
            hint="Give the tokenizer.json of the model",
        )
    added = description.setdefault("added_tokens", [])
    if not isinstance(added, list) or not all(
        isinstance(token, dict) and isinstance(token.get("content"), str) for token in added
    ):
        raise InputError(
            f"{where} has `added_tokens` without `content`", hint="Give a whole tokenizer.json"
        )
    return description


def _loaded(description: str, where: str) -> Tokenizer:
    from tokenizers import Tokenizer

    with translated(where, "is not a tokenizer that can be loaded"):
        return Tokenizer.from_str(description)


def _without_control_tokens(description: Mapping[str, Any]) -> dict[str, Any]:
    """The same tokenizer for text alone."""
    added = description["added_tokens"]
    control = frozenset(token["content"] for token in added if is_control(token))
    model = dict(description["model"])
    hide = HIDE.get(model.get("type", ""), _hide_in_mapping)
    hide(model, control - {model.get("unk_token")})
    kept = [token for token in added if token["content"] not in control]
    return {**description, "added_tokens": kept, "model": model}


def _hide_in_mapping(model: dict[str, Any], control: frozenset[str]) -> None:
    """Renames control tokens in a vocabulary of the form token -> id, ids as they are."""
    vocabulary = model.get("vocab")
    if not isinstance(vocabulary, dict):
        return
    merges = model.get("merges")
    merged = _merge_parts(merges if isinstance(merges, list) else ())
    model["vocab"] = {
        RENAMED.format(index) if token in control and token not in merged else token: index
        for token, index in vocabulary.items()
    }


def _hide_in_pieces(model: dict[str, Any], control: frozenset[str]) -> None:
    """Renames control tokens in a Unigram vocabulary, a list of [piece, score]."""
    pieces = model.get("vocab")
    unknown = model.get("unk_id")
    if not isinstance(pieces, list):
        return
    model["vocab"] = [
        [RENAMED.format(index), *entry[1:]]
        if isinstance(entry, list) and entry and entry[0] in control and index != unknown
        else entry
        for index, entry in enumerate(pieces)
    ]


HIDE: Mapping[str, Callable[[dict[str, Any], frozenset[str]], None]] = {
    "Unigram": _hide_in_pieces,
}
"""How control tokens are put out of reach, by type of model; the others hold a mapping."""


def _merge_parts(merges: Sequence[Any]) -> frozenset[str]:
    """Every token that a merge needs or makes: renaming one would break the merge."""
    pairs = (merge.split(" ") if isinstance(merge, str) else merge for merge in merges)
    parts: set[str] = set()
    for pair in pairs:
        if isinstance(pair, list) and len(pair) == 2:  # noqa: PLR2004 - a pair
            parts.update((pair[0], pair[1], f"{pair[0]}{pair[1]}"))
    return frozenset(parts)

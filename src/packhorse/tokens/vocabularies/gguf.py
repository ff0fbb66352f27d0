"""Counts with the vocabulary that a GGUF file carries, as llama.cpp tokenises with it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packhorse.errors import InputError
from packhorse.text.wellformed import well_formed
from packhorse.tokens.vocabularies.gguf_metadata import GgufMetadata, read_gguf_metadata
from packhorse.tokens.vocabularies.gguf_specials import Specials, specials_of
from packhorse.tokens.vocabularies.gguf_splits import SPLITS, Split
from packhorse.tokens.vocabularies.hf import TokenizersCounter, translated

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

__all__ = ["GgufCounter", "counter_from_gguf"]

C_SPACES = " \t\n\v\f\r"

SPACE = "\u2581"
"""What stands for a space in a SentencePiece vocabulary."""

BYTE_LEVEL_ID = 11
"""The engine's token of the beginning and the end where a byte-level file names none."""

Span = tuple[int, int]


class Piece(NamedTuple):
    """A part of a text: a special token, or what lies between two."""

    text: str
    is_token: bool
    start: int
    """Place of its first character in the whole."""
    prefix: str
    """A space that the engine reads before it."""


def counter_from_gguf(path: Path) -> GgufCounter:
    """The counter of a GGUF file's own vocabulary.

    `tokenizer.ggml.model` may be `gpt2` (byte-level pairs) or `llama` (SentencePiece); the others
    are refused by name, as is a pre-tokenizer that is not known.

    Raises:
        InputError: the file cannot be read, or its vocabulary is of a kind that is not known.
    """
    metadata = read_gguf_metadata(path)
    kind = metadata.text("tokenizer.ggml.model")
    build = KINDS.get(kind or "")
    if build is None:
        raise InputError(
            f"{path} has a vocabulary of the kind {kind!r}"
            if kind
            else f"{path} carries no vocabulary",
            hint=f"Known kinds: {', '.join(sorted(KINDS))}",
        )
    with translated(str(path)):
        return build(metadata)


class GgufCounter(TokenizersCounter):
    """Counts as llama.cpp's `/tokenize` does: special spellings first, then words, then merges."""

    def __init__(
        self,
        metadata: GgufMetadata,
        tokenizer: Tokenizer,
        *,
        adds_bos: bool,
        default_ids: tuple[int, int],
        prefixes_space: bool = False,
    ) -> None:
        """Prepares a counter.

        Args:
            metadata: of the file.
            tokenizer: cuts and merges a text without special tokens.
            adds_bos: whether the engine puts the token of the beginning first, unless the file
                says otherwise.
            default_ids: the engine's tokens of the beginning and the end, where the file names
                none.
            prefixes_space: whether a text is read as if a space came before it.
        """
        super().__init__(f"gguf:{metadata.tokenizer_sha256[:16]}", tokenizer)
        self.path = metadata.path
        self.sha256 = metadata.tokenizer_sha256
        self.adds_bos = metadata.flag("tokenizer.ggml.add_bos_token", default=adds_bos)
        self.adds_eos = metadata.flag("tokenizer.ggml.add_eos_token", default=False)
        self._metadata = metadata
        self._default_ids = default_ids
        self._prefixes_space = prefixes_space
        self._n_tokens = len(_tokens(metadata))
        self._is_complete = tokenizer.get_vocab_size(with_added_tokens=False) == self._n_tokens

    @property
    def bos_token(self) -> str:
        """Spelling of the token of the beginning; empty where the vocabulary has none."""
        return self._token("tokenizer.ggml.bos_token_id", self._default_ids[0])

    @property
    def eos_token(self) -> str:
        """Spelling of the token of the end; empty where the vocabulary has none."""
        return self._token("tokenizer.ggml.eos_token_id", self._default_ids[1])

    @property
    def control_tokens(self) -> tuple[str, ...]:
        """Spellings that are text, and in a rendered prompt tokens; longest first."""
        return self._specials.control

    @cached_property
    def _specials(self) -> Specials:
        return specials_of(self._metadata, _tokens(self._metadata))

    @cached_property
    def _parsed(self) -> tuple[str, ...]:
        """Everything that is looked for in a prompt, longest first."""
        return tuple(heapq.merge(self._specials.control, self._specials.always, key=_shortness))

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order; a control token's spelling counts as characters."""
        split = [self._pieces(well_formed(text), self._specials.always) for text in texts]
        words = [each.prefix + each.text for parts in split for each in parts if not each.is_token]
        with translated(self.name):
            lengths = iter([self._length(encoding) for encoding in self._encoded(words)])
        return [sum(1 if each.is_token else next(lengths) for each in parts) for parts in split]

    def _length(self, encoding: Encoding) -> int:
        if self._is_complete:
            return len(encoding)
        return sum(token < self._n_tokens for token in encoding.ids)

    def encode_prompt(self, text: str) -> list[Span]:
        """Characters (start, end) of each token of a rendered prompt; control tokens are parsed.

        No token of the beginning or end is added.
        """
        spans: list[Span] = []
        for piece in self._pieces(well_formed(text), self._parsed):
            if piece.is_token:
                spans.append((piece.start, piece.start + len(piece.text)))
                continue
            encoding = self._tokenizer.encode(piece.prefix + piece.text, add_special_tokens=False)
            shift = piece.start - len(piece.prefix)
            spans += [
                (max(piece.start, first + shift), max(piece.start, last + shift))
                for token, (first, last) in zip(encoding.ids, encoding.offsets, strict=True)
                if token < self._n_tokens
            ]
        return spans

    def _pieces(self, text: str, specials: Sequence[str]) -> list[Piece]:
        """The text cut at special tokens: each is looked for in all that longer ones left over."""
        parts = [(text, False)] if text else []
        for special in specials:
            if special in text:
                parts = [cut for part in parts for cut in _cut(part, special)]
        pieces = []
        at, before = 0, ""
        for part, is_token in parts:
            said = part.lstrip(C_SPACES) if before in self._specials.stripping else part
            opens = self._prefixes_space and not is_token and (not at or bool(before))
            if said:
                start = at + len(part) - len(said)
                pieces.append(Piece(said, is_token, start, " " if opens else ""))
            at += len(part)
            before = part if is_token else ""
        return pieces

    def _token(self, key: str, default: int) -> str:
        tokens = _tokens(self._metadata)
        given = self._metadata.number(key)
        place = given if given is not None and given < len(tokens) else default
        return tokens[place] if place < len(tokens) else ""


def _cut(part: tuple[str, bool], special: str) -> list[tuple[str, bool]]:
    text, is_token = part
    if is_token or special not in text:
        return [part]
    cuts: list[tuple[str, bool]] = []
    for between in text.split(special):
        cuts += [(between, False)] if between else []
        cuts.append((special, True))
    return cuts[:-1]


def _byte_level(metadata: GgufMetadata) -> GgufCounter:
    """Byte-level pairs, words cut as the file's pre-tokenizer says."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    split = _split(metadata)
    merges = [
        (merge[:at], merge[at + 1 :])
        for merge in metadata.strings("tokenizer.ggml.merges") or []
        if (at := merge.find(" ", 1)) > 0
    ]
    vocab = {token: place for place, token in enumerate(_tokens(metadata))}
    # A byte without a token still keeps its neighbours from merging.
    for byte in sorted(pre_tokenizers.ByteLevel.alphabet()):
        vocab.setdefault(byte, len(vocab))
    tokenizer = Tokenizer(
        models.BPE(vocab=vocab, merges=merges, ignore_merges=split.ignores_merges)
    )
    cuts = [pre_tokenizers.Split(Regex(pattern), behavior="isolated") for pattern in split.patterns]
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*cuts, byte_level])
    return GgufCounter(
        metadata, tokenizer, adds_bos=split.adds_bos, default_ids=(BYTE_LEVEL_ID, BYTE_LEVEL_ID)
    )


def _split(metadata: GgufMetadata) -> Split:
    name = metadata.text("tokenizer.ggml.pre") or "default"
    split = SPLITS.get(name)
    if split is None:
        raise InputError(
            f"{metadata.path} names the pre-tokenizer {name!r}, which is not known",
            hint=f"Known pre-tokenizers: {', '.join(sorted(SPLITS))}",
        )
    return split


def _sentence_piece(metadata: GgufMetadata) -> GgufCounter:
    """SentencePiece with scores: of all pairs that make a token, the best score merges first."""
    from tokenizers import Tokenizer, models, normalizers

    tokens = _tokens(metadata)
    places = {token: place for place, token in enumerate(tokens)}
    scores = metadata.numbers("tokenizer.ggml.scores")
    if scores is None or len(scores) < len(tokens):
        raise InputError(
            f"{metadata.path} has no score for each token of its vocabulary",
            hint="Convert the file again",
        )
    ranked = sorted(range(len(tokens)), key=lambda place: (-scores[place], place))
    merges = [
        (token[:at], token[at:])
        for token in (tokens[place] for place in ranked)
        for at in range(1, len(token))
        if token[:at] in places and token[at:] in places
    ]
    tokenizer = Tokenizer(models.BPE(vocab=places, merges=merges, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", SPACE)
    return GgufCounter(
        metadata,
        tokenizer,
        adds_bos=True,
        default_ids=(1, 2),
        prefixes_space=metadata.flag("tokenizer.ggml.add_space_prefix", default=True),
    )


KINDS: Mapping[str, Callable[[GgufMetadata], GgufCounter]] = {
    "gpt2": _byte_level,
    "llama": _sentence_piece,
}
"""Value of `tokenizer.ggml.model` -> what reads such a vocabulary."""


def _tokens(metadata: GgufMetadata) -> list[str]:
    tokens = metadata.strings("tokenizer.ggml.tokens")
    if not tokens or len(set(tokens)) != len(tokens):
        raise InputError(
            f"{metadata.path} has {'a token twice in its' if tokens else 'an empty'} vocabulary",
            hint="Convert the file again",
        )
    return tokens


def _shortness(token: str) -> int:
    return -len(token.encode())

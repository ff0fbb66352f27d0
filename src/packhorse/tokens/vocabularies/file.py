"""A vocabulary file of the user's own, told by what is in it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from os.path import isdir
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packhorse.errors import InputError
from packhorse.tokens.vocabularies.any_pattern import pattern_counter
from packhorse.tokens.vocabularies.grammars import PATTERNS
from packhorse.tokens.vocabularies.hf import HFCounter
from packhorse.tokens.vocabularies.llama import llama_3, llama_4
from packhorse.tokens.vocabularies.mistral import tekken_file_counter
from packhorse.tokens.vocabularies.openai import ToktokCounter
from packhorse.tokens.vocabularies.packages import Extra
from packhorse.tokens.vocabularies.qwen import qwen_2, qwen_35
from packhorse.tokens.vocabularies.ranks import RankCounter, rank_tokenizer, read_ranks
from packhorse.tokens.vocabularies.sentencepiece import SentencePieceCounter

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter

__all__ = ["counter_from_path", "vocabulary_file"]

MAX_BYTES = 256_000_000
"""Above this nothing but a GGUF file is read; the largest vocabularies known are of 40 MB."""

IN_A_FOLDER = ("tekken.json", "tokenizer.json", "tokenizer.model", "*.tiktoken", "*.gguf")
"""What is looked for in the folder of a model, the model's own format first."""

RANK_LINE = re.compile(rb"[A-Za-z0-9+/]+=* \d+\r?\n")
LFS_POINTER = b"version https://git-lfs.github.com"
HEAD_BYTES = 512
WANTED = (
    "Give a tokenizer.json, tekken.json, SentencePiece .model, .tiktoken or .gguf file, or the"
    " folder of a model"
)


class Found(NamedTuple):
    """A file that was read."""

    path: Path
    data: bytes
    sha256: str

    @property
    def key(self) -> str:
        """Enough of the hash to tell two vocabularies apart."""
        return self.sha256[:16]


def vocabulary_file(path: Path) -> Path:
    """The vocabulary file that a path names: itself, or the one in the folder of a model.

    Raises:
        InputError: there is none, or more than one of a kind.
    """
    if not isdir(path):  # noqa: PTH112 - Path.is_dir raises on some names
        return path
    for pattern in IN_A_FOLDER:
        found = sorted(path.glob(pattern))
        if len(found) > 1:
            raise InputError(
                f"{path} holds {len(found)} files {pattern}: {found[0].name}, {found[1].name}",
                hint="Name the one to count with",
            )
        if found:
            return found[0]
    raise InputError(
        f"{path} holds no vocabulary", hint=f"It should hold one of {', '.join(IN_A_FOLDER)}"
    )


def counter_from_path(path: Path) -> TokenCounter:
    """The counter of a vocabulary file, or of the one in the folder of a model.

    The form is told from the content, not from the name. The counter's name holds a hash of the
    content, so that two vocabularies are never taken for one.

    Raises:
        InputError: no such file, or one that is damaged, too large or no vocabulary.
        MissingExtraError: the package that counts with this kind is not installed.
    """
    path = vocabulary_file(path)
    head = _head(path)
    if head.startswith(b"GGUF"):
        from packhorse.tokens.vocabularies.gguf import counter_from_gguf

        return counter_from_gguf(path)
    read = _reader(head, path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise InputError(
                f"{path} has {size:,} bytes; a vocabulary has at most {MAX_BYTES:,}", hint=WANTED
            )
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    return read(Found(path, data, hashlib.sha256(data).hexdigest()))


def _head(path: Path) -> bytes:
    try:
        # Opening a pipe would wait for whoever writes to it.
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is not a regular file", hint=WANTED)
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(
        f"Cannot read the vocabulary {path}: {error.strerror or error}",
        hint="Check the path and its permissions",
    )


def _reader(head: bytes, path: Path) -> Callable[[Found], TokenCounter]:
    if head.startswith(LFS_POINTER):
        raise InputError(
            f"{path} is a pointer of Git LFS and not the file itself", hint="Run: git lfs pull"
        )
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _json
    if RANK_LINE.match(head):
        return _ranks
    if head.startswith(b"\n"):  # the key of a protocol buffer's first field
        return _sentencepiece
    raise InputError(f"{path} is not a vocabulary of a known form", hint=WANTED)


def _json(found: Found) -> TokenCounter:
    # A Tekken file has its settings under `config` before 15 MB of tokens or behind them.
    if b'"default_num_special_tokens"' in found.data:
        return tekken_file_counter(f"tekken:{found.key}", found.data, where=str(found.path))
    data = found.data.removeprefix(b"\xef\xbb\xbf")
    return HFCounter(f"hf:{found.key}", data, where=str(found.path))


def _sentencepiece(found: Found) -> TokenCounter:
    return SentencePieceCounter(f"sentencepiece:{found.key}", found.data, where=str(found.path))


def _ranks(found: Found) -> TokenCounter:
    known = KNOWN_RANKS.get(found.sha256)
    if known is not None:
        return known(found.path)
    pattern = _pattern_beside(found.path)
    ranks = read_ranks(found.data, str(found.path))
    key = hashlib.sha256(found.data + pattern.encode()).hexdigest()[:16]
    grammar = PATTERNS.get(pattern)
    if grammar is None:
        return pattern_counter(f"ranks:{key}", ranks, pattern, where=str(found.path))
    tokenizer = rank_tokenizer(
        ranks, grammar, where=str(found.path), extra=Extra("llama", f"Counting with {found.path}")
    )
    return RankCounter(f"ranks:{key}", tokenizer)


def _pattern_beside(path: Path) -> str:
    """The regular expression in the file of the same name that ends in `.pattern`."""
    beside = path.with_suffix(".pattern")
    try:
        return beside.read_text("utf-8").strip("\r\n")
    except FileNotFoundError:
        raise InputError(
            f"{path} is a list of ranks, which does not say where a text is cut",
            hint=f"Write the regular expression of its authors into {beside.name} beside it, or"
            " give the tokenizer.json of the model",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"Cannot read the pattern {beside}: {error}", hint="Give readable text in UTF-8"
        ) from error


KNOWN_RANKS: Mapping[str, Callable[[Path], TokenCounter]] = {
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": lambda _: ToktokCounter(
        "cl100k_base"
    ),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": lambda _: ToktokCounter(
        "o200k_base"
    ),
    "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186": lambda _: qwen_2(),
    "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd": qwen_35,
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": lambda _: llama_3(),
    "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed": llama_4,
}
"""Published files by their SHA-256, and the counter that has the pattern to each."""

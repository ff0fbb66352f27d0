"""Vocabulary files of every kind, written for tests: trained on a few lines, or taken apart."""

import base64
import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import sentencepiece
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)

from tests.tokens.oracle import oracle

__all__ = ["LINES", "SAMPLES", "package_path", "sentencepiece_model", "trained"]

LINES = [
    "The refund window is thirty days for unopened goods.",
    "Home office expenses can be deducted by the self-employed.",
    "naïve café, 税務署に申告する 초과근무 승인 規則。 Правила возврата товара",
    "def f(x):\n    return x ** 2  # comment",
    "<table> <b>12,345.67</b> </table> -- != ::",
] * 4


def package_path(module: str, *parts: str) -> Path:
    """A file inside an installed package, which is not imported."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], *parts)


def trained(kind: str) -> dict[str, Any]:
    """The description of a small tokenizer, as a `tokenizer.json` holds it."""
    tokenizer = _trained(kind)
    tokenizer.add_special_tokens(["<s>", "</s>", "<|im_start|>"])
    tokenizer.add_tokens(
        [
            AddedToken("<think>", normalized=False),
            AddedToken("    ", normalized=False),
            AddedToken("<table>", normalized=False),
        ]
    )
    description: dict[str, Any] = json.loads(tokenizer.to_str())
    return description


def _trained(kind: str) -> Tokenizer:
    if kind == "byte-level":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.normalizer = normalizers.NFC()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer: Any = trainers.BpeTrainer(
            vocab_size=500, initial_alphabet=alphabet, show_progress=False
        )
    elif kind == "unigram":
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=300,
            unk_token="<unk>",
            special_tokens=["<s>", "</s>", "<unk>"],
            show_progress=False,
        )
    else:
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(
            vocab_size=300, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False
        )
    tokenizer.train_from_iterator(LINES, trainer)
    return tokenizer


@cache
def sentencepiece_model(kind: str = "bpe") -> bytes:
    """A small SentencePiece model with a control piece and user-defined ones."""
    model = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=model,
        vocab_size=350,
        model_type=kind,
        byte_fallback=True,
        control_symbols=["<|im_start|>"],
        user_defined_symbols=["<start_of_turn>", "    "],
        minloglevel=2,
    )
    return model.getvalue()


def _json_file(kind: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / f"{kind}-tokenizer.json"
        path.write_text(json.dumps(trained(kind)), encoding="utf-8")
        return path

    return write


def _piece_file(kind: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / f"{kind}.model"
        path.write_bytes(sentencepiece_model(kind))
        return path

    return write


def _ranks_with(pattern: str, name: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        ranks = oracle("cl100k_base")._mergeable_ranks
        # Ranks up to a limit are a whole vocabulary too, of an earlier day of its training.
        lines = [
            b"%s %d\n" % (base64.b64encode(token), rank)
            for token, rank in ranks.items()
            if rank < 20_000
        ]
        path = folder / f"{name}.tiktoken"
        path.write_bytes(b"".join(lines))
        path.with_suffix(".pattern").write_text(pattern + "\n", encoding="utf-8")
        return path

    return write


# OpenAI's published pattern of GPT-2 in its first form.
GPT_2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

SAMPLES: Mapping[str, Callable[[Path], Path]] = {
    "hf byte-level": _json_file("byte-level"),
    "hf unigram": _json_file("unigram"),
    "hf wordpiece": _json_file("wordpiece"),
    "sentencepiece bpe": _piece_file("bpe"),
    "sentencepiece unigram": _piece_file("unigram"),
    "ranks with any pattern": _ranks_with(GPT_2, "any"),
}
"""A name for each kind of file, and what writes one into a folder."""

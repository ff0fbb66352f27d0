"""Compares counts with tiktoken on random strings until a difference shows: `fuzz_counts.py N`.

Not collected by pytest. Each string mixes ranges of Unicode, white space, digits and fragments
that pre-tokenizers treat specially; the seed is printed, so a difference can be found again.
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from packhorse.tokens.registry import counter_named
from tests.tokens.oracle import oracle_count, without_newest_letters

RANGES = (
    (0x20, 0x7E), (0x00, 0x1F), (0x80, 0x24F), (0x300, 0x36F), (0x400, 0x4FF), (0x590, 0x6FF),
    (0x900, 0x97F), (0x2000, 0x206F), (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3),
    (0xD800, 0xDFFF), (0xFE00, 0xFEFF), (0x1F300, 0x1FAFF), (0x10000, 0x10FFFF),
)  # fmt: skip
FRAGMENTS = (
    " ", "  ", "\n", "\r\n", "\t", "'ll", "'S", "//", "/\n", "123", "1234567", "ß", "İ",
    "<|endoftext|>", "</evidence>\n", "Question: ", "...", "don't", "A", "aB", "the ",
)  # fmt: skip
ENCODINGS = ("cl100k_base", "o200k_base")


def drawn(chance: random.Random) -> str:
    """One random string."""
    pieces = []
    for _ in range(chance.randrange(1, 30)):
        if chance.random() < 0.5:
            pieces.append(chance.choice(FRAGMENTS))
        else:
            low, high = chance.choice(RANGES)
            pieces += [chr(chance.randint(low, high)) for _ in range(chance.randrange(1, 5))]
    return without_newest_letters("".join(pieces))


def main(n_strings: int, seed: int) -> int:
    """Counts every string twice and returns how many counts differ."""
    chance = random.Random(seed)  # noqa: S311 - no secret depends on it
    texts = [drawn(chance) for _ in range(n_strings)]
    differences = 0
    for encoding in ENCODINGS:
        for text, tokens in zip(texts, counter_named(encoding).count_batch(texts), strict=True):
            expected = oracle_count(encoding, text)
            if tokens != expected:
                differences += 1
                print(f"{encoding}: {tokens} != {expected}: {text!a}")  # noqa: T201 - a script
    print(f"seed {seed}: {n_strings} strings, {differences} differences")  # noqa: T201 - a script
    return differences


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    sys.exit(main(n, int(sys.argv[2]) if len(sys.argv) > 2 else 1) > 0)

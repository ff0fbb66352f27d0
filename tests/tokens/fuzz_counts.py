"""Compares counts with each family's own on random strings: `fuzz_counts.py [N [SEED [NAME...]]]`.

Not collected by pytest; `make fuzz` runs it. Each string mixes ranges of Unicode, white space,
digits, runs and fragments that pre-tokenizers treat specially; the seed is printed, so a difference
can be found again. A quarter as many times, strings are rendered as blocks and packed: the blocks
add up to a recount of the whole, or the packet is repaired and stays within its budget.
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from packhorse.tokens.registry import TOKENIZERS, counter_named
from tests.tokens.assemblies import assembled
from tests.tokens.families import comparable, family_count

RANGES = (
    (0x20, 0x7E), (0x00, 0x1F), (0x80, 0x24F), (0x300, 0x36F), (0x400, 0x4FF), (0x590, 0x6FF),
    (0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x2000, 0x206F), (0x3040, 0x30FF),
    (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xD800, 0xDFFF), (0xFE00, 0xFEFF), (0x1F300, 0x1FAFF),
    (0x10000, 0x10FFFF),
)  # fmt: skip
FRAGMENTS = (
    " ", "  ", "\n", "\r\n", "\t", "'ll", "'S", "//", "/\n", "123", "1234567", "ß", "İ",
    "<|endoftext|>", "<|im_start|>", "<|begin_of_text|>", "[INST]", "</s>", "<think>",
    "<\uff5cUser\uff5c>", "</evidence>\n", "Question: ", "...", "don't", "A", "aB", "the ",
)  # fmt: skip
RUNS = "aX 1\n.é税"
FORMATS = ("xml", "markdown", "plain")


def drawn(chance: random.Random) -> str:
    """One random string."""
    pieces = []
    for _ in range(chance.randrange(1, 30)):
        kind = chance.random()
        if kind < 0.5:
            pieces.append(chance.choice(FRAGMENTS))
        elif kind < 0.55:
            pieces.append(chance.choice(RUNS) * chance.randrange(1, 60))
        else:
            low, high = chance.choice(RANGES)
            pieces += [chr(chance.randint(low, high)) for _ in range(chance.randrange(1, 5))]
    return "".join(pieces)


def differences(name: str, texts: list[str]) -> int:
    """How many counts differ from the family's; each is printed."""
    found = 0
    compared = [comparable(name, text) for text in texts]
    for text, tokens in zip(compared, counter_named(name).count_batch(compared), strict=True):
        expected = family_count(name, text)
        if tokens != expected:
            found += 1
            print(f"{name}: {tokens} != {expected}: {text!a}")  # noqa: T201 - a script
    return found


def failures(name: str, texts: list[str], n_assemblies: int, chance: random.Random) -> int:
    """How many assemblies of blocks broke a promise; each is printed, and how many add up."""
    counter = counter_named(name)
    found = additive = 0
    for _ in range(n_assemblies):
        chosen = chance.sample(texts, chance.randrange(2, 6))
        shape, room = chance.choice(FORMATS), chance.uniform(0.3, 1.05)
        try:
            additive += assembled(counter, chosen, format_name=shape, room=room).is_additive
        except AssertionError as error:
            found += 1
            print(f"{name}, {shape}, {room}: {error}: {chosen!a}")  # noqa: T201 - a script
    print(f"{name}: {additive} of {n_assemblies} assemblies add up")  # noqa: T201 - a script
    return found


def main(n_strings: int, seed: int, names: list[str]) -> int:
    """Counts every string twice with each tokenizer, packs some, and returns what went wrong."""
    chance = random.Random(seed)  # noqa: S311 - no secret depends on it
    texts = [drawn(chance) for _ in range(n_strings)]
    wrong = 0
    for name in names or sorted(TOKENIZERS):
        differing = differences(name, texts)
        failing = failures(name, texts, n_strings // 4, chance)
        print(  # noqa: T201 - a script
            f"{name}: {n_strings} strings, {differing} differences, {failing} failures", flush=True
        )
        wrong += differing + failing
    print(f"seed {seed}: {wrong} in all")  # noqa: T201 - a script
    return wrong


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    sys.exit(main(n, start, sys.argv[3:]) > 0)

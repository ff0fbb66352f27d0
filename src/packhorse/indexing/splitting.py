"""How documents are cut and embedded when nobody says otherwise, and how an index notes it."""

__all__ = [
    "DEFAULT_CHUNK_TOKENS",
    "DEFAULT_EMBEDDER",
    "MAX_CHUNK_TOKENS",
    "SPLITTING_TOKENIZER",
    "splitter_name",
]

DEFAULT_EMBEDDER = "minilm"
DEFAULT_CHUNK_TOKENS = 320
MAX_CHUNK_TOKENS = 1_000_000
"""As much as the largest window; more is a slip of the hand."""
SPLITTING_TOKENIZER = "o200k_base"


def splitter_name(chunk_tokens: int) -> str:
    """How documents are cut, for the fingerprint of an index."""
    return (
        "semantic, tables and records under their headers,"
        f" chunk_tokens={chunk_tokens} tokenizer={SPLITTING_TOKENIZER}"
    )

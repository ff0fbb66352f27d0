"""How documents are cut and embedded when nobody says otherwise, and how an index notes it."""

__all__ = [
    "DEFAULT_CHUNK_TOKENS",
    "DEFAULT_EMBEDDER",
    "SPLITTING_TOKENIZER",
    "splitter_name",
]

DEFAULT_EMBEDDER = "minilm"
DEFAULT_CHUNK_TOKENS = 320
SPLITTING_TOKENIZER = "o200k_base"


def splitter_name(chunk_tokens: int) -> str:
    """How documents are cut, for the fingerprint of an index."""
    return f"semantic chunk_tokens={chunk_tokens} tokenizer={SPLITTING_TOKENIZER}"

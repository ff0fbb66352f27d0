"""Chunk size and context: what expansion is worth, measured on documents that are cut."""

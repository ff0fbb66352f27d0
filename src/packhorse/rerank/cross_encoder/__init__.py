"""Rerankers of the user's own: a cross-encoder in a file, or behind an endpoint."""

"""Retrieval: a question to a pool of candidates."""

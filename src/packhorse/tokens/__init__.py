"""Counting: tokenizers, the model table, and what a chat request costs."""

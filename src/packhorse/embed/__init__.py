"""Embedders: texts to directions, without a download and without torch."""

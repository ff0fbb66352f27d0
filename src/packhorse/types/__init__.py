"""Nouns: frozen values that stages hand to each other. Standard library only."""

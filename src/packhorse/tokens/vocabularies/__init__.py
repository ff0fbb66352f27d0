"""Vocabularies that count texts, one module a family."""

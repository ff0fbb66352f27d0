"""Scoring and ordering of candidates: five signals, filters, duplicates, diversity."""

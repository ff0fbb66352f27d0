"""Metrics: a file each, with the formula, its source and its rules for the odd cases."""

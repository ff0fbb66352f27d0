"""Spending the budget: which chunks are in, at what cost, and how good that is."""

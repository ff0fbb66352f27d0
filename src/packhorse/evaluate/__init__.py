"""Evaluation: how much of the evidence a configuration finds, and how much it packs."""

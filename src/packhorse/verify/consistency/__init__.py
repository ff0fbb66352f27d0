"""Factual conflicts between packed chunks: two sentences that say the same thing differently."""

from packhorse.verify.consistency.check import consistency_check
from packhorse.verify.consistency.conflicts import find_conflicts

__all__ = ["consistency_check", "find_conflicts"]

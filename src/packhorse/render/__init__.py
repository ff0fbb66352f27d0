"""Rendering: numbered, citable blocks that no chunk can break out of, and chat messages."""

__all__: list[str] = []

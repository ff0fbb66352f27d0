"""The whole context window: what surrounds the evidence, and how it is made to fit."""

__all__: list[str] = []

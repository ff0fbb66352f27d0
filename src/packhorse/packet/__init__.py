"""The context packet: what was decided, why, and the text that came of it."""

__all__: list[str] = []

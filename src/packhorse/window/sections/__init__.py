"""Which part of the window gets how much, and why."""

__all__: list[str] = []

"""Examples for a question: read, chosen for a room, put into a request."""

__all__: list[str] = []

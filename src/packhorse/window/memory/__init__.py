"""Notes from earlier conversations: read, ranked, chosen, rendered."""

__all__: list[str] = []

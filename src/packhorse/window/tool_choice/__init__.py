"""Which tools a request defines: those that the question and the conversation are about."""

__all__: list[str] = []

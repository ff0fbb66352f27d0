"""Shapes of conversations: how each provider writes messages, calls and results."""

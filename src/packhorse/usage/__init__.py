"""Logs of requests with what the provider reported: how far counts are off, and the correction."""

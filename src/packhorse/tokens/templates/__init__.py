"""Chat templates of open models: found, rendered in a sandbox, and counted."""

"""Which units of a conversation stay: one file a policy."""

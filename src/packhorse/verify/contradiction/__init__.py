"""Models of the user's own that say whether one sentence contradicts another."""

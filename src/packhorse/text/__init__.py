"""Text analysis that several rooms share."""

"""Counting by asking: the providers' own counting endpoints, and engines that serve a model."""

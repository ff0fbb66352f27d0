"""Fits whole data sets of conversations at every budget, and looks for a fault."""

"""Checks of what was packed. Failing is data: nothing here raises for what it finds."""

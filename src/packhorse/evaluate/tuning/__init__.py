"""Searches settings on labelled questions, and says what they add on questions held out."""

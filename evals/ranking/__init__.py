"""A formula of relevance, measured over the public sets: `python -m evals.ranking`."""

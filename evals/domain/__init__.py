"""How well the domain check tells questions about a corpus from questions about something else."""

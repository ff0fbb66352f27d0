"""Sources to searchable knowledge bases: building an index, and opening whatever a user names."""

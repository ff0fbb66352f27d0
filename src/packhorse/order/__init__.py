"""Reading order: where packed chunks stand. Nothing here decides what is packed."""

"""The command line: parse, call, format. Decisions are made further in."""

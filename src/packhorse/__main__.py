"""`python -m packhorse` is the command `packhorse`."""

from packhorse.cli.app import main

__all__: list[str] = []

main()

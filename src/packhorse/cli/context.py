"""What all commands share on the command line."""

__all__ = ["CONTEXT_SETTINGS", "HELP_OPTIONS"]

HELP_OPTIONS = ("-h", "--help")

CONTEXT_SETTINGS = {"help_option_names": list(HELP_OPTIONS)}
"""Said on each command, because click keeps the help option of whoever asks first."""

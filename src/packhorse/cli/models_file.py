"""`--models-file`: models of the user's own beside the built-in table."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["models_file_option"]

models_file_option = click.option(
    "--models-file",
    "models_files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Models of your own as YAML, laid over the built-in table; repeatable.",
)

"""Corrections as a file that is laid over the model table."""

from __future__ import annotations

import os
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.tokens.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["overlay_text", "write_overlay"]

HEADER = """\
# Corrections of token counts, made by `packhorse calibrate` from reported usage.
# Use them with --models-file; a file of models of your own goes before this one.
"""

WIDTH = 100


def overlay_text(calibrations: Mapping[str, Calibration]) -> str:
    """The YAML file for `--models-file`: the same bytes for the same corrections."""
    import yaml

    models = {name: _row(calibrations[name]) for name in sorted(calibrations)}
    body = yaml.safe_dump(
        {"models": models},
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=WIDTH,
    )
    return HEADER + str(body)


def write_overlay(calibrations: Mapping[str, Calibration], path: Path) -> None:
    """Writes the file beside its place, then renames it.

    Raises:
        InputError: it cannot be written there.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("wb") as file:
                file.write(overlay_text(calibrations).encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"Cannot write {path}: {error.strerror or error}",
            hint="Give --out a file in a folder that can be written to",
        ) from error


def _row(calibration: Calibration) -> dict[str, Any]:
    """What the row of a model gets: fields at their default are left out."""
    row: dict[str, Any] = {}
    if calibration.margin is not None:
        row["margin"] = calibration.margin
    given = {
        field.name: getattr(calibration, field.name)
        for field in fields(Calibration)
        if getattr(calibration, field.name) != field.default
    }
    given["spread"] = list(calibration.spread)
    given["seen"] = {name: list(ends) for name, ends in asdict(calibration.seen).items()}
    row["calibration"] = given
    return row

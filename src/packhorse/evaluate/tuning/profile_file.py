"""The tuned settings as a profile file, with what is known about them in comments."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from packhorse.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from packhorse.evaluate.tuning.tune import Tuned, TuningPlan

__all__ = ["tuned_profile"]


def tuned_profile(
    tuned: Tuned,
    plan: TuningPlan,
    *,
    out: Path,
    base_file: Path | None,
    version: str,
    date: str,
) -> str:
    """A YAML file that `--profile` reads: the settings that tuning changed, over those of the base.

    Args:
        tuned: with a point that was chosen.
        plan: what was searched.
        out: where the file goes; `extends` is relative to it.
        base_file: the profile that was the base; None is the built-in one.
        version: of this program.
        date: of the run.
    """
    lines = [*(f"# {printable(line)}" for line in _told(tuned, plan, version, date))]
    lines.append(f"name: {_quoted(f'tuned for {tuned.dataset}')}")
    if base_file is not None:
        lines.append(f"extends: {_quoted(_relative(base_file, out))}")
    weights: dict[str, Any] = {}
    point = () if tuned.chosen is None else tuned.chosen.point
    for key, value in point:
        name, _, below = key.partition(".")
        if below:
            weights[below] = value
        else:
            lines.append(f"{name}: {_scalar(value)}")
    if weights:
        inner = ", ".join(f"{name}: {_scalar(value)}" for name, value in weights.items())
        lines.append(f"weights: {{{inner}}}")
    return "\n".join(lines) + "\n"


def _told(tuned: Tuned, plan: TuningPlan, version: str, date: str) -> Iterator[str]:
    yield f"Tuned by packhorse {version} on {date} over the dataset {tuned.dataset}"
    yield f"({tuned.n_questions} questions, SHA-256 {tuned.digest})."
    yield (
        f"Base {plan.base.name}, {plan.n_folds} folds, seed {plan.seed},"
        f" {plan.evaluations} settings a search, {plan.metric}, budgets of {plan.charge},"
        f" embedder {plan.embedder}."
    )
    yield "Gain on questions held out, with 95 % interval:"
    for budget, each in tuned.held_out.items():
        yield f"  {budget} tokens  {each.mean:+.3f} [{each.low:+.3f}, {each.high:+.3f}]"


def _relative(base_file: Path, out: Path) -> str:
    return os.path.relpath(base_file.resolve(), out.resolve().parent)


def _scalar(value: Any) -> str:
    if value is None:
        return "off"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    """A double-quoted YAML string in ASCII, which is read as the same text."""
    # JSON writes two escapes beyond the basic plane; YAML would read them as two characters.
    escaped = (f"\\U{ord(c):08x}" if ord(c) > 0xFFFF else json.dumps(c)[1:-1] for c in text)  # noqa: PLR2004 - the plane's end
    return f'"{"".join(escaped)}"'

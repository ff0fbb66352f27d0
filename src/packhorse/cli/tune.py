"""`packhorse tune`: what other settings would add on questions of one's own."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.cli.dataset import dataset_options, read_budgets, read_embedder
from packhorse.cli.output import check_writable, write_file
from packhorse.errors import InputError
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from packhorse.evaluate.tuning.tune import Tuned, TuningPlan

__all__ = ["tune_command"]

EXIT_KEEP = 1


@click.command(
    "tune",
    context_settings=CONTEXT_SETTINGS,
    epilog="Example: packhorse tune questions/ --out tuned.yaml --budgets 512,2048",
)
@click.argument("dataset", metavar="DATASET", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Where the profile goes."
)
@click.option(
    "--profile",
    "base",
    type=click.Path(path_type=Path),
    help="The profile to start from and to compare with. Default: built-in.",
)
@click.option(
    "--budgets",
    default="256,512,1024",
    show_default=True,
    help="Token budgets, separated by commas; their mean is raised.",
)
@click.option(
    "--metric",
    type=click.Choice(["gold_recall", "all_gold"]),
    default="gold_recall",
    show_default=True,
    help="Share of the gold that is packed, or whether all of it is.",
)
@click.option("--folds", "n_folds", type=int, default=5, show_default=True, help="Parts held out.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the folds.")
@click.option(
    "--evaluations",
    type=int,
    default=60,
    show_default=True,
    help="Most settings that the search of one fold looks at.",
)
@dataset_options
@click.option("--plot", type=click.Path(path_type=Path), help="Draws the folds there, as an SVG.")
@click.option("--date", help="Date that the profile carries; default: today.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print warnings and errors only.")
def tune_command(
    *,
    dataset: Path,
    out: Path,
    base: Path | None,
    plot: Path | None,
    date: str | None,
    as_json: bool,
    quiet: bool,
    **flags: Any,
) -> int:
    """Search settings on labelled questions, and say what they add on questions held out.

    DATASET is what `packhorse eval` takes: a folder with corpus.jsonl and queries.jsonl. Questions
    are dealt into folds; for each, settings are searched on the others. Of settings that cannot be
    told apart, those nearest to the default are taken.

    Exit code 0: questions held out are better for it, and --out holds a profile for
    `packhorse pack --profile`. 1: keep the default, nothing was written to --out; 2: an error.
    """
    from importlib.metadata import version

    from packhorse.evaluate.tuning.plot import fold_plot
    from packhorse.evaluate.tuning.profile_file import tuned_profile
    from packhorse.evaluate.tuning.results import tuning_document

    _check_files(out, plot, base)
    made = {"version": version("packhorse"), "date": date or datetime.now(UTC).date().isoformat()}
    plan, tuned = _tuned(dataset, base, flags, quiet=quiet)
    if tuned.is_better:
        write_file(out, tuned_profile(tuned, plan, out=out, base_file=base, **made))
    if plot is not None and tuned.folds:
        write_file(plot, fold_plot(tuned, plan))
    if as_json:
        document = tuning_document(tuned, plan, **made)
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True))
    _show(tuned, plan, out, quiet=quiet, as_json=as_json)
    return 0 if tuned.is_better else EXIT_KEEP


def _tuned(
    folder: Path, base: Path | None, flags: dict[str, Any], *, quiet: bool
) -> tuple[TuningPlan, Tuned]:
    from packhorse.cli.progress import TerminalProgress
    from packhorse.config import Profile
    from packhorse.evaluate.dataset import read_dataset
    from packhorse.evaluate.tuning.tune import TuningPlan, tune
    from packhorse.indexing.cache import cache_root
    from packhorse.profiles.profile import load_profile, recorded_profile

    profile = Profile() if base is None else recorded_profile(load_profile(base))
    flags |= {"budgets": read_budgets(flags["budgets"]), "embedder": read_embedder(flags)}
    dataset = read_dataset(folder, split=flags.pop("split"), kb=flags.pop("kb"))
    plan = TuningPlan(base=profile, **flags)
    with TerminalProgress(quiet=quiet) as progress:
        tuned = tune(dataset, plan, cache=cache_root(), clock=time.perf_counter, progress=progress)
    return plan, tuned


def _check_files(out: Path, plot: Path | None, base: Path | None) -> None:
    """Refuses before the search what could not be written after it."""
    for path in (out, plot):
        if path is not None:
            if path.is_dir():
                raise InputError(f"{path} is a folder", hint="Name a file in it")
            check_writable(path)
    if base is not None and out.resolve() == base.resolve():
        raise InputError(
            f"--out is the profile that the search starts from: {out}",
            hint="Name another file: the result extends that profile",
        )
    if plot is not None and out.resolve() == plot.resolve():
        raise InputError(f"--out and --plot are one file: {out}", hint="Give each its own")


def _show(tuned: Tuned, plan: TuningPlan, out: Path, *, quiet: bool, as_json: bool) -> None:
    from packhorse.evaluate.tuning.results import tuning_lines

    if not quiet:
        for line in tuning_lines(tuned, plan):
            click.echo(printable(line), err=as_json)
    for absence in tuned.not_there:
        said = printable(f"{tuned.dataset}: {absence.text}")
        click.echo(f"[WARN] {said}", err=True)
    if not tuned.is_better:
        click.echo(f"[WARN] Keep the default: {printable(tuned.reason)}", err=True)
        return
    if not quiet:
        click.echo(f"[PASS] Profile: {printable(str(out))}", err=as_json)

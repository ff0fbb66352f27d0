"""`packhorse eval`: how much of the evidence is found, and how much of it fits."""

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
from packhorse.errors import ConfigError
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from packhorse.evaluate.evaluation import Evaluation

__all__ = ["evaluate_command"]


@click.command(
    "eval",
    context_settings=CONTEXT_SETTINGS,
    epilog="Example: packhorse eval questions/ --out out/eval --config bm25 --config mine.yaml",
)
@click.argument("datasets", nargs=-1, metavar="DATASET...", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where results go.")
@click.option(
    "--budgets",
    default="256,512,1024,2048",
    show_default=True,
    help="Token budgets, separated by commas.",
)
@click.option(
    "--config",
    "configs",
    multiple=True,
    metavar="FILE|NAME",
    help="A profile file, built-in, or a plain ranking: bm25, dense or rrf. Several are compared"
    " with the first. Default: built-in.",
)
@dataset_options
@click.option("--date", help="Date that the results carry; default: today.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON on stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print warnings and errors only.")
def evaluate_command(
    *, datasets: tuple[Path, ...], out: Path, as_json: bool, quiet: bool, **flags: Any
) -> None:
    """Measure evidence at token budgets over questions whose answers are known.

    DATASET is a folder with corpus.jsonl and queries.jsonl, or one in the BEIR layout. Every
    configuration answers all questions; what it ranks, what it packs at each budget and where the
    rest was lost is shown, with the difference to the first configuration and its 95 % interval.

    Writes results.json (the same for the same input), questions.jsonl, timings.json and recall.svg.
    """
    from packhorse.evaluate.table import absence_lines, few_lines

    if not datasets:
        raise ConfigError("No dataset to evaluate", hint="Name folders, for example questions/")
    check_writable(out / "results.json")
    done = _evaluate(datasets, flags, quiet=quiet)
    _write(done, out)
    for warning in (*absence_lines(done.results), *few_lines(done.results)):
        click.echo(f"[WARN] {printable(warning)}", err=True)
    if as_json:
        click.echo(json.dumps(done.results, ensure_ascii=False, indent=2, sort_keys=True))
    if not quiet:
        _show(done, out, err=as_json)


def _evaluate(datasets: tuple[Path, ...], flags: dict[str, Any], *, quiet: bool) -> Evaluation:
    from importlib.metadata import version

    from packhorse.cli.progress import TerminalProgress
    from packhorse.evaluate.configuration import read_configurations
    from packhorse.evaluate.dataset import read_dataset
    from packhorse.evaluate.evaluation import Plan, evaluate
    from packhorse.indexing.cache import cache_root

    kb, embedder = flags["kb"], read_embedder(flags)
    plan = Plan(
        configurations=read_configurations(flags["configs"]),
        budgets=read_budgets(flags["budgets"]),
        charge=flags["charge"],
        limit=flags["limit"],
        embedder=embedder,
        as_of=flags["as_of"],
    )
    today = datetime.now(UTC).date().isoformat()
    read = [read_dataset(folder, split=flags["split"], kb=kb) for folder in datasets]
    with TerminalProgress(quiet=quiet) as progress:
        return evaluate(
            read,
            plan,
            cache=cache_root(),
            clock=time.perf_counter,
            version=version("packhorse"),
            date=flags["date"] or today,
            progress=progress,
        )


def _write(done: Evaluation, out: Path) -> None:
    from packhorse.evaluate.plot import recall_plot

    rows = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in done.questions)
    contents = {
        "questions.jsonl": "".join(f"{row}\n" for row in rows),
        "recall.svg": recall_plot(done.results),
        "results.json": _pretty(done.results),
        "timings.json": _pretty(done.timings),
    }
    for name, text in contents.items():
        write_file(out / name, text)


def _pretty(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _show(done: Evaluation, out: Path, *, err: bool) -> None:
    from packhorse.evaluate.table import dataset_lines, latency_lines, mean_lines

    for dataset, times in zip(done.results["datasets"], done.timings["datasets"], strict=True):
        for line in (*dataset_lines(dataset), *latency_lines(times)):
            click.echo(printable(line), err=err)
    for line in mean_lines(done.results):
        click.echo(printable(line), err=err)
    click.echo(f"[INFO] Results: {printable(str(out / 'results.json'))}", err=err)

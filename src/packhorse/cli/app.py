"""The program `packhorse`: finds a command, runs it, and turns errors into exit codes.

Exit codes: 0 passed, 1 an answer with a warning, 2 no answer. Commands are imported when they
are used, so that `packhorse --help` stays fast.
"""

import os
import sys
from importlib import import_module

import click

from packhorse.cli.context import CONTEXT_SETTINGS
from packhorse.errors import PackhorseError

__all__ = ["COMMANDS", "cli", "main"]

COMMANDS = {
    "calibrate": (
        "packhorse.cli.calibrate:calibrate",
        "Correct counts by the usage that a provider reported.",
    ),
    "count": ("packhorse.cli.count:count", "Count tokens of files or of a chat request."),
    "eval": (
        "packhorse.cli.eval:evaluate_command",
        "Measure evidence found and packed at token budgets.",
    ),
    "diff": (
        "packhorse.cli.diff:diff",
        "Compare two packets, and say which input moved which chunk.",
    ),
    "fit": ("packhorse.cli.fit:fit", "Fit a conversation into the window of a model."),
    "index": ("packhorse.cli.index:index", "Turn documents into a knowledge base."),
    "models": ("packhorse.cli.models:models", "Show the known models and where figures are from."),
    "replay": ("packhorse.cli.replay:replay", "Make a packet again and compare, byte for byte."),
    "report": (
        "packhorse.cli.report:report",
        "Write a packet's report: one HTML file that loads nothing.",
    ),
    "route": ("packhorse.cli.route:route", "Choose a model for a question, and say why."),
    "stats": ("packhorse.cli.stats:stats", "Say what many packets have in common."),
    "tune": (
        "packhorse.cli.tune:tune_command",
        "Search settings on labelled questions, and say what they add.",
    ),
    "why": ("packhorse.cli.why:why", "Say why a chunk is in or out, and what would change that."),
    "pack": ("packhorse.cli.pack:pack", "Pack evidence for a question into a token budget."),
}
"""Command name -> where it lives, and the line that `--help` shows for it."""

EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands, sorted."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None when there is none of that name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command, naming the nearest one when there is no such command."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            known = f"Known commands: {', '.join(sorted(COMMANDS))}"
            hint = f"Did you mean `packhorse {near[0]}`? {known}" if near else known
            raise PackhorseError(f"No command {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands without importing any of them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS)])


@click.group(
    cls=LazyGroup,
    context_settings=CONTEXT_SETTINGS,
    epilog='Example: packhorse pack --query "How do I reset it?" --kb docs/ --budget 2800',
)
@click.version_option(package_name="packhorse", prog_name="packhorse")
def cli() -> None:
    """Decide what goes into a language model's context window, and prove why."""


def main(args: list[str] | None = None) -> None:
    """Runs the program and exits: errors are two lines on stderr, never a traceback."""
    sys.exit(run(args))


def run(args: list[str] | None = None) -> int:
    """Runs one command and returns its exit code.

    Errors that Packhorse or click raise become `[ERROR]` and `[HINT]`; anything else is a fault
    of ours and is shown with its traceback only when PACKHORSE_DEBUG is set.
    """
    _use_utf8()
    if not (sys.argv[1:] if args is None else args):
        return _fail("No command given", f"Commands: {', '.join(sorted(COMMANDS))}")
    try:
        result = cli.main(args=args, prog_name="packhorse", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        _fail("Interrupted", "Nothing half-written was left; run the command again")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_ERROR
    except Exception as error:  # noqa: BLE001 - the last line of defence against a traceback
        return _fail(*_said(error))
    return result if isinstance(result, int) else 0


def _said(error: Exception) -> tuple[str, str]:
    """What happened and the next step, for any error; a fault of ours says that it is one."""
    if isinstance(error, PackhorseError):
        return error.message, error.hint
    if isinstance(error, click.ClickException):
        context = error.ctx if isinstance(error, click.UsageError) else None
        command = context.command_path if context else "packhorse"
        return error.format_message(), f"`{command} --help` shows how it is used"
    if isinstance(error, OSError):
        where = f", {error.filename}" if error.filename else ""
        return f"{error.strerror or error}{where}", "Check the disk, the path and its permissions"
    if os.environ.get("PACKHORSE_DEBUG"):
        raise error
    return (
        f"Unexpected {type(error).__name__}: {error}",
        "This is a fault in Packhorse; PACKHORSE_DEBUG=1 shows where it happened",
    )


def _use_utf8() -> None:
    """Output is UTF-8 wherever the program runs; what a stream cannot take is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _fail(message: str, hint: str) -> int:
    """Prints the two lines of an error and returns its exit code."""
    from packhorse.text.printable import printable

    # A message may quote what a file says: nothing in it may drive the terminal.
    for level, text in (("ERROR", message), ("HINT", hint)):
        if text:
            click.echo(f"[{level}] {printable(' '.join(text.split()))}", err=True)
    return EXIT_ERROR

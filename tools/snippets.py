"""Finds and runs the examples in Markdown pages, so that no page shows what does not work.

Blocks marked `python` run one after the other in one namespace a page. Blocks marked `console`
run in bash, command by command: `$ ` starts one, `> ` or a backslash at the end of the line goes
on with it, and the lines below are the output it must give, where `...` stands for anything.
Blocks of any other kind (`text`, `sh`, `yaml`) are not run.
"""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Command", "Snippet", "commands", "run_console", "run_python", "snippets"]

FENCE = re.compile(r"^( *)```(python|console)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
END_OF_COMMAND = "-- end of command --"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """One block of a page."""

    language: str
    """`python` or `console`."""
    code: str
    line: int
    """1-based line of the page where the code starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of a console block and what it must print."""

    command: str
    expected: str
    """Empty where the page shows no output."""


def snippets(page: str) -> Iterator[Snippet]:
    """Yields the blocks of a page that are run, in order."""
    for match in FENCE.finditer(page):
        indent, language, code = match.groups()
        lines = [line.removeprefix(indent) for line in code.splitlines(keepends=True)]
        line = page.count("\n", 0, match.start()) + 2
        yield Snippet(language=language, code="".join(lines), line=line)


def commands(console: str) -> Iterator[Command]:
    """Yields the commands of a console block, each with the output below it."""
    command, expected, continues = "", "", False
    for line in console.splitlines():
        if continues:
            command, continues = f"{command}\n{line.strip()}", line.endswith("\\")
        elif command and not expected and (line == ">" or line.startswith("> ")):
            command += f"\n{line[2:]}"
        elif line.startswith("$ "):
            if command:
                yield Command(command=command, expected=expected)
            command, expected, continues = line[2:], "", line.endswith("\\")
        else:
            expected += line + "\n"
    if command:
        yield Command(command=command, expected=expected)


def run_python(blocks: list[Snippet], page: str, folder: Path) -> None:
    """Runs the Python blocks of one page in `folder`; whatever goes wrong is raised."""
    # Blank lines keep the line numbers of a traceback equal to those of the page.
    source = ""
    for block in blocks:
        source += "\n" * (block.line - 1 - source.count("\n")) + block.code
    script = folder / f"{Path(page).stem}_snippets.py"
    script.write_text(source, encoding="utf-8")
    _check([sys.executable, str(script)], folder, page)


def run_console(block: Snippet, page: str, folder: Path) -> list[str]:
    """Runs one console block in `folder`; returns a sentence for each output that differs."""
    wanted = list(commands(block.code))
    script = "".join(
        f"{each.command}\n__status=$?; echo; echo '{END_OF_COMMAND}'; (exit $__status)\n"
        for each in wanted
    )
    printed = _output(["bash", "-c", f"exec 2>&1\n{script}"], folder)
    outputs = printed.split(f"\n{END_OF_COMMAND}\n")
    checker = doctest.OutputChecker()
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return [
        f"{page} line {block.line}: `{each.command}` printed\n{output}\ninstead of\n{each.expected}"
        for each, output in zip(wanted, outputs, strict=False)
        if each.expected and not checker.check_output(each.expected, output, flags)
    ]


def _environment() -> dict[str, str]:
    programs = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"]}


def _output(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=_environment(),
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return done.stdout


def _check(command: list[str], folder: Path, page: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=_environment(),
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise AssertionError(f"An example of {page} failed:\n{done.stderr}")

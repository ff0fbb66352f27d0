"""Makes the project's environment: `python3 tools/bootstrap.py base|dev|docs|peers [--venv DIR]`.

Runs on whatever `python3` a machine has, so it uses the standard library alone and syntax that
an old Python can still read, to be able to say that it is too old. It installs exactly the
locked versions and then the project itself, and does nothing when that was done before. Several
may run at once: one works and the others wait.
"""

import argparse
import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator  # noqa: UP035 - an old Python must be able to read this file

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent
MINIMUM = (3, 11)

# What each group installs. `dev` holds everything that `base` holds.
LOCKS = {
    "base": ("build.txt", "base.txt"),
    "dev": ("build.txt", "dev.txt"),
    "docs": ("build.txt", "docs.txt"),
    "peers": ("build.txt", "peers.txt"),
}
# Packages that are installed for the files they carry and whose own requirements nothing here uses.
FILES_ALONE = {"base": (), "dev": ("files.txt",), "docs": (), "peers": ()}
COVERED_BY = {"base": ("base", "dev"), "dev": ("dev",), "docs": ("docs",), "peers": ("peers",)}


class SetupError(Exception):
    """Something about this machine stands in the way; the text says what, and the next step."""


def main() -> int:
    """Makes the environment ready; returns the exit code."""
    parser = argparse.ArgumentParser(description="Make the project's environment")
    parser.add_argument("group", choices=sorted(LOCKS))
    parser.add_argument("--venv", default=".venv", help="folder, from the project's root")
    options = parser.parse_args()
    venv = ROOT / options.venv
    try:
        _check_python()
        with _one_at_a_time(venv):
            _prepare(options.group, venv)
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except subprocess.CalledProcessError as error:
        return error.returncode
    return 0


def _check_python() -> None:
    """Refuses a Python that is too old, or that cannot make environments."""
    if sys.version_info < MINIMUM:
        version = ".".join(str(part) for part in sys.version_info[:3])
        raise SetupError(
            f"[ERROR] Python 3.11 or newer is needed, {sys.executable} is {version}\n"
            "[HINT] Name a newer one, for example: make PYTHON=python3.12 demo"
        )
    try:
        import ensurepip  # noqa: F401 - only its presence matters
    except ImportError:
        raise SetupError(
            "[ERROR] This Python cannot make environments: its module ensurepip is missing\n"
            "[HINT] On Debian and Ubuntu: apt-get install python3-venv"
        ) from None


@contextlib.contextmanager
def _one_at_a_time(venv: Path) -> Iterator[None]:
    """Holds a lock beside the environment."""
    with venv.with_name(venv.name + ".lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _prepare(group: str, venv: Path) -> None:
    """Makes the environment unless one works, and installs the group unless nothing changed."""
    python = venv / "bin" / "python"
    if any(_is_installed(name, venv) for name in COVERED_BY[group]) and _runs(python, "pass"):
        return
    if not _runs(python, "import pip, sys; sys.exit(sys.version_info < (3, 11))"):
        sys.stderr.write(f"Making the environment in {venv.name}\n")
        subprocess.check_call([sys.executable, "-m", "venv", "--clear", str(venv)])
    sys.stderr.write(f"Installing the locked requirements ({group}), once\n")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    environment = dict(os.environ, PIP_USER="0", PIP_REQUIRE_VIRTUALENV="0")
    locks = [part for name in LOCKS[group] for part in ("-r", str(ROOT / "requirements" / name))]
    subprocess.check_call([*pip, *locks], env=environment)
    for name in FILES_ALONE[group]:
        files = ["--no-deps", "-r", str(ROOT / "requirements" / name)]
        subprocess.check_call([*pip, *files], env=environment)
    project = ["--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    subprocess.check_call([*pip, *project], env=environment)
    _stamp(group, venv).write_text(_fingerprint(group), encoding="ascii")


def _is_installed(group: str, venv: Path) -> bool:
    """Whether the group was installed from the locks as they are now."""
    stamp = _stamp(group, venv)
    return stamp.is_file() and stamp.read_text(encoding="ascii") == _fingerprint(group)


def _stamp(group: str, venv: Path) -> Path:
    return venv / f"installed-{group}"


def _runs(python: Path, code: str) -> bool:
    """Whether an interpreter starts and runs `code` (that of a moved environment does not)."""
    try:
        return subprocess.call([str(python), "-c", code], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def _fingerprint(group: str) -> str:
    """Digest of everything that decides what the group installs, and of where it is installed."""
    digest = hashlib.sha256(str(ROOT).encode("utf-8"))
    for name in (*LOCKS[group], *FILES_ALONE[group]):
        digest.update((ROOT / "requirements" / name).read_bytes())
    digest.update((ROOT / "pyproject.toml").read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.exit(main())

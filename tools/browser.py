"""Sees to it that tests find a browser: `python3 tools/browser.py`.

The reports are tried in a real Chromium. Where there is none, and this is a Debian or Ubuntu
machine whose administrator we are, it is installed from the distribution's own packages; else the
next step is named. Tests without a browser are skipped, and say so.
"""

import os
import shutil
import subprocess
import sys

__all__ = ["BROWSERS", "find_browser", "main"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""Programs that will do, the first one found."""

VARIABLE = "PACKHORSE_CHROMIUM"
"""Names the program where it is somewhere else."""

APT = (
    ("apt-get", "update", "-qq"),
    ("apt-get", "install", "-qq", "--yes", "--no-install-recommends", "chromium"),
)


def find_browser() -> str | None:
    """Path of a Chromium, or None."""
    named = os.environ.get(VARIABLE)
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def main() -> int:
    """Finds or installs a browser; returns 1 when there is none in the end."""
    found = find_browser()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stderr.write("Installing Chromium for the tests, once\n")
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for command in APT:
            subprocess.call(command, env=environment, stdout=subprocess.DEVNULL)
        found = find_browser()
    if found is None:
        sys.stderr.write(
            "[WARN] No Chromium: the tests of reports in a browser will be skipped\n"
            f"[HINT] Install the package chromium, or set {VARIABLE} to its program\n"
        )
        return 1
    sys.stderr.write(f"Browser for the tests: {found}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

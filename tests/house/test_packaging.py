"""pyproject.toml and the locks belong together."""

import re
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

NAME = re.compile(r"^[A-Za-z0-9._-]+")


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    """The parsed pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def names(requirements: list[str]) -> set[str]:
    """Normalised package names of requirement lines."""
    found = (NAME.match(line) for line in requirements)
    return {re.sub(r"[-_.]+", "-", match.group()).lower() for match in found if match}


def locked(root: Path, lock: str) -> set[str]:
    """Normalised package names that a lock pins."""
    lines = (root / "requirements" / lock).read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if NAME.match(line)]
    assert all("==" in line for line in pinned)
    return names(pinned)


def test_the_base_lock_pins_every_dependency(root: Path, project: dict[str, Any]) -> None:
    assert names(project["project"]["dependencies"]) <= locked(root, "base.txt")


def test_the_dev_lock_pins_dependencies_extras_and_tools(
    root: Path, project: dict[str, Any]
) -> None:
    wanted = names(project["project"]["dependencies"]) | names(project["dependency-groups"]["dev"])
    for extra in project["project"]["optional-dependencies"].values():
        wanted |= names(extra)
    assert wanted <= locked(root, "dev.txt")


def test_the_base_lock_agrees_with_the_dev_lock(root: Path) -> None:
    def pins(lock: str) -> set[str]:
        text = (root / "requirements" / lock).read_text(encoding="utf-8")
        return {line.strip() for line in text.splitlines() if "==" in line and line[0] != "#"}

    assert {line.partition(";")[0].strip() for line in pins("base.txt")} <= {
        line.partition(";")[0].strip() for line in pins("dev.txt")
    }


def test_every_dependency_has_a_lower_bound(project: dict[str, Any]) -> None:
    declared = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    assert [line for line in declared if ">=" not in line] == []


def test_both_commands_start_the_same_program() -> None:
    scripts = entry_points(group="console_scripts")
    values = {
        each.name: each.value for each in scripts if each.name in {"packhorse", "p04-context"}
    }
    assert values == {
        "packhorse": "packhorse.cli.app:main",
        "p04-context": "packhorse.cli.app:main",
    }

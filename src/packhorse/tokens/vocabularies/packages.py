"""Optional packages: their modules, and the files in them without importing anything."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from packhorse.errors import MissingExtraError

__all__ = ["Extra", "optional_module", "package_file"]


class Extra(NamedTuple):
    """What is installed for a purpose, for the error when it is not."""

    name: str
    purpose: str


def package_file(package: str, module: str, *parts: str, extra: Extra) -> Path:
    """The path of a file inside an installed package.

    The package is located and not imported: importing may load a library that takes seconds, or
    need other packages that are absent.

    Args:
        package: what is installed.
        module: its top-level module.
        parts: path of the file inside the module.
        extra: what brings the package.

    Raises:
        MissingExtraError: the package is not installed, or does not hold the file.
    """
    spec = find_spec(module)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, *parts)
        if path.is_file():
            return path
    raise MissingExtraError(package, extra.name, extra.purpose)


def optional_module(package: str, module: str, *, extra: Extra) -> Any:
    """The imported module of an optional package.

    Raises:
        MissingExtraError: the package is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        raise MissingExtraError(package, extra.name, extra.purpose) from None

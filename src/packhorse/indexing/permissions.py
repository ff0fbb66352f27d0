"""Paths that the user may not look at, as errors that name them."""

from collections.abc import Iterator
from contextlib import contextmanager

from packhorse.errors import StoreError

__all__ = ["named_refusals"]


@contextmanager
def named_refusals() -> Iterator[None]:
    """Turns a refusal of the operating system into a StoreError; a context or a decorator."""
    try:
        yield
    except PermissionError as exc:
        raise StoreError(
            f"No permission to use {exc.filename}",
            hint="Check the permissions of the path and of the folders above it",
        ) from exc

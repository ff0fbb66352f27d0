"""What a damaged index makes of the code that reads it, as an error that says so."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from packhorse.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BUILD_AGAIN", "damage_named", "is_panic"]

BUILD_AGAIN = "Build the index again, into a new directory"

_READ_ERRORS = (ValueError, TypeError, LookupError, ArithmeticError, MemoryError, OSError)
"""What wrong bytes cause where sizes, offsets and UTF-8 are taken from them."""

_MAX_REASON_CHARS = 160
"""The library prints whole files into some of its messages."""


def is_panic(error: BaseException) -> bool:
    """Whether an extension written in Rust gave up.

    Its exception is no Exception, and has no module to import it from; hence the name.
    """
    return type(error).__name__ == "PanicException"


@contextmanager
def damage_named(what: object) -> Iterator[None]:
    """Turns what reading a damaged file raises into a StoreError; a context or a decorator.

    Only for code that takes nothing but checked values from its caller.
    """
    try:
        yield
    except StoreError:
        raise
    except _READ_ERRORS as error:
        raise _damaged(what, error) from error
    except BaseException as error:
        if not is_panic(error):
            raise
        raise _damaged(what, error) from error


def _damaged(what: object, error: BaseException) -> StoreError:
    reason = " ".join(str(error).split())[:_MAX_REASON_CHARS] or type(error).__name__
    return StoreError(f"{what} is damaged: {reason}", hint=BUILD_AGAIN)

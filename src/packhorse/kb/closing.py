"""Knowledge bases that close with a `with` block, and say so when they are used after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from packhorse.errors import StoreError

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Closing"]


class Closing:
    """Base of what is open until `close`, which may be called more than once."""

    _closed = False

    def __enter__(self) -> Self:
        self._refuse_closed()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the use of the object."""
        self._closed = True

    def _called(self) -> str:
        """What the user knows the object by."""
        raise NotImplementedError

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreError(
                f"The knowledge base {self._called()} is closed",
                hint="Open it again, or use it before it is closed",
            )

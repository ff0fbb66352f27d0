"""How many threads count a batch: by its size alone, so that short work starts none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FAST", "SLOW", "cores", "threads_for"]

FAST = 1_000_000
"""Characters that a thread must have to be worth starting, for engines of 100 MB/s and more."""
SLOW = 20_000
"""The same for engines of a few MB/s."""


def cores() -> int:
    """Processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def threads_for(texts: Sequence[str], chars_a_thread: int) -> int:
    """Threads for a batch: one for each `chars_a_thread`, at most one a text or a core.

    The counts do not depend on it.
    """
    if len(texts) < 2:  # noqa: PLR2004 - one text is one thread's work
        return 1
    wanted = sum(map(len, texts)) // chars_a_thread
    return 1 if wanted < 2 else min(wanted, len(texts), cores())  # noqa: PLR2004 - as above

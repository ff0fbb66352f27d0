"""A key that shows itself to nobody but the request it signs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from packhorse.errors import ConfigError, MissingKeyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LogMask", "Secret", "required_key"]

FRAGMENT = 6
"""Characters of a key in a row that count as showing it."""


class Secret:
    """A key from the environment. `str`, `repr` and `format` give a placeholder."""

    __slots__ = ("_value", "variable")

    def __init__(self, value: str, variable: str) -> None:
        """Takes the key.

        Args:
            value: the key itself.
            variable: where it was read, for messages.

        Raises:
            ConfigError: the value cannot stand in a header; it is not shown.
        """
        stripped = value.strip()
        if not stripped.isascii() or not stripped.isprintable() or " " in stripped:
            raise ConfigError(
                f"The key in {variable} holds characters that no key has",
                hint=f"Set {variable} to the key alone, without quotes or line ends",
            )
        self._value = stripped
        self.variable = variable

    def reveal(self) -> str:
        """The key, for the header of a request and nothing else."""
        return self._value

    def shown_in(self, text: str) -> bool:
        """Whether a text holds the key or a piece of it."""
        size = min(FRAGMENT, len(self._value))
        ends = range(size, len(self._value) + 1)
        return any(self._value[end - size : end] in text for end in ends)

    def __repr__(self) -> str:
        return f"<key of {self.variable}>"

    def __reduce__(self) -> str:
        raise TypeError("A key is not written anywhere")


class LogMask(logging.Filter):
    """Replaces each line of another library's log that shows a key, or a piece of it."""

    def __init__(self, key: Secret) -> None:
        super().__init__()
        self._key = key

    def put_on(self, loggers: Sequence[str]) -> None:
        """Begins to look at the lines of these loggers."""
        for name in loggers:
            logging.getLogger(name).addFilter(self)

    def take_off(self, loggers: Sequence[str]) -> None:
        """Leaves these loggers as they were."""
        for name in loggers:
            logging.getLogger(name).removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets every line pass, without its words where they show the key."""
        if self._key.shown_in(record.getMessage()):
            record.msg, record.args = f"(a line with the {self._key!r} in it)", ()
        return True


def required_key(environ: Mapping[str, str], variables: Sequence[str], purpose: str) -> Secret:
    """The key in the first of the variables that holds one.

    Raises:
        MissingKeyError: none of them does.
    """
    for variable in variables:
        if environ.get(variable, "").strip():
            return Secret(environ[variable], variable)
    raise MissingKeyError(variables, purpose)

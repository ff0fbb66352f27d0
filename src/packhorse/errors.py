"""Every error Packhorse raises on purpose.

    PackhorseError
    |-- BudgetError                 the window or the evidence section is too small
    |   |-- BudgetExceededError     required material does not fit; carries the sum
    |   `-- InvalidBudgetError      not a whole number of zero or more
    |-- ConfigError                 a profile, kb.yaml, flag or keyword that cannot be used
    |   |-- MissingKeyError         an API key that the environment does not hold
    |   |-- UnknownKeyError         a key nobody knows; names the nearest one
    |   `-- UnknownStrategyError    a registry name nobody registered; lists the known ones
    |-- InputError                  a query, message, packet or file that cannot be read
    |   `-- ChunkError              one bad record of a chunks file: path, line, reason
    |-- StoreError                  a knowledge base that is missing, damaged or of another make
    |   `-- FingerprintError        the index was built with another embedder or splitter
    |-- RetrievalError              an embedder or engine failed while searching
    |-- RerankError                 a reranker failed; a check reports it, nothing stops
    |-- CountingError               an endpoint that counts tokens failed or refused
    |-- SummaryError                an endpoint that summarises failed; sentences are quoted instead
    |-- VerificationError           a contradiction model failed; a check reports it, nothing stops
    |-- UnknownModelError           a model that is not in the table; lists near names
    |-- NoModelFitsError            no model of a list can take a request; names the nearest
    `-- MissingExtraError           an optional package is not installed; says how to install it

Each error says what happened and where, and carries the next step in `hint`. Edges print
`[ERROR] message` and `[HINT] hint` and exit with 2. A dropped chunk, a failed check or a
warning is data in the packet and never raised.
"""

from collections.abc import Mapping, Sequence

__all__ = [
    "BudgetError",
    "BudgetExceededError",
    "ChunkError",
    "ConfigError",
    "CountingError",
    "FingerprintError",
    "InputError",
    "InvalidBudgetError",
    "MissingExtraError",
    "MissingKeyError",
    "NoModelFitsError",
    "PackhorseError",
    "RerankError",
    "RetrievalError",
    "StoreError",
    "SummaryError",
    "UnknownKeyError",
    "UnknownModelError",
    "UnknownStrategyError",
    "VerificationError",
]


class PackhorseError(Exception):
    """Root of the tree; catch this to catch everything Packhorse raises on purpose."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def with_hint(self) -> str:
        """Message and next step on one line, where an error becomes a note and stops nothing."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class BudgetError(PackhorseError):
    """A token budget cannot be kept."""


class BudgetExceededError(BudgetError):
    """Material that must be in does not fit; nothing is dropped to hide it."""

    def __init__(
        self,
        message: str,
        *,
        needed: int,
        available: int,
        parts: Sequence[tuple[str, int]] = (),
        hint: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.needed = needed
        """Tokens that the required material takes."""
        self.available = available
        """Tokens that were left for it."""
        self.parts = tuple(parts)
        """The sum behind `needed`: (name, tokens), in the order of reservation."""


class InvalidBudgetError(BudgetError):
    """A budget that is not a whole number of zero or more."""


class ConfigError(PackhorseError):
    """A setting that cannot be used."""


class MissingKeyError(ConfigError):
    """An API key is needed, and the environment does not hold one."""

    def __init__(self, variables: Sequence[str], purpose: str) -> None:
        super().__init__(
            f"{purpose} needs a key, and {' or '.join(variables)} is not set",
            hint=f"Set {variables[0]}, or count offline",
        )
        self.variables = tuple(variables)
        """Environment variables that may hold it, the first asked first."""


class UnknownKeyError(ConfigError):
    """A configuration key nobody knows."""

    def __init__(self, message: str, *, keys: Sequence[str], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.keys = tuple(keys)
        """Full paths of all unknown keys, sorted."""


class UnknownStrategyError(ConfigError):
    """A name that no registry entry carries."""

    def __init__(self, kind: str, name: str, known: Sequence[str]) -> None:
        super().__init__(
            f"Unknown {kind} {name!r}", hint=f"Known {kind} names: {', '.join(sorted(known))}"
        )
        self.kind = kind
        self.name = name
        self.known = tuple(sorted(known))


class InputError(PackhorseError):
    """Something handed in cannot be read."""


class ChunkError(InputError):
    """One record of a chunks file cannot be used."""

    def __init__(self, path: str, line: int, reason: str, *, hint: str = "") -> None:
        super().__init__(
            f"{reason}, {path} line {line}",
            hint=hint or "Correct the line, or pass --skip-bad-lines to go on without it",
        )
        self.path = path
        self.line = line
        """1-based line number in the file."""
        self.reason = reason


class StoreError(PackhorseError):
    """A knowledge base cannot be opened, read or written."""


class FingerprintError(StoreError):
    """An index was built by something else than what now asks for it."""

    def __init__(self, message: str, *, built_with: str, asked_for: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.built_with = built_with
        self.asked_for = asked_for


class RetrievalError(PackhorseError):
    """A search failed."""


class RerankError(PackhorseError):
    """A reranker of the user's could not be reached or run, or gave no usable answer."""


class CountingError(PackhorseError):
    """An endpoint that counts tokens could not be reached, refused, or gave no usable answer."""


class SummaryError(PackhorseError):
    """An endpoint that summarises could not be reached, refused, or gave no usable answer."""


class VerificationError(PackhorseError):
    """A model that verification asks could not be reached or run, or gave no usable answer."""


class UnknownModelError(PackhorseError):
    """A model that the model table does not hold."""

    def __init__(self, model: str, near: Sequence[str]) -> None:
        super().__init__(
            f"Unknown model {model!r}",
            hint=f"Did you mean {', '.join(near)}? `packhorse models` lists all"
            if near
            else "`packhorse models` lists the known models",
        )
        self.model = model
        self.near = tuple(near)


class NoModelFitsError(PackhorseError):
    """No model of a list can take a request; the hint says what would make the nearest fit."""

    def __init__(
        self, message: str, *, why_not: Mapping[str, tuple[str, ...]], hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.why_not = dict(why_not)
        """Model -> what it does not meet, in words; in the order of the list."""


class MissingExtraError(PackhorseError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed",
            hint=f"Install it with: pip install 'packhorse[{extra}]'",
        )
        self.package = package
        self.extra = extra

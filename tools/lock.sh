#!/usr/bin/env bash
# Writes requirements/*.txt from pyproject.toml: exact versions for every platform, no index.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
compile() {
    uv pip compile --quiet --no-config --universal --python-version 3.11 --no-emit-index-url \
        --no-emit-find-links --no-header --custom-compile-command "make lock" "$@" >/dev/null
}
compile pyproject.toml --all-extras --group dev -o requirements/dev.txt "${@}"
# The other locks are cut from the same cloth, so that an environment may hold several of them.
compile pyproject.toml -c requirements/dev.txt -o requirements/base.txt "${@}"
compile --group pyproject.toml:docs -c requirements/dev.txt -o requirements/docs.txt "${@}"
compile pyproject.toml --group peers -c requirements/dev.txt -o requirements/peers.txt "${@}"
compile --group pyproject.toml:build -c requirements/dev.txt -o requirements/build.txt "${@}"

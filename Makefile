# Every target works on a fresh clone: what it needs is installed into .venv on first use, from
# the locks in requirements/. Only Python 3.11+, git and make have to be there.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2
# Each process starts with whole files, so that what a file shares is made once, and takes over
# tests of the other when it is done.
SHARED := -n $(JOBS) --dist worksteal
BIN    := $(VENV)/bin

# One thread for each numeric library: the suite already runs a process a core, and one is often
# faster than two. The environment must not leak into what is tested.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export PYTHONUTF8 := 1
unexport PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup browser env-base env-dev env-docs demo test suite fmt lint type arch cover fuzz golden \
        evals evals-sample bench bench-peers env-peers replay-proof fit-proof docs lock clean

help:  ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

setup: env-dev  ## Make the environment for working on the project

browser:  ## See to it that the tests of reports find a Chromium
	@$(PYTHON) tools/browser.py

env-base env-dev env-docs: env-%:
	@$(PYTHON) tools/bootstrap.py $* --venv $(VENV)

demo: env-base  ## Pack the sample question over fixtures/tax_kb and show the result
	@$(BIN)/packhorse pack --query "Can I deduct home office expenses?" \
	    --kb fixtures/tax_kb --budget 2800 --out out/p04

test: lint type arch suite  ## Everything: format, lint, types, import contracts, sizes, the suite

suite: env-dev  ## The test suite alone, with the number of examples that CI uses
	@HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-ci} $(BIN)/python -m pytest -q $(SHARED) $(ARGS)

fmt: env-dev  ## Format the code and mend what lint can mend
	@$(BIN)/ruff check --quiet --fix-only . && $(BIN)/ruff format .

lint: env-dev  ## Check format and lint
	@$(BIN)/ruff format --check --quiet . || { echo "Run: make fmt" >&2; exit 1; }
	@$(BIN)/ruff check --quiet .

type: env-dev  ## Check types
	@$(BIN)/mypy

arch: env-dev  ## Check import contracts and the sizes of modules and functions
	@$(BIN)/lint-imports
	@$(BIN)/python tools/check_sizes.py

cover: env-dev  ## The suite with branch coverage
	@$(BIN)/python -m pytest -q $(SHARED) --cov --cov-report=term $(ARGS)

fuzz: env-dev  ## The property tests, and counts of every tokenizer, with many random examples
	@$(BIN)/python tests/tokens/fuzz_counts.py 20000
	@HYPOTHESIS_PROFILE=fuzz $(BIN)/python -m pytest -q $(SHARED) -m hypothesis $(ARGS)

golden: env-dev  ## Rewrite all golden files; review the result as a diff
	@$(BIN)/python -m pytest -q -p no:randomly $$(grep -rl --include='test_*.py' rewrite_golden tests | LC_ALL=C sort) --rewrite-golden

bench: env-dev  ## Measure start-up and packing on this machine
	@$(BIN)/python bench/bench_startup.py

# The sets are no part of the project; they are read where they lie.
DATA ?= ../shared/data

evals: env-dev  ## Measure evidence at token budgets over the sets in DATA, and say what moved
	@$(BIN)/python -m evals.run --data $(DATA) $(ARGS)

evals-sample: env-dev  ## The same over the committed sample, in seconds
	@$(BIN)/python -m evals.run --sample $(ARGS)

replay-proof: env-dev  ## Replay 1,000 random packets, and try the changes that `why` names
	@$(BIN)/python bench/prove_packets.py replays --jobs $(JOBS)
	@$(BIN)/python bench/prove_packets.py changes --jobs $(JOBS)

fit-proof: env-dev  ## Fit 20,000 random conversations in all shapes, and grow some of them
	@HYPOTHESIS_PROFILE=proof $(BIN)/python -m pytest -q $(ARGS) \
	    tests/window/test_fit.py tests/window/test_growing.py

env-peers:
	@$(PYTHON) tools/bootstrap.py peers --venv $(VENV)-peers

bench-peers: env-peers  ## Measure packing and histories beside LangChain, LlamaIndex and Haystack
	@$(VENV)-peers/bin/python -m bench.bench_peers $(ARGS)
	@$(VENV)-peers/bin/python -m bench.bench_peers_history \
	    $(if $(wildcard $(DATA)/agent_traces/traces.jsonl),--traces $(DATA)/agent_traces/traces.jsonl)

docs: env-dev env-docs  ## Write the generated reference pages and build the site
	@$(BIN)/python tools/write_reference.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

lock: env-dev  ## Resolve the requirements again and rewrite the locks
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@PATH="$(BIN):$$PATH" tools/lock.sh

clean:  ## Remove the environment, caches and output
	rm -rf $(VENV) $(VENV).lock $(VENV)-peers $(VENV)-peers.lock build dist site out .coverage* .hypothesis .import_linter_cache \
	    .mypy_cache .pytest_cache .ruff_cache

# Everything is set up in .venv, on a machine that has only Python 3.11+ and make.
#
#   make run         serve Holdfast from this checkout
#   make test        all that CI runs: lint, the checks of web/, every test, the crash matrix included
#   make test-fast   the tests without a browser, crashes, real agents, and the slow ones
#   make test-agents the tests with real agents, installed into a cached folder outside of the project
#   make lint        ruff, types, the layers of the house, svelte-check
#   make web         build the page
#   make bench       the numbers, as a table, and in .bench/ as JSON and a picture
#   make crashes     kill processes everywhere (SEEDS=n: and at n random moments)
#   make soak        half an hour of work, kills and reloads: what is lost, what grows (ARGS="--minutes 3")
#   make mutants     break the code on purpose; every breakage must fail a test
#   make clean       remove all that was set up or built here

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Arguments for pytest, as in: make test-fast ARGS="-k tail"
ARGS ?=
# Random moments that `make crashes` tries beside its table.
SEEDS ?= 100

# The tests start hundreds of processes: each would compile the whole program anew if none may keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE

SET_UP := $(VENV)/.set-up
PAGE := src/holdfast/static/page.digest
PAGE_SOURCES := hatch_build.py $(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/.npm/*' -not -path 'web/dist/*')
NPM := $(BIN)/python hatch_build.py npm

.PHONY: run test test-fast test-agents lint web web-test bench crashes soak mutants clean
.DEFAULT_GOAL := run
# Steps run in order and stop at the first failure; two at once would both install the packages of web/.
.NOTPARALLEL:

run: $(SET_UP) $(PAGE)
	@$(BIN)/holdfast $(ARGS)

test: lint web-test $(PAGE)
	@$(BIN)/python tests/browser/setup_chromium.py
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(ARGS)

test-fast: $(SET_UP) $(PAGE)
	@HOLDFAST_TEST_HISTORIES=100 $(BIN)/python -m pytest -n 3 --dist loadfile -m "not browser and not crash and not slow and not agents" $(ARGS)

test-agents: $(SET_UP) $(PAGE)
	@$(BIN)/python -m pytest -m agents $(ARGS)

lint: $(SET_UP)
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports --no-logo
	@$(NPM) run --silent check

web: $(SET_UP) $(PAGE)

web-test: $(SET_UP)
	@$(NPM) test --silent

bench: $(SET_UP)
	@$(BIN)/python -m bench --json .bench/numbers.json --plot .bench/numbers.svg $(ARGS)

crashes: $(SET_UP) $(PAGE)
	@$(BIN)/python -m tests.crashes --table --seeds $(SEEDS) $(ARGS)

soak: $(SET_UP) $(PAGE)
	@$(BIN)/python -m tests.soak $(ARGS)

mutants: $(SET_UP)
	@$(BIN)/python -m tests.mutants $(ARGS)

clean:
	rm -rf $(VENV) dist src/holdfast/static web/node_modules web/.npm web/dist
	rm -rf .hypothesis .pytest_cache .ruff_cache .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The editable install builds the page as well, by the hook in hatch_build.py.
$(SET_UP): pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Holdfast needs Python 3.11 or newer; this is %d.%d. Choose one with: make PYTHON=python3.12" % sys.version_info[:2])'
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV). The first time this takes a minute."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install -qq --group dev --editable .
	@touch $@

# The hook compares contents, so a newer file alone costs nothing.
$(PAGE): $(PAGE_SOURCES) | $(SET_UP)
	@$(BIN)/python hatch_build.py page
	@touch $@

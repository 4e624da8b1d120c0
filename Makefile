# make demo    set up .venv and simulate the overhead crane of the paper
# make studio  set up .venv and open the studio in the browser (MODEL=crane.yaml: with a model of your own)
# make test    set up .venv and run the tests, doctests and examples: some six minutes on two cores
# make test-all  these, and the exhaustive ones: random families, rare combinations, variants compiled cold
# make check   what CI runs: format, lint, types, import contracts, then `make test-all`
# make bench   install the peers and print the benchmark table
# make docs    build the documentation as a site into out/site
# make release build wheel and sources into out/release, and check them in empty environments; nothing is uploaded
# make format  rewrite the sources in the house format
.NOTPARALLEL:
.PHONY: demo studio test test-all exhaustive check static bench docs release format clean help

VENV := .venv
MODEL ?= overhead_crane
# worksteal: neighbours in a file stay in one process, which computes what they share once
PYTEST_FLAGS ?= -n auto --dist worksteal
# compiled tests and sources stay for the next run and for the processes that tests start
unexport PYTHONDONTWRITEBYTECODE
BIN := $(VENV)/bin
SOURCES := src tests examples $(wildcard benchmarks)
supported = import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11,$(shell $(p) -c '$(supported)' 2>/dev/null && echo $(p))))

help:
	@sed -n 's/^# make/make/p' Makefile

demo: $(VENV)/.core
	@$(BIN)/python examples/overhead_crane.py
	@printf '\nTry next:\n  %s\n  %s\n  %s\n' "make studio" "$(BIN)/cardan show slider_crank" "$(BIN)/cardan simulate four_bar -o run.nc"

studio: $(VENV)/.studio
	@$(BIN)/cardan studio $(MODEL)

test: $(VENV)/.dev
	@$(BIN)/pytest $(PYTEST_FLAGS)

test-all: test exhaustive

exhaustive: $(VENV)/.dev
	@$(BIN)/pytest $(PYTEST_FLAGS) -m exhaustive

check: static test-all

static: $(VENV)/.dev
	@$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(VENV)/.peers
	@$(BIN)/python -m benchmarks

docs: $(VENV)/.dev
	@$(BIN)/python -m sphinx -W --keep-going -q -j auto -b html -d out/doctrees docs out/site && echo "open out/site/index.html"

release: $(VENV)/.dev
	@$(BIN)/python .ci/release.py

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix-only $(SOURCES)
	@$(BIN)/ruff format $(SOURCES)

clean:
	rm -rf $(VENV) out .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

# The environment: made once, and installed again only when pyproject.toml has changed.
$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Cardan needs Python 3.11 or newer, and none was found. Install one, or name it: make PYTHON=/path/to/python3"; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON) (once, about a minute) ..."
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
	  || { rm -rf $(VENV); $(PYTHON) -m virtualenv -q $(VENV) >/dev/null 2>&1; } \
	  || { rm -rf $(VENV); uv venv -q --seed --python $(PYTHON) $(VENV) >/dev/null 2>&1; } \
	  || { rm -rf $(VENV); echo "$(PYTHON) cannot make a virtual environment: its venv module is missing. On Debian and Ubuntu: sudo apt install python3-venv; elsewhere: $(PYTHON) -m pip install --user virtualenv"; exit 1; }

$(VENV)/.core: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.studio: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[studio]'
	@touch $@ $(VENV)/.core

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.core

$(VENV)/.peers: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[peers]'
	@touch $@ $(VENV)/.core

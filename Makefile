# Everything starts from a bare machine: python3 (3.11 or newer, with venv), make, and a package index.
#   make demo    set up, then run the main job on a simulated table
#   make test    set up, then lint, types, import contracts and tests
#   make help    the rest
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ONOMA := $(BIN)/onoma
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Modules are compiled once, not by each of the hundreds of processes that tests start.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo demo-text test torture browser lint format docs bench lock clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# One stamp per set of pins: installed again only when its pins change.
$(VENV)/core.stamp: requirements/core.txt requirements/build.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Onoma needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.11"; exit 1; }
	@echo "setting up $(VENV) (once, about a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes -r requirements/core.txt -r requirements/build.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/%.stamp: requirements/%.txt $(VENV)/core.stamp
	@echo "installing requirements/$*.txt"
	@$(PIP) install --require-hashes -r $<
	@touch $@

demo: $(VENV)/core.stamp  ## set up and run the main job on a simulated table
	@ONOMA=$(ONOMA) sh scripts/demo

demo-text: $(VENV)/core.stamp  ## set up and build a knowledge base from a few texts
	@ONOMA=$(ONOMA) sh scripts/demo-text

# Where there is a Java, the tests that start a Spark cluster run too. Kernels are compiled once, beside the linters, and not by
# each of the processes that run tests. Two processes share two cores: one thread of BLAS each.
test: $(VENV)/dev.stamp $(if $(shell command -v java),$(VENV)/spark.stamp)  ## set up, lint, check types and import contracts, run the tests
	@$(ONOMA) compile --quiet & $(MAKE) --no-print-directory lint; found=$$?; wait; exit $$found
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q

# Never fails: where there is no browser, what needs one skips with a reason.
browser: $(VENV)/dev.stamp  ## a browser for the tests of the studio, where one can be installed
	@command -v chromium >/dev/null || { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium; } >/dev/null 2>&1 \
	  || echo "no browser could be installed; the tests that need one skip"
	@$(MAKE) --no-print-directory $(VENV)/browser.stamp || echo "playwright could not be installed; the tests that need a browser skip"

torture: $(VENV)/dev.stamp  ## attack it: thousands of damaged files, kills and interrupts (ten minutes or more)
	ONOMA_TORTURE=40 $(BIN)/python -m pytest -q -n 2 -k torture tests

lint: $(VENV)/dev.stamp  ## ruff, mypy --strict, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/dev.stamp  ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/docs.stamp  ## build the site into site/ (a broken link is an error)
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --site-dir site
	@echo "open site/index.html; for the search, which browsers refuse to files: $(BIN)/python -m http.server -d site -b 127.0.0.1"

bench: $(VENV)/bench.stamp $(VENV)/dev.stamp  ## measure Onoma beside its peers (JSON lines)
	$(BIN)/python -m benchmarks $(BENCH)

lock: $(VENV)/core.stamp  ## compile the pins in requirements/ again
	@$(PIP) install uv
	@sh scripts/lock $(BIN)/uv

clean:  ## remove what make made
	rm -rf $(VENV) site demo .mypy_cache .ruff_cache .hypothesis

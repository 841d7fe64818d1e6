# Two commands do all: `make run` (the main job on the embedded sandbox) and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CONFIG ?=
SEEDS  ?= 1000
FIRST  ?= 1
# One more than there are cores: most tests wait for processes of their own.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
PARALLEL := -n $(WORKERS) --dist loadfile
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help run test check sim prove system bench bench-full format clean

help:  ## Show the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 12

$(VENV)/run.stamp: pyproject.toml constraints.txt
	@echo "installing into $(VENV) (about a minute, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -e '.[sandbox]'
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp
	@echo "installing the test tools into $(VENV)"
	@$(PIP) -e '.[dev]'
	@touch $@

run: $(VENV)/run.stamp  ## Run the main job on this machine: AWS stand-in, planner, three enactors, cleanup, sentinel (CONFIG=my.yaml for your own zones)
	@$(BIN)/dns-sandbox run $(if $(CONFIG),--config "$(CONFIG)")

test: $(VENV)/dev.stamp  ## Run the test suite (Python only)
	@$(BIN)/python -m pytest tests -m "not system and not simulation" $(PARALLEL)

sim: $(VENV)/dev.stamp  ## Play SEEDS=N schedules of the real daemons in virtual time, with faults at every await
	@$(BIN)/python -m tests.simulation --seeds $(SEEDS) --first $(FIRST)

prove: $(VENV)/dev.stamp  ## What CI proves: 3,000 schedules, every interleaving to a bound, every sabotage caught
	@$(BIN)/python -m pytest tests/simulation -m simulation --durations 10 -n $(WORKERS)

check: $(VENV)/dev.stamp  ## Format, lint, types, import rules, licences; what is installed goes to build/materials.json
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python deploy/materials.py --write build/materials.json

system: $(VENV)/dev.stamp  ## Tests with real programs (dig, unbound, ...), brought by apt, npm and pip
	@tests/system/install
	@REQUIRE_ALL=1 $(BIN)/python -m pytest tests -m system

bench: $(VENV)/dev.stamp  ## Beside octoDNS on 1,000 and 10,000 records: CPU, memory, requests (about 8 minutes)
	@tests/system/octodns/install
	@$(BIN)/python -m benchmarks

bench-full: $(VENV)/dev.stamp  ## The same with 100,000 records, and 300,000 alone (hours on a busy machine)
	@tests/system/octodns/install
	@$(BIN)/python -m benchmarks --size 10000 --size 100000 --size 300000

format: $(VENV)/dev.stamp  ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

clean:  ## Remove the environment and all that was built
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

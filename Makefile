# Every target does its own set-up: a fresh machine needs only Python and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run demo test check format fuzz examples generate bench simulate soak clean

run: $(STAMP)  ## start a broker on 127.0.0.1:9092, its data in ./data
	$(BIN)/snakka start --data-dir data --listen 127.0.0.1:9092

demo: $(STAMP)  ## events, a pipeline on Spark, a table and a plot: a minute, with Java 17
	$(BIN)/snakka demo

test: check  ## the whole suite
	$(BIN)/pytest -n 3 --dist loadgroup

check: $(STAMP)  ## format, lint, types, layers, tidiness: under 30 seconds
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --config pyproject.toml
	$(BIN)/python -m tools.generate --check
	$(BIN)/pytest tests/test_tidy.py

format: $(STAMP)  ## write the code as `make check` wants it
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

generate: $(STAMP)  ## messages, tables and reference pages from their declarations
	$(BIN)/python -m tools.generate

fuzz: $(STAMP)  ## malformed bytes against codecs and a running broker; SECONDS=60 to change how long
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60)

examples: $(STAMP)  ## every property on examples that no run has tried: `make test` takes the same ones each time
	SNAKKA_EXAMPLES=new $(BIN)/pytest -n 2 -m hypothesis

bench: $(STAMP)  ## side by side with a bare server and Apache Kafka; writes bench/RESULTS.md
	$(BIN)/python -m bench

simulate: $(STAMP)  ## the whole broker on virtual time: SEED=7 replays one run exactly, SEEDS=0-4999 tries many
	PYTHONHASHSEED=0 $(BIN)/python -m snakka.testing.simulation $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),0-4999) --jobs 2)

soak: $(STAMP)  ## real processes, killed and starved for minutes
	$(BIN)/python -m tests.faults

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(STAMP): pyproject.toml hatch_build.py $(wildcard src/snakka/protocol/native/*)
	$(PYTHON) -c 'import sys; sys.exit("Snakka needs Python 3.11 or newer: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

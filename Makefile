# make demo | test | test-all | fuzz SEEDS=0:1000 BACKEND=python | check | golden | bench | docs
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= auto
SEEDS ?= 0:1000
BACKEND ?= python
STAMP := .venv/.s2sgrad-installed

.PHONY: demo test test-all fuzz check golden bench docs clean

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(STAMP)

demo: $(STAMP)          ## fit a model on real data with an emitted gradient
	$(BIN)/python examples/fit_diabetes.py

test: $(STAMP)          ## everything but the slow tests
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-all: $(STAMP)      ## also numba for every program of the corpus and long fuzzing
	$(BIN)/python -m pytest -n $(JOBS)

fuzz: $(STAMP)          ## random programs: make fuzz SEEDS=0:20000 BACKEND=python
	$(BIN)/python -m tests.fuzz --seeds $(SEEDS) --backend $(BACKEND)

check: $(STAMP)         ## lint and types
	$(BIN)/ruff check .
	$(BIN)/mypy

golden: $(STAMP)        ## rewrite the expected emitted texts (after the numbers agree)
	$(BIN)/python -m pytest -n 0 tests/test_golden.py --update-golden

bench: $(STAMP)         ## emitted adjoints against hand-written ones
	$(BIN)/python -m tests.bench

docs: $(STAMP)          ## run every example of README.md and docs/
	$(BIN)/python -m pytest -n $(JOBS) tests/test_docs.py tests/test_examples.py

clean:
	rm -rf .venv build *.egg-info

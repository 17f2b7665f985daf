# Everything starts here. `make demo` and `make test` need nothing but Python 3.11 or newer and a way
# to fetch packages; what they install goes into .venv, in the versions that constraints.txt names.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check prove mutate bench pictures dev

# The first of these that is new enough makes the virtual environment; `make PYTHON=… test` puts
# another one first.
PYTHON ?=
PYTHONS = $(PYTHON) python3 python3.13 python3.12 python3.11

PY = .venv/bin/python
PIP = $(PY) -m pip --disable-pip-version-check --quiet install --constraint constraints.txt
# setuptools warns of every editable install as such; this is a wanted one.
HERE = PYTHONWARNINGS=ignore $(PIP) --no-build-isolation --editable

# For `make test`: more arguments to pytest. For `make prove` and `make mutate`: how often, from which
# seed, and of what alone: words of the laws, or a folder. LIMIT: the seconds that a law may take.
ARGS ?=
COUNT ?= 500
SEED ?= 1
ONLY ?=
LIMIT ?= 3600

help:  ## say what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile

demo: .venv/runtime.stamp  ## play a fair roll, its dispute and its audit
	@.venv/bin/urim demo

test: .venv/dev.stamp  ## run all tests
	@$(PY) -m pytest --numprocesses auto --dist loadgroup $(ARGS)

check: .venv/dev.stamp  ## lint, format, types
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy -p urim -p tests
	.venv/bin/basedpyright

prove: .venv/dev.stamp  ## try the laws (of ONLY) COUNT times from SEED; writes tests/proof.md
	@$(PY) -m tests.prove --count $(COUNT) --seed $(SEED) --only "$(ONLY)" --limit $(LIMIT)

mutate: .venv/mutation.stamp  ## break the verifier (or ONLY) COUNT times; adds to tests/proof.md
	@$(PY) -m tests.mutate --count $(COUNT) --seed $(SEED) --only "$(ONLY)"

bench: .venv/dev.stamp  ## run the benchmarks in tests/bench
ifeq ($(wildcard tests/bench/bench_*.py),)
	@echo "There are no benchmarks yet: tests/bench holds no bench_*.py."
else
	@$(PY) -m pytest tests/bench --override-ini 'python_files=bench_*.py' --capture no $(ARGS)
endif

pictures: .venv/dev.stamp  ## draw docs/pictures again, from the demo
	@$(PY) -m tests.pictures docs/pictures

dev: .venv/dev.stamp  ## set up .venv for work on Urim
	@echo "Ready: activate .venv, or use .venv/bin/python."

# --- set-up: each stamp is newer than what it was made from -----------------------------------------

.venv/bin/python:
	@for python in $(PYTHONS); do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
	    python=; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "Urim needs Python 3.11 or newer. None of these is: $(strip $(PYTHONS))." >&2; \
	    echo "Install one, or say where it is: make PYTHON=/path/to/python3 …" >&2; \
	    exit 1; \
	fi; \
	"$$python" -m venv --clear .venv || { \
	    rm -rf .venv; \
	    echo "$$python has no working venv module. On Debian or Ubuntu: apt install python3-venv" >&2; \
	    exit 1; \
	}

.venv/runtime.stamp: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Setting up .venv …"
	@$(PIP) --upgrade pip setuptools
	@$(HERE) .
	@touch $@

# The link lets static tools find the checkout as `urim`, whatever its directory is called.
.venv/dev.stamp: .venv/runtime.stamp
	@$(HERE) '.[dev]'
	@mkdir -p .typing && ln -sfn .. .typing/urim
	@touch $@

.venv/mutation.stamp: .venv/dev.stamp
	@$(HERE) '.[mutation]'
	@touch $@

